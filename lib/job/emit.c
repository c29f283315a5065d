/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <ctype.h>
#include <errno.h>
#include <string.h>

#include "base/value.h"
#include "job/emit.h"
#include "job/resolve.h"

#define VALUE_SHOWN 31	/* characters of a value in a job's name */

/* One key of the tree, seen with what it means. */
struct entry {
	const struct node_item *item;
	struct name *name;
	const char *path;		/* "a.b" */
	const struct entry *parent;	/* NULL at the top */
};

struct flat {
	struct entry *v;
	size_t n, room;
};

static void flatten(struct emitter *x, const struct node *map, const char *prefix,
		    size_t parent, struct flat *out)
{
	for (size_t i = 0; i < map->n; i++) {
		const struct node_item *item = &map->item[i];
		struct entry *f;
		size_t mine = out->n;

		if (out->n == out->room) {
			out->room = out->room ? 2 * out->room : 64;
			out->v = realloc(out->v, out->room * sizeof(*out->v));
			if (!out->v)
				abort();
		}
		f = &out->v[out->n++];
		*f = (struct entry){ item, name_of(x->names, item->key) };
		f->path = prefix ? arena_format(x->a, "%s.%s", prefix, item->key) :
			  f->name->key;
		f->parent = parent ? (const struct entry *)(uintptr_t)parent : NULL;
		if (item->value->kind == NODE_MAP)
			flatten(x, item->value, f->path, mine + 1, out);
	}
}

/* While the vector grows, a parent is its index plus one. */
static void parents_resolve(struct flat *f)
{
	for (size_t i = 0; i < f->n; i++)
		if (f->v[i].parent)
			f->v[i].parent = &f->v[(uintptr_t)f->v[i].parent - 1];
}

static const char *text_of(struct emitter *x, const struct node *v)
{
	_text_ struct text t = {};

	if (node_scalar(v))
		return v->text;
	node_print(v, &t);
	return arena_text_n(x->a, text_str(&t), t.len);
}

static void param_add(struct emitter *x, struct job_params *to, const char *key,
		      const char *value)
{
	ARENA_GROW(x->a, to->v, to->n);
	to->v[to->n++] = (struct job_param){ key, value };
}

/* A later value of a key replaces an earlier one. */
static void env_set(struct emitter *x, struct job *job, struct name *name, const char *key,
		    const char *value)
{
	if (name->env_job == x->serial) {
		job->env.v[name->env_at].value = value;
		return;
	}
	name->env_job = x->serial;
	name->env_at = job->env.n;
	param_add(x, &job->env, key, value);
}

static bool by_default(const struct entry *f)
{
	for (; f; f = f->parent)
		if (f->item->origin & ORIGIN_DEFAULT)
			return true;
	return false;
}

/*
 * A value of an option that a program of the job declares, or given to a
 * program itself. Monitors do not change what is measured.
 */
static bool is_param(const struct emitter *x, const struct entry *f)
{
	if (f->item->value->kind == NODE_MAP)
		return false;
	if (f->parent && f->parent->name->monitor)
		return false;
	return f->name->program || name_declared(x->names, f->name);
}

static void params_collect(struct emitter *x, const struct flat *f,
			   const struct node_item *const *axis, size_t n_axis, struct job *job)
{
	for (size_t i = 0; i < f->n; i++) {
		const struct entry *v = &f->v[i];
		struct job_param p;
		size_t at;

		if (!is_param(x, v) || (node_absent(v->item->value) && !v->name->named))
			continue;
		p = (struct job_param){ v->name->key, text_of(x, v->item->value) };
		ARENA_GROW(x->a, job->params.v, job->params.n);
		for (at = job->params.n++; at && strcmp(job->params.v[at - 1].key, p.key) > 0; at--)
			job->params.v[at] = job->params.v[at - 1];
		job->params.v[at] = p;
		for (size_t k = 0; k < n_axis; k++)
			if (axis[k]->key == v->item->key && axis[k]->at.line == v->item->at.line)
				param_add(x, &job->axes, p.key, p.value);
	}
}

static size_t char_length(const char *s)
{
	size_t n = 1;

	while (((unsigned char)s[n] & 0xc0) == 0x80)
		n++;
	return n;
}

/* Cut to its first characters; what is awkward in a file's name becomes `_`. */
static void value_show(struct text *out, const char *s)
{
	for (unsigned shown = 0; *s && shown < VALUE_SHOWN; shown++, s += char_length(s))
		text_putc(out, isalnum((unsigned char)*s) || strchr("-+=:.%", *s) ? *s : '_');
}

