/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * From a job file to its jobs.
 *
 * Document 0 alone, then each other one laid over document 0, is a tree. The
 * first list under an option in the tree's order is replaced by each of its
 * values in turn, and so on inwards; an expression is replaced by its value
 * when its turn comes, so it sees the values of the axes before it.
 */
#include <errno.h>
#include <string.h>

#include "base/file.h"
#include "job/defaults.h"
#include "job/emit.h"
#include "job/revise.h"
#include "job/source.h"
#include "job/spell.h"

#define JOBS_MAX 100000
#define AXES_MAX 100
#define MEMORY_MAX (512U << 20)
#define WORK_MAX 20000000U	/* keys looked at */

struct expansion {
	struct arena *a;
	struct names names;
	struct defaults defaults;
	struct emitter emitter;
	const struct job_options *opts;
	struct job_list *list;
	const struct node_item *axis[AXES_MAX];
	size_t n_axis;
	size_t work;
};

static int jobs_of(struct expansion *x, struct node *tree, struct err *e);

/* The first thing in the file's order that is not one value yet. */
static struct node_item *open_item(struct expansion *x, struct node *map)
{
	x->work += map->n;
	for (size_t i = 0; i < map->n; i++) {
		struct node_item *item = &map->item[i], *in;
		struct node *v = item->value;

		if (v->expression)
			return item;
		if (v->kind == NODE_LIST && name_axis(&x->names, name_of(&x->names, item->key)))
			return item;
		if (v->kind != NODE_MAP)
			continue;
		in = open_item(x, v);
		if (in)
			return in;
	}
	return NULL;
}

static int axis_expand(struct expansion *x, struct node *tree, struct node_item *item,
		       struct err *e)
{
	struct node *list = item->value;
	int r = 0;

	if (!list->n)
		return node_err(&list->at, e, "'%s' has no value to take", item->key);
	if (x->n_axis == AXES_MAX)
		return node_err(&list->at, e, "more than %d lists", AXES_MAX);
	x->axis[x->n_axis++] = item;
	for (size_t i = 0; !r && i < list->n; i++) {
		item->value = list->item[i].value;
		r = jobs_of(x, tree, e);
	}
	item->value = list;
	x->n_axis--;
	return r;
}

/* "head{{ expression }}tail" */
struct braces {
	size_t head, from, to, tail;	/* offsets; tail: of what follows */
};

static bool braces_find(const char *s, struct braces *b)
{
	const char *open = NULL, *close = NULL;

	for (const char *p = s; *p; p++) {
		if (p[0] == '{' && p[1] == '{')
			open = p;
		if (p[0] == '}' && p[1] == '}')
			close = p;
	}
	if (!open || !close || close < open + 2)
		return false;
	*b = (struct braces){ .head = (size_t)(open - s), .from = (size_t)(open - s) + 2,
			      .to = (size_t)(close - s), .tail = (size_t)(close - s) + 2 };
	return true;
}

static struct node *braces_join(struct arena *a, const struct node *v, const struct braces *b,
				const struct node *value)
{
	const char *head = v->text + strspn(v->text, " \n\t");
	size_t n_head = b->head - (size_t)(head - v->text), n_tail = strlen(v->text + b->tail);
	struct node *n;
	_text_ struct text t = {};

	if ((size_t)(head - v->text) > b->head)
		n_head = 0;
	while (n_tail && strchr(" \n\t", v->text[b->tail + n_tail - 1]))
		n_tail--;
	if (!n_head && !n_tail) {
		n = node_copy(a, value);
		n->at = v->at;
		return n;
	}
	text_put(&t, head, n_head);
	expr_print(value, &t);
	text_put(&t, v->text + b->tail, n_tail);
	n = node_make(a, NODE_TEXT, &v->at);
	n->text = arena_text_n(a, text_str(&t), t.len);
	return n;
}

