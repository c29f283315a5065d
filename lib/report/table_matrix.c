/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "judge/many.h"
#include "report/table_matrix.h"
#include "report/table_scan.h"

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct matrix_row *)a)->name, ((const struct matrix_row *)b)->name);
}

struct reading {
	struct matrix *m;
	size_t sources, longest;
};

/* A value that is no number has no place among numbers: the row is left out. */
static void row_add(void *arg, struct scan_array *a)
{
	struct reading *r = arg;
	struct matrix *m = r->m;

	if (!strcmp(a->name, "stats_source"))
		r->sources = a->n;
	r->longest = a->n > r->longest ? a->n : r->longest;
	if (!a->numbers) {
		free(a->name);
		free(a->v);
		return;
	}
	GROW(m->row, m->n);
	m->row[m->n++] = (struct matrix_row){ a->name, a->v, a->n };
}

static void incomplete_read(struct matrix *m)
{
	const struct matrix_row *r = matrix_find(m, "last_state.is_incomplete_run");

	if (!r)
		return;
	m->incomplete = mem_zero(m->runs, sizeof(*m->incomplete));
	for (size_t i = 0; i < r->n && i < m->runs; i++)
		m->incomplete[i] = r->v[i] == 1;
}

void matrix_sort(struct matrix *m)
{
	if (m->n)
		qsort(m->row, m->n, sizeof(*m->row), by_name);
}

int matrix_read(struct matrix *m, const char *label, const char *text, size_t n, struct err *e)
{
	struct reading reading = { .m = m };
	int r;

	*m = (struct matrix){ .label = text_copy(label) };
	r = scan_arrays(text, n, row_add, &reading, e);
	m->runs = reading.sources ? reading.sources : reading.longest;
	matrix_sort(m);
	for (size_t i = 1; i < m->n && !r; i++)
		if (!strcmp(m->row[i].name, m->row[i - 1].name))
			r = err_set(e, EINVAL, "'%.80s' comes twice", m->row[i].name);
	incomplete_read(m);
	return r;
}

void matrix_release(struct matrix *m)
{
	for (size_t i = 0; i < m->n; i++) {
		free(m->row[i].name);
		free(m->row[i].v);
	}
	free(m->row);
	free(m->incomplete);
	free(m->label);
	*m = (struct matrix){};
}

const struct matrix_row *matrix_find(const struct matrix *m, const char *name)
{
	struct matrix_row key = { .name = (char *)name };

	return m->n ? bsearch(&key, m->row, m->n, sizeof(key), by_name) : NULL;
}

/* Without interleaving known, run i of each side is taken to be the i-th round. */
static size_t runs_make(struct verdict_run *run, const struct matrix *m, const struct matrix_row *r,
			int side)
{
	size_t n = 0;

	for (size_t i = 0; r && i < r->n; i++) {
		if (m->incomplete && i < m->runs && m->incomplete[i])
			continue;
		/* A B B A */
		run[n++] = (struct verdict_run){ r->v[i], (uint32_t)(2 * i) + (uint32_t)side,
						 (int64_t)(2 * i) + (side ^ (int)(i % 2)) };
	}
	return n;
}

/*
 * Looking a name up takes longer than to judge it, and jobs have the same ones: the last
 * job's rows, by name as well, are gone through beside this one's.
 */
static struct verdict_metric metric_of(const char *name, struct matrix_rows *rows)
{
	const struct dictionary_entry *d;
	struct verdict_metric m = { .name = name };
	int c = -1;

	while (rows->known < rows->job && (c = strcmp(rows->row[rows->known].metric.name, name)) < 0)
		rows->known++;
	if (c == 0) {
		m = rows->row[rows->known].metric;
		m.name = name;
		return m;
	}
	d = dictionary_find(name);
	if (d) {
		m.unit = d->unit;
		m.better = d->better;
		m.floor = d->floor;
	}
	m.headline = d ? d->role == ROLE_HEADLINE :
		!lkp_is_monitor(name) && !lkp_is_failure(name) && !strstr(name, ".time.");
	return m;
}

