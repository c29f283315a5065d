/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <ctype.h>
#include <errno.h>
#include <string.h>

#include "base/value.h"
#include "job/emit.h"
#include "job/expr.h"
#include "job/needs.h"

static void word_add(struct arena *a, const char ***list, size_t *n, const char *word)
{
	ARENA_GROW(a, *list, *n);
	(*list)[(*n)++] = word;
}

/* "NAME", or "NAME: y" as NAME=y; a value may go on with conditions: "m, v5.1". */
static void option_add(struct arena *a, struct job_needs *out, const char *name,
		       const struct node *value)
{
	_text_ struct text t = {};

	if (text_starts(name, "CONFIG_"))
		name += strlen("CONFIG_");
	text_puts(&t, name);
	if (value && node_scalar(value) && value->text) {
		text_putc(&t, '=');
		expr_print(value, &t);
	}
	word_add(a, &out->kconfig, &out->n_kconfig, arena_text_n(a, text_str(&t), t.len));
}

static void kconfig_read(struct arena *a, const struct node *v, struct job_needs *out)
{
	if (node_scalar(v) && v->text)
		option_add(a, out, v->text, NULL);
	for (size_t i = 0; i < v->n; i++) {
		if (v->kind == NODE_MAP)
			option_add(a, out, v->item[i].key, v->item[i].value);
		else
			kconfig_read(a, v->item[i].value, out);
	}
}

static void words_read(struct arena *a, const struct node *v, const char ***list, size_t *n)
{
	if (node_scalar(v) && v->text)
		word_add(a, list, n, v->text);
	for (size_t i = 0; v->kind == NODE_LIST && i < v->n; i++)
		words_read(a, v->item[i].value, list, n);
}

static int count_read(const struct node *tree, const char *key, uint64_t *out, struct err *e)
{
	const struct node *v = node_get(tree, key);
	struct err why = {};

	if (!v || node_absent(v))
		return 0;
	if (!node_scalar(v) || value_count(v->text, out, &why) < 0)
		return node_err(&v->at, e, "'%s' is a count", key);
	return 0;
}

static bool yes(const struct node *tree, const char *key)
{
	const struct node *v = node_get(tree, key);

	return v && !node_absent(v) && !(node_scalar(v) && !strcmp(v->text, "0"));
}

static int size_check(const struct node *tree, const char *key, const char **out, struct err *e)
{
	const struct node *v = node_get(tree, key);
	struct err why = {};
	uint64_t n;

	if (!v || node_absent(v))
		return 0;
	if (!node_scalar(v) || (value_size(v->text, &n, &why) < 0 &&
				value_percent(v->text, 1, &n, &why) < 0))
		return node_err(&v->at, e, "'%s' is a size: 64G, or 50%% of the memory", key);
	*out = v->text;
	return 0;
}

int job_needs_read(struct arena *a, const struct node *tree, struct job_needs *out,
		   struct err *e)
{
	const struct node *kconfig = node_get(tree, "need_kconfig"),
			  *programs = node_get(tree, "need_programs");

	if (size_check(tree, "need_memory", &out->memory, e) < 0 ||
	    size_check(tree, "need_disk", &out->disk, e) < 0 ||
	    count_read(tree, "need_cpu", &out->cpus, e) < 0 ||
	    count_read(tree, "need_node", &out->nodes, e) < 0)
		return -e->code;
	out->kernel = node_text_of(tree, "need_kernel_version");
	out->physical = yes(tree, "need_physical");
	out->root = yes(tree, "need_root");
	if (kconfig)
		kconfig_read(a, kconfig, out);
	if (programs)
		words_read(a, programs, &out->programs, &out->n_programs);
	return 0;
}

/* What is needed of a count or size: a number, or a parameter's value. */
static const char *through_parameter(const struct job *job, const struct program_description *d,
				     const char *need)
{
	const char *v = need ? job_param_get(&job->env, need) : NULL;

	for (size_t i = 0; d && need && !v && i < d->n_parameters; i++)
		if (!strcmp(d->parameter[i].name, need))
			v = d->parameter[i].value;
	return v ? v : need;
}

static uint64_t bytes_of(const char *s, const struct job_host *host)
{
	struct err none = {};
	uint64_t n;

	if (!s)
		return 0;
	if (value_size(s, &n, &none) == 0)
		return n;
	if (host && value_percent(s, host->memory, &n, &none) == 0)
		return n;
	return 0;
}

static uint64_t count_of(const char *s)
{
	struct err none = {};
	uint64_t n = 0;

	return s && value_count(s, &n, &none) == 0 ? n : 0;
}