static int expression_expand(struct expansion *x, struct node *tree, struct node_item *item,
			     struct err *e)
{
	struct expr_scope scope = { .job = tree, .host = x->opts->host };
	struct node *v = item->value;
	const struct node *value;
	struct place_at at = v->at;
	struct braces b;
	int r;

	if (!braces_find(v->text, &b))
		return node_err(&v->at, e, "'{{' without '}}'");
	at.column += (unsigned)b.from;
	if (!v->parsed && expr_parse(x->a, v->text + b.from, b.to - b.from, &at, &v->parsed, e) < 0)
		return -e->code;
	if (expr_eval(x->a, v->parsed, &scope, &value, e) < 0)
		return -e->code;
	if (value->kind == NODE_NULL)
		return 0;	/* nil: no such job */
	item->value = braces_join(x->a, v, &b, value);
	item->value->expression = false;
	r = jobs_of(x, tree, e);
	item->value = v;
	return r;
}

/*
 * Defaults that hang on the value of an axis are known only now: `md: [RAID0,
 * RAID5]` needs other options of the kernel for each.
 */
static int late_defaults(struct expansion *x, struct node **tree, struct err *e)
{
	struct node *brought;
	bool late = false;

	for (size_t i = 0; i < x->n_axis; i++)
		late |= defaults_has(&x->defaults, x->axis[i]->key);
	if (!late)
		return 0;
	if (defaults_of(&x->defaults, *tree, true, &brought, e) < 0)
		return -e->code;
	*tree = node_copy(x->a, *tree);
	return revise(x->a, *tree, brought, false, e);
}

static int leaf(struct expansion *x, struct node *tree, struct err *e)
{
	struct job *job;

	if (late_defaults(x, &tree, e) < 0 ||
	    job_emit(&x->emitter, tree, x->axis, x->n_axis, &job, e) < 0)
		return -e->code;
	GROW(x->list->job, x->list->n);
	x->list->job[x->list->n++] = job;
	return 0;
}

/* A small file may stand for more than any machine can hold. */
static int budget_check(const struct expansion *x, struct err *e)
{
	if (x->list->n < JOBS_MAX && x->a->total < MEMORY_MAX && x->work < WORK_MAX)
		return 0;
	return err_set(e, E2BIG, "%s: too many combinations: %zu jobs, %zu MiB so far",
		       x->emitter.file, x->list->n, x->a->total >> 20);
}

static int jobs_of(struct expansion *x, struct node *tree, struct err *e)
{
	struct node_item *item = open_item(x, tree);

	if (budget_check(x, e) < 0)
		return -e->code;
	if (!item)
		return leaf(x, tree, e);
	return item->value->expression ? expression_expand(x, tree, item, e) :
	       axis_expand(x, tree, item, e);
}

/* `--set key=value`: the value as YAML, in one line. */
static int overrides(struct expansion *x, struct node *map, struct err *e)
{
	for (size_t i = 0; i < x->opts->n_set; i++) {
		const struct job_param *p = &x->opts->set[i];
		const char *value = arena_text(x->a, p->value ? p->value : "");
		struct node_text text = { value, strlen(value), p->key };
		struct place_at at = { p->key, 1, 1 };
		struct node_docs docs;
		struct node_item item = { .key = arena_text(x->a, p->key), .at = at };

		text.file = item.at.file = item.key;
		if (node_load(x->a, &text, &docs, e) < 0)
			return err_in(e, "--set");
		item.value = docs.n ? docs.doc[0] : node_make(x->a, NODE_NULL, &item.at);
		node_put(x->a, map, &item);
	}
	return 0;
}

static void implicit_add(struct expansion *x, struct node *tree)
{
	struct node_item item = { .key = "arch", .at = tree->at, .origin = ORIGIN_IMPLICIT };

	if (node_find(tree, "arch") || !x->opts->host || !x->opts->host->arch)
		return;
	item.value = node_make(x->a, NODE_TEXT, &tree->at);
	item.value->text = arena_text(x->a, x->opts->host->arch);
	node_put(x->a, tree, &item);
}