/* Commits, and the file's name of a root file system, stand at the end. */
static void targets_show(struct text *out, const struct node *tree)
{
	static const char *const commits[] = {
		"commit", "ltp_commit", "nvml_commit", "blktests_commit", "qemu_commit",
		"perf_test_commit", "linux_commit",
	};
	const char *rootfs = node_text_of(tree, "rootfs");

	for (size_t i = 0; i < COUNT(commits); i++) {
		const char *commit = node_text_of(tree, commits[i]);

		if (commit)
			text_printf(out, "-%s", commit);
	}
	if (rootfs) {
		const char *from = rootfs;

		for (const char *p = rootfs; *p; p++)
			if (!isalnum((unsigned char)*p) && !strchr("._-", *p))
				from = p + 1;
		text_printf(out, "-%s", from);
	}
}

static const char *job_name(struct emitter *x, const struct node *tree, const struct job *job)
{
	_text_ struct text t = {}, name = {};

	for (size_t i = 0; i < job->params.n; i++) {
		const struct job_param *p = &job->params.v[i];

		if (i)
			text_putc(&t, '-');
		if (name_of(x->names, p->key)->named) {
			value_show(&t, p->key);
			if (p->value && *p->value)
				text_putc(&t, '=');
		}
		if (p->value)
			value_show(&t, p->value);
	}
	text_printf(&name, "%s-%s", x->base, t.len ? text_str(&t) : "defaults");
	targets_show(&name, tree);
	return arena_text_n(x->a, text_str(&name), name.len);
}

static void program_params(struct emitter *x, const struct flat *f, size_t of,
			   struct job_params *out)
{
	const struct entry *top = &f->v[of];
	size_t skip = strlen(top->path) + 1;

	for (size_t i = of + 1; i < f->n && f->v[i].parent; i++) {
		const struct entry *v = &f->v[i];

		if (!text_starts(v->path, top->path) || v->path[skip - 1] != '.')
			break;
		if (v->item->value->kind != NODE_MAP)
			param_add(x, out, v->path + skip, text_of(x, v->item->value));
	}
}

static void programs_collect(struct emitter *x, const struct flat *f, struct job *job)
{
	for (size_t i = 0; i < f->n; i++) {
		const struct entry *v = &f->v[i];
		const struct program *p = v->name->program ? v->name->program : v->name->monitor;
		struct job_program *out;

		/* A key below a program is its option, whatever else has that name. */
		if (!p || (v->parent && (v->parent->name->program || v->parent->name->monitor)))
			continue;
		ARENA_GROW(x->a, job->program, job->n_programs);
		out = &job->program[job->n_programs++];
		*out = (struct job_program){ .kind = p->kind, .name = v->name->key, .path = p->path,
					     .by_default = by_default(v),
					     .line = v->item->at.line };
		if (v->item->value->kind == NODE_MAP)
			program_params(x, f, i, &out->params);
		else
			out->value = text_of(x, v->item->value);
	}
}

/* The program that measures: the one that `testcase` names, else the first test. */
static void test_choose(const struct node *tree, struct job *job, struct emitter *x)
{
	const char *testcase = node_text_of(tree, "testcase");

	for (size_t i = 0; i < job->n_programs; i++) {
		if (job->program[i].kind != PROGRAM_TEST)
			continue;
		if (!job->test || (testcase && !strcmp(job->program[i].name, testcase)))
			job->test = job->program[i].name;
	}
	if (!job->test)
		job->test = testcase ? testcase : x->base;
}

/* "cpuset.mems" as cpuset_46_mems: what LKP's scripts look for. */
static const char *env_key(struct emitter *x, const char *key)
{
	_text_ struct text t = {};

	for (const char *p = key; *p; p++) {
		if (isalnum((unsigned char)*p) || *p == '_')
			text_putc(&t, *p);
		else
			text_printf(&t, "_%u_", (unsigned char)*p);
	}
	return t.len == strlen(key) ? key : arena_text_n(x->a, text_str(&t), t.len);
}

static bool env_name(const char *key)
{
	if (isdigit((unsigned char)*key))
		return false;
	for (; *key; key++)
		if (!isalnum((unsigned char)*key) && *key != '_')
			return false;
	return true;
}

