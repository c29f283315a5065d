/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <string.h>

#include "job/names.h"

/* Options that are there for every job: what wraps each test takes them. */
static const char *const always[] = {
	"cluster", "nr_instances", "cpu_node_bind", "mem_node_bind",
};

/* Axes that no program declares: what is to be tested. */
static const char *const axes[] = {
	"kconfig", "commit", "rootfs", "ltp_commit", "nvml_commit", "blktests_commit",
	"qemu_commit", "perf_test_commit", "linux_commit",
};

/*
 * Programs that are another one under a second name: links in LKP's tree, which
 * a copy of it may have lost. They take its options if they declare none.
 */
static const struct {
	const char *name, *is;
} aliases[] = {
	{ "fs1", "fs" }, { "fs2", "fs" }, { "fs3", "fs" },
	{ "pbzip2", "pigz" }, { "pixz", "pigz" }, { "plzip", "pigz" }, { "pxz", "pigz" },
	{ "kselftests-bpf", "kselftests" }, { "kselftests-rust", "kselftests" },
	{ "intel_powerclamp", "cooling_device" }, { "eatmem2", "eatmem" },
};

/* Options whose script says "(dontshow)" behind them: given to it, but no axes. */
static const struct {
	const char *program, *option;
} hidden[] = {
	{ "analyze-suspend", "runtime" }, { "analyze-suspend", "option" },
	{ "analyze-suspend", "rtcwake" }, { "analyze-suspend", "idle_time" },
	{ "analyze-suspend", "debug" },
};

static const struct program *alias_of(struct names *x, const char *name)
{
	const struct program *p = NULL;
	struct err none = {};

	for (size_t i = 0; i < COUNT(aliases); i++)
		if (!strcmp(aliases[i].name, name) &&
		    program_find_any(x->roots, aliases[i].is, &p, &none) == 1)
			return p;
	return NULL;
}

static bool is_hidden(const char *program, const char *option)
{
	for (size_t i = 0; i < COUNT(hidden); i++)
		if (!strcmp(hidden[i].program, program) && !strcmp(hidden[i].option, option))
			return true;
	return false;
}

struct name *name_of(struct names *x, const char *key)
{
	uint32_t h = 2166136261U;
	struct name *n, **slot;
	struct err none = {};
	const struct program *p;

	for (const char *s = key; *s; s++)
		h = (h ^ (unsigned char)*s) * 16777619U;
	slot = &x->slot[h % NAME_SLOTS];
	for (n = *slot; n; n = n->next)
		if (!strcmp(n->key, key))
			return n;
	n = arena_get(x->a, sizeof(*n));
	n->key = arena_text(x->a, key);
	if (program_find_any(x->roots, key, &p, &none) == 1 && p->kind != PROGRAM_MONITOR)
		n->program = p;
	if (!n->program)
		n->program = alias_of(x, key);
	if (program_find(x->roots, PROGRAM_MONITOR, key, &p, &none) == 1)
		n->monitor = p;
	n->next = *slot;
	return *slot = n;
}

bool name_declared(const struct names *x, const struct name *n)
{
	return n->declared == x->round;
}

bool name_axis(const struct names *x, const struct name *n)
{
	if (n->program || name_declared(x, n))
		return true;
	for (size_t i = 0; i < COUNT(axes); i++)
		if (!strcmp(n->key, axes[i]))
			return true;
	return false;
}

static int program_declare(struct names *x, const struct program *p, struct err *e)
{
	const struct program *alias = alias_of(x, p->name);
	const struct program_description *d;

	if (program_describe(x->roots, p, &d, e) < 0)
		return -e->code;
	if (!d->n_parameters && alias && program_describe(x->roots, alias, &d, e) < 0)
		return -e->code;
	for (size_t i = 0; i < d->n_parameters; i++) {
		struct name *n = name_of(x, d->parameter[i].name);

		if (is_hidden(p->name, n->key))
			continue;
		n->declared = x->round;
		n->named = d->parameter[i].named;
		n->kind = d->parameter[i].kind;
	}
	return 0;
}

static int map_declare(struct names *x, const struct node *map, struct err *e)
{
	for (size_t i = 0; map->kind == NODE_MAP && i < map->n; i++) {
		const struct name *n = name_of(x, map->item[i].key);

		if (n->program && program_declare(x, n->program, e) < 0)
			return -e->code;
		if (map_declare(x, map->item[i].value, e) < 0)
			return -e->code;
	}
	return 0;
}

int names_declare(struct names *x, const struct node *tree, struct err *e)
{
	x->round++;
	for (size_t i = 0; i < COUNT(always); i++)
		name_of(x, always[i])->declared = x->round;
	return map_declare(x, tree, e);
}
