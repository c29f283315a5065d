/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "cmd.h"
#include "compare_matrix.h"
#include "job/arena.h"
#include "job/node.h"
#include "report/table_matrix.h"

/* The files of one job. */
struct group {
	char *rest;
	struct matrix *m;
	size_t n;
};

struct groups {
	struct group *v;
	size_t n;
};

static void groups_free(struct groups *g)
{
	for (size_t i = 0; i < g->n; i++) {
		for (size_t k = 0; k < g->v[i].n; k++)
			matrix_release(&g->v[i].m[k]);
		free(g->v[i].m);
		free(g->v[i].rest);
	}
	free(g->v);
}

static struct group *group_of(struct groups *g, const char *rest)
{
	for (size_t i = 0; i < g->n; i++)
		if (!strcmp(g->v[i].rest, rest))
			return &g->v[i];
	GROW(g->v, g->n);
	g->v[g->n] = (struct group){ .rest = text_copy(rest) };
	return &g->v[g->n++];
}

static int file_add(struct groups *g, const char *path, struct err *e)
{
	const char *base = path_base(path);
	size_t length = strcspn(base, ".");
	_free_ char *label = text_format("%.*s", (int)length, base);
	struct group *group = group_of(g, base + length + (base[length] == '.'));
	_text_ struct text t = {};

	if (file_read(AT_FDCWD, path, MATRIX_MAX_BYTES, &t, e) < 0)
		return -e->code;
	GROW(group->m, group->n);
	if (matrix_read(&group->m[group->n++], label, text_str(&t), t.len, e) < 0)
		return err_in(e, "%s", path);
	return 0;
}

/* Every job has the same columns, or there is no table of all of them. */
static int groups_check(const struct groups *g, struct err *e)
{
	for (size_t i = 0; i < g->n; i++) {
		const struct group *x = &g->v[i];

		if (x->n < 2)
			return err_set(e, EINVAL, "%s.%s: nothing to compare with: no other file "
				       "ends in .%s", x->m[0].label, x->rest, x->rest);
		for (size_t k = 0; k < x->n; k++)
			if (x->n != g->v[0].n || strcmp(x->m[k].label, g->v[0].m[k].label))
				return err_set(e, EINVAL, "%s has other columns than %s",
					       x->rest, g->v[0].rest);
	}
	return 0;
}

struct axes {
	struct arena arena;
	struct matrix_axis *v;
	size_t n;
};

static int axes_read(struct axes *a, const char *path, struct err *e)
{
	struct node *root;

	if (node_load_file(&a->arena, path, &root, e) < 0)
		return -e->code;
	if (root->kind != NODE_MAP)
		return err_set(e, EINVAL, "%s: not a map of axes", path);
	a->v = mem_zero(root->n, sizeof(*a->v));
	for (size_t i = 0; i < root->n; i++) {
		const struct node_item *item = &root->item[i];

		if (!node_scalar(item->value) || !item->value->text)
			return err_set(e, EINVAL, "%s: line %u: an axis has one value", path,
				       item->at.line);
		a->v[a->n++] = (struct matrix_axis){ item->key, item->value->text };
	}
	return 0;
}

static int put_lkp(const struct groups *g, const struct axes *a,
		   const struct compare_matrix_opts *o, struct text *out)
{
	struct lkp_options lkp = { .profile = LKP_PROFILE_SHARE, .more = o->more };

	for (size_t i = 0; i < g->n; i++)
		table_put_lkp(g->v[i].m, g->v[i].n, a->v, a->n, &lkp, out);
	return EXIT_SAME;
}

/* "compiler=gcc-12 size=512G": what all columns share, in lines of @width. Caller frees. */
static char *title_make(const struct axes *a, size_t width)
{
	_text_ struct text t = {};
	size_t line = 0;

	for (size_t i = 0; i < a->n; i++) {
		_free_ char *one = text_format("%s=%s", a->v[i].name, a->v[i].value);

		if (i && t.len + 1 + strlen(one) - line > width) {
			text_putc(&t, '\n');
			line = t.len;
		} else if (i) {
			text_putc(&t, ' ');
		}
		text_put_visible(&t, one, strlen(one), true);
	}
	return t.len ? text_steal(&t) : NULL;
}

static bool is_worse(const struct matrix_rows *rows)
{
	for (size_t i = 0; i < rows->n; i++)
		if (rows->result[i].verdict == VERDICT_BROKEN ||
		    (rows->row[i].metric.headline &&
		     rows->result[i].verdict == VERDICT_REGRESSION))
			return true;
	return false;
}

/* One head against the base, all jobs in one table. */
static int put_column(const struct groups *g, size_t column, const char *title,
		      const struct compare_matrix_opts *o, bool *worse, struct text *out,
		      struct err *e)
{
	_matrix_rows_ struct matrix_rows rows = {};
	const char *label[] = { g->v[0].m[0].label, g->v[0].m[column].label };
	struct table t = { .title = title, .label = label, .n_columns = 2, .all = o->all };

	for (size_t i = 0; i < g->n; i++)
		if (matrix_judge(&g->v[i].m[0], &g->v[i].m[column], g->n > 1 ? g->v[i].rest : NULL,
				 &rows, e) < 0)
			return err_in(e, "%s", g->v[i].rest);
	matrix_explain(&rows);
	t.row = rows.row;
	t.n_rows = rows.n;
	table_put(&t, o->format, out);
	*worse |= is_worse(&rows);
	return 0;
}

int compare_matrix(const struct compare_matrix_opts *o, struct text *out, struct err *e)
{
	_cleanup_(groups_free) struct groups g = {};
	_free_ struct matrix_axis *owned = NULL;
	_free_ char *title = NULL;
	struct axes axes = {};
	bool worse = false;
	int r = 0;

	for (size_t i = 0; i < o->n && !r; i++)
		r = file_add(&g, o->file[i], e);
	if (!r)
		r = groups_check(&g, e);
	if (!r && o->axes)
		r = axes_read(&axes, o->axes, e);
	owned = axes.v;
	/* Only text has lines. */
	title = title_make(&axes, o->format == TABLE_TEXT ? 100 : SIZE_MAX);
	if (!r && o->lkp)
		r = put_lkp(&g, &axes, o, out);
	for (size_t k = 1; !r && !o->lkp && k < g.v[0].n; k++)
		r = put_column(&g, k, title, o, &worse, out, e);
	arena_release(&axes.arena);
	return r < 0 ? r : worse ? EXIT_WORSE : EXIT_SAME;
}