static const char *env_value(struct emitter *x, const char *key, const struct node *v)
{
	_text_ struct text t = {};

	if (v->kind != NODE_LIST)
		return value_resolve(x->a, key, name_of(x->names, key)->kind, v->text, x->host);
	for (size_t i = 0; i < v->n; i++) {
		if (i)
			text_putc(&t, '\n');
		if (node_scalar(v->item[i].value) && v->item[i].value->text)
			text_puts(&t, v->item[i].value->text);
	}
	return arena_text_n(x->a, text_str(&t), t.len);
}

/* Plain keys of the file by their names, then the test's own options over them. */
static void env_collect(struct emitter *x, const struct flat *f, struct job *job)
{
	for (size_t i = 0; i < f->n; i++) {
		const struct entry *v = &f->v[i];
		bool plain = !v->name->program && !v->name->monitor;

		if (!v->parent && plain && v->item->value->kind != NODE_MAP &&
		    v->item->value->kind != NODE_NULL && env_name(v->name->key) &&
		    !text_starts(v->name->key, "need_") && strcmp(v->name->key, "warmup") != 0 &&
		    !by_default(v))
			env_set(x, job, v->name, v->name->key,
				env_value(x, v->name->key, v->item->value));
	}
	for (size_t i = 0; i < f->n; i++) {
		const struct entry *v = &f->v[i], *of = v->parent;

		while (of && !of->name->program)
			of = of->parent;
		if (of && !strcmp(of->name->key, job->test) && v->item->value->kind != NODE_MAP &&
		    v->item->value->kind != NODE_NULL)
			env_set(x, job, v->name, env_key(x, v->name->key),
				env_value(x, v->name->key, v->item->value));
	}
}

static bool of_test(const struct entry *parent, const struct job *job)
{
	return parent->name->program && !strcmp(parent->name->key, job->test);
}

static int times_read(const struct flat *f, struct job *job, struct err *e)
{
	struct err why = {};
	uint64_t secs;

	for (size_t i = 0; i < f->n; i++) {
		const struct entry *v = &f->v[i];
		const struct node *n = v->item->value;

		/* A program may have its own idea of `timeout`. */
		if (!node_scalar(n) || !n->text)
			continue;
		if (!v->parent && !strcmp(v->name->key, "timeout") &&
		    value_time(n->text, &job->deadline_secs, &why) < 0)
			return node_err(&n->at, e, "%s", why.text);
		if (!strcmp(v->name->key, "runtime") && (!v->parent || of_test(v->parent, job)) &&
		    value_time(n->text, &secs, &why) == 0)
			job->runtime_secs = secs;
	}
	return 0;
}

/* Needs and limits say where and how long, not what is measured. */
static bool identifies(const struct node_item *item)
{
	return !text_starts(item->key, "need_") && strcmp(item->key, "timeout") != 0 &&
	       !(item->origin & ORIGIN_DEFAULT) && item->origin != ORIGIN_IMPLICIT;
}

static const char *canonical(struct emitter *x, const struct node *tree)
{
	struct node_item item[256], *more = tree->n > COUNT(item) ?
		mem_zero(tree->n, sizeof(*more)) : item;
	struct node own = { .kind = NODE_MAP, .item = more };
	_text_ struct text t = {};

	for (size_t i = 0; i < tree->n; i++)
		if (identifies(&tree->item[i]))
			own.item[own.n++] = tree->item[i];
	node_print_json(&own, &t);
	if (more != item)
		free(more);
	return arena_text_n(x->a, text_str(&t), t.len);
}

int job_emit(struct emitter *x, const struct node *tree, const struct node_item *const *axis,
	     size_t n_axis, struct job **out, struct err *e)
{
	struct job *job = arena_get(x->a, sizeof(*job));
	struct flat f = {};
	int r;

	x->serial++;
	flatten(x, tree, NULL, 0, &f);
	parents_resolve(&f);
	params_collect(x, &f, axis, n_axis, job);
	job->name = job_name(x, tree, job);
	job->file = x->file;
	job->line = tree->at.line;
	programs_collect(x, &f, job);
	test_choose(tree, job, x);
	env_collect(x, &f, job);
	for (size_t i = 0; i < f.n; i++)
		if (f.v[i].item->value->kind != NODE_MAP &&
		    f.v[i].item->origin != ORIGIN_IMPLICIT && !by_default(&f.v[i]))
			param_add(x, &job->all, f.v[i].path, text_of(x, f.v[i].item->value));
	job->warmup = node_text_of(tree, "warmup");
	job->canonical = canonical(x, tree);
	r = times_read(&f, job, e);
	free(f.v);
	if (r < 0 || job_needs_read(x->a, tree, &job->needs, e) < 0)
		return -e->code;
	*out = job;
	return 0;
}