static uint64_t larger(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

uint64_t job_needs_memory(const struct job *job, const struct program_description *d,
			  const struct job_host *host)
{
	const char *own = d ? through_parameter(job, d, d->needs.memory) : NULL;

	return larger(bytes_of(job->needs.memory, host), bytes_of(own, host));
}

static void size_put(struct text *t, uint64_t bytes)
{
	static const char units[] = "KMGTP";
	double v = (double)bytes / 1024;
	size_t i = 0;

	for (; v >= 1024 && units[i + 1]; i++)
		v /= 1024;
	text_printf(t, v < 10 && v != (double)(int)v ? "%.1f%c" : "%.0f%c", v, units[i]);
}

static bool memory_fits(const struct job *job, const struct program_description *d,
			const struct needs_facts *f, struct text *reason)
{
	uint64_t need = job_needs_memory(job, d, f->host);
	bool all = need > f->host->memory;

	if (!need || (!all && (!f->memory_free || need <= f->memory_free)))
		return true;
	text_puts(reason, "needs ");
	size_put(reason, need);
	text_puts(reason, all ? " of memory, the machine has " : " of memory, free are ");
	size_put(reason, all ? f->host->memory : f->memory_free);
	return false;
}

static bool disk_fits(const struct job *job, const struct needs_facts *f, struct text *reason)
{
	uint64_t need = bytes_of(job->needs.disk, f->host);

	if (!need || !f->disk_free || need <= f->disk_free)
		return true;
	text_puts(reason, "needs ");
	size_put(reason, need);
	text_puts(reason, " of disk, free are ");
	size_put(reason, f->disk_free);
	return false;
}

static bool count_fits(uint64_t need, uint64_t have, const char *what, struct text *reason)
{
	if (need <= have)
		return true;
	text_printf(reason, "needs %llu %s, the machine has %llu", (unsigned long long)need, what,
		    (unsigned long long)have);
	return false;
}

/* The numbers of a release: "v6.1.0-47" is 6, 1, 0. */
static void version_read(const char *s, unsigned long v[3])
{
	v[0] = v[1] = v[2] = 0;
	s += strcspn(s, "0123456789");
	for (int i = 0; i < 3 && isdigit((unsigned char)*s); i++) {
		char *end;

		v[i] = strtoul(s, &end, 10);
		s = end + (*end == '.');
	}
}

static bool version_fits(const char *need, const struct job_host *host, struct text *reason)
{
	unsigned long want[3], have[3];
	bool older = need && strchr(need, '<'), equal_too = !need || strchr(need, '=') ||
		     !strpbrk(need, "<>");
	int c = 0;

	if (!need || !host->kernel)
		return true;
	version_read(need, want);
	version_read(host->kernel, have);
	for (int i = 0; !c && i < 3; i++)
		c = (have[i] > want[i]) - (have[i] < want[i]);
	if ((older ? c < 0 : c > 0) || (!c && equal_too))
		return true;
	text_printf(reason, "needs kernel %s, this is %s", need, host->kernel);
	return false;
}

/* 'y', 'm', a value, or 'n' when it is not set. */
static void option_value(const char *kconfig, const char *name, char *out, size_t room)
{
	_free_ char *line = text_format("CONFIG_%s=", name);
	const char *at = kconfig;

	snprintf(out, room, "n");
	while ((at = strstr(at, line))) {
		if (at == kconfig || at[-1] == '\n') {
			at += strlen(line);
			snprintf(out, room, "%.*s", (int)strcspn(at, "\n"), at);
			return;
		}
		at++;
	}
}

/*
 * "NAME": built in or a module. A condition after the value ("m, v5.1") names
 * kernels and machines for which it counts; such a need is not judged.
 */
static bool option_fits(const char *need, const char *kconfig, struct text *reason)
{
	size_t n = strcspn(need, "=");
	_free_ char *name = text_format("%.*s", (int)n, need);
	const char *want = need[n] ? need + n + 1 : NULL;
	char have[100];

	if (want && strchr(want, ','))
		return true;
	option_value(kconfig, name, have, sizeof(have));
	if (want ? !strcmp(have, want) || (!strcmp(want, "m") && !strcmp(have, "y")) :
		   strcmp(have, "n") != 0)
		return true;
	text_printf(reason, "needs CONFIG_%s%s%s, the kernel has %s", name, want ? "=" : "",
		    want ? want : "", strcmp(have, "n") ? have : "it not set");
	return false;
}

static bool kconfig_fits(const char *const *list, size_t n, const struct job_host *host,
			 struct text *reason)
{
	for (size_t i = 0; host->kconfig && i < n; i++)
		if (!option_fits(list[i], host->kconfig, reason))
			return false;
	return true;
}

static bool programs_fit(const struct job *job, const struct needs_facts *f,
			 struct text *reason)
{
	bool test = false;

	for (size_t i = 0; i < job->n_programs; i++)
		test |= job->program[i].kind == PROGRAM_TEST;
	if (!test) {
		text_printf(reason, "no test '%s' in the trees of KROBOT_PATH", job->test);
		return false;
	}
	for (size_t i = 0; f->has_program && i < job->needs.n_programs; i++) {
		if (!f->has_program(job->needs.programs[i], f->arg)) {
			text_printf(reason, "needs the program '%s'", job->needs.programs[i]);
			return false;
		}
	}
	return true;
}

enum needs_answer job_needs_check(const struct job *job, const struct program_description *d,
				  const struct needs_facts *f, struct text *reason)
{
	const struct job_needs *n = &job->needs;
	uint64_t cpus = larger(n->cpus, d ? count_of(through_parameter(job, d, d->needs.cpus)) : 0);
	uint64_t nodes = larger(n->nodes,
				d ? count_of(through_parameter(job, d, d->needs.nodes)) : 0);

	if (!programs_fit(job, f, reason) || !memory_fits(job, d, f, reason) ||
	    !disk_fits(job, f, reason) || !count_fits(cpus, f->host->nr_cpu, "CPUs", reason) ||
	    !count_fits(nodes, f->host->nr_node, "NUMA nodes", reason) ||
	    !version_fits(n->kernel, f->host, reason) ||
	    !kconfig_fits(n->kconfig, n->n_kconfig, f->host, reason))
		return NEEDS_UNMET;
	if (d && !kconfig_fits(d->needs.kconfig, d->needs.n_kconfig, f->host, reason))
		return NEEDS_UNMET;
	if (n->physical && f->host->virtual) {
		text_puts(reason, "needs a physical machine, this is a virtual one");
		return NEEDS_UNMET;
	}
	if ((n->root || (d && d->needs.root)) && !f->host->root) {
		text_puts(reason, "needs root");
		return NEEDS_UNMET;
	}
	return NEEDS_MET;
}