struct pair {
	const struct matrix *base, *head;
	const char *group;
	struct matrix_rows *rows;
};

static int failures_judge(struct verdict_case *c, const struct pair *p, const struct matrix_row *a,
			  const struct matrix_row *b)
{
	c->a.tried = (unsigned int)p->base->runs;
	c->b.tried = (unsigned int)p->head->runs;
	for (size_t i = 0; a && i < a->n; i++)
		c->a.failed += a->v[i] > 0;
	for (size_t i = 0; b && i < b->n; i++)
		c->b.failed += b->v[i] > 0;
	c->a.n_runs = c->b.n_runs = 0;
	return 0;
}

static int row_judge(const struct pair *p, const struct matrix_row *a, const struct matrix_row *b,
		     struct verdict_run *run_a, struct verdict_run *run_b, struct err *e)
{
	struct matrix_rows *rows = p->rows;
	struct verdict_case c = {
		.a = { run_a, runs_make(run_a, p->base, a, 0) },
		.b = { run_b, runs_make(run_b, p->head, b, 1) },
		.metric = metric_of(a ? a->name : b->name, rows),
		.options = { .unit = UNIT_BOOT },
	};

	if (lkp_is_failure(c.metric.name))
		failures_judge(&c, p, a, b);
	GROW(rows->row, rows->n);
	GROW(rows->result, rows->n);
	rows->row[rows->n] = (struct table_row){ .group = p->group, .metric = c.metric };
	return verdict_judge(&c, &rows->result[rows->n++], e);
}

static size_t longest_row(const struct matrix *m)
{
	size_t n = 1;

	for (size_t i = 0; i < m->n; i++)
		n = m->row[i].n > n ? m->row[i].n : n;
	return n;
}

int matrix_judge(const struct matrix *base, const struct matrix *head, const char *group,
		 struct matrix_rows *rows, struct err *e)
{
	_free_ struct verdict_run *run_a = mem_zero(longest_row(base), sizeof(*run_a));
	_free_ struct verdict_run *run_b = mem_zero(longest_row(head), sizeof(*run_b));
	struct pair p = { base, head, group, rows };

	rows->known = rows->last;
	rows->job = rows->last = rows->n;
	for (size_t i = 0, j = 0; i < base->n || j < head->n;) {
		int c = i == base->n ? 1 : j == head->n ? -1 :
			strcmp(base->row[i].name, head->row[j].name);

		if (row_judge(&p, c <= 0 ? &base->row[i] : NULL, c >= 0 ? &head->row[j] : NULL, run_a,
			      run_b, e) < 0)
			return -e->code;
		i += c <= 0;
		j += c >= 0;
	}
	return 0;
}

void matrix_explain(struct matrix_rows *rows)
{
	_free_ struct many_row *many = mem_zero(rows->n, sizeof(*many));

	for (size_t i = 0; i < rows->n; i++) {
		rows->row[i].vs = &rows->result[i];
		many[i] = (struct many_row){ .r = &rows->result[i], .metric = &rows->row[i].metric };
	}
	many_headlines(many, rows->n);
	for (size_t from = 0, to; from < rows->n; from = to) {
		for (to = from; to < rows->n && rows->row[to].group == rows->row[from].group; to++)
			;
		many_judge(many + from, to - from);
	}
	for (size_t i = 0; i < rows->n; i++) {
		const struct verdict_result *r = &rows->result[i];

		/* A failure that the base never had is told, though chance may explain it. */
		rows->row[i].unconfirmed = many[i].unconfirmed ||
			(r->verdict == VERDICT_UNSURE && r->b.failed && r->a.tried && !r->a.failed &&
			 !r->b.runs);
	}
}

void matrix_rows_release(struct matrix_rows *rows)
{
	free(rows->row);
	free(rows->result);
	*rows = (struct matrix_rows){};
}