static int doc_expand(struct expansion *x, const struct node *first, const struct node *over,
		      struct err *e)
{
	struct node *tree = node_copy(x->a, first), *set = node_make(x->a, NODE_MAP, &first->at);
	struct node *all, *brought;

	implicit_add(x, tree);
	all = node_copy(x->a, tree);
	if (overrides(x, set, e) < 0 || revise(x->a, all, over, true, e) < 0 ||
	    revise(x->a, all, set, true, e) < 0 || names_declare(&x->names, all, e) < 0 ||
	    defaults_of(&x->defaults, all, false, &brought, e) < 0 ||
	    revise(x->a, tree, brought, false, e) < 0 || revise(x->a, tree, over, true, e) < 0 ||
	    revise(x->a, tree, set, true, e) < 0 || names_declare(&x->names, tree, e) < 0)
		return -e->code;
	if (over)
		tree->at = over->at;
	if (spell_check(&x->names, tree, e) < 0)
		return -e->code;
	x->n_axis = 0;
	return jobs_of(x, tree, e);
}

static int doc_check(struct node *doc, struct err *e)
{
	if (doc->kind == NODE_NULL)
		doc->kind = NODE_MAP;
	if (doc->kind != NODE_MAP)
		return node_err(&doc->at, e, "a job file is lines of 'key: value'");
	return 0;
}

static int docs_expand(struct expansion *x, const struct source *s, struct err *e)
{
	struct node_text text = { text_str(&s->bytes), s->bytes.len, x->emitter.file, s->lines,
				  s->n_lines };
	struct node_docs docs;

	if (node_load(x->a, &text, &docs, e) < 0)
		return -e->code;
	if (!docs.n)
		return err_set(e, EINVAL, "%s:1:1: nothing in it", x->emitter.file);
	for (size_t i = 0; i < docs.n; i++)
		if (doc_check(docs.doc[i], e) < 0 ||
		    doc_expand(x, docs.doc[0], i ? docs.doc[i] : NULL, e) < 0)
			return -e->code;
	return 0;
}

static const char *base_name(struct arena *a, const char *path)
{
	const char *base = path_base(path);
	size_t n = strlen(base);

	return arena_text_n(a, base, n - (text_ends(base, ".yaml") ? strlen(".yaml") : 0));
}

int job_expand(const char *path, const struct job_options *opts, struct job_list *list,
	       struct err *e)
{
	struct arena *a = list->own ? list->own : mem_zero(1, sizeof(*a));
	_free_ char *real = realpath(path, NULL);
	_free_ char *root = real ? source_root(real) : NULL;
	_source_ struct source s = {};
	struct expansion x = {
		.a = a, .opts = opts, .list = list,
		.names = { .a = a, .roots = opts->roots },
		.defaults = { .a = a, .names = &x.names, .host = opts->host },
		.emitter = { .a = a, .names = &x.names, .host = opts->host,
			     .base = base_name(a, path), .file = arena_text(a, path) },
	};

	list->own = a;
	if (!real)
		return err_sys(e, "%s", path);
	/* A job file brings the programs and includes of the tree it lies in. */
	if (job_roots_add(opts->roots, root, e) < 0 ||
	    source_read(a, opts->roots, path, &s, e) < 0 ||
	    defaults_open(&x.defaults, opts->roots, e) < 0)
		return -e->code;
	return docs_expand(&x, &s, e);
}

void job_list_release(struct job_list *list)
{
	if (list->own)
		arena_release(list->own);
	free(list->own);
	free(list->job);
	*list = (struct job_list){};
}

const char *job_param_get(const struct job_params *params, const char *key)
{
	for (size_t i = 0; i < params->n; i++)
		if (!strcmp(params->v[i].key, key))
			return params->v[i].value;
	return NULL;
}

const char *job_get(const struct job *job, const char *key)
{
	return job_param_get(&job->all, key);
}
