/* SPDX-License-Identifier: GPL-2.0-or-later */
/* LKP's own table: its widths, roundings and order, so that people read what they know. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/table_matrix.h"

#define ABS_WIDTH	10
#define REL_WIDTH	10
#define ERR_WIDTH	6
#define FIRST_WIDTH	(ABS_WIDTH + ERR_WIDTH)
#define NEXT_WIDTH	(FIRST_WIDTH + REL_WIDTH + 1)

struct line {
	const char *name;
	bool failure, absolute;
	long base_rank;		/* changed metrics of the same source; tests come first */
	double *mean, *spread;	/* one per matrix; spread -1: not known */
	double *change;		/* matrices but the first */
};

struct lines {
	struct line *v;
	size_t n;
};

static double mean_of(const struct matrix_row *r, const struct matrix *m, double *spread,
		      bool failure)
{
	_free_ double *v = mem_zero(r ? r->n : 0, sizeof(*v));
	size_t n = 0;
	double mean;

	for (size_t i = 0; r && i < r->n; i++)
		if (failure || !m->incomplete || i >= m->runs || !m->incomplete[i])
			v[n++] = r->v[i];
	mean = lkp_mean(v, n, spread);
	return failure ? mean * (double)n : mean;
}

static void line_fill(struct line *l, const struct matrix *m, size_t n)
{
	l->failure = lkp_is_failure(l->name);
	l->absolute = lkp_is_absolute(l->name);
	l->mean = mem_zero(n, sizeof(*l->mean));
	l->spread = mem_zero(n, sizeof(*l->spread));
	l->change = mem_zero(n, sizeof(*l->change));
	for (size_t i = 0; i < n; i++) {
		double base;

		l->mean[i] = mean_of(matrix_find(&m[i], l->name), &m[i], &l->spread[i], l->failure);
		base = l->mean[0];
		if (l->failure)
			l->change[i] = 100 * (l->mean[i] / (double)m[i].runs -
					      base / (double)m[0].runs);
		else if (l->absolute)
			l->change[i] = l->mean[i] - base;
		else
			l->change[i] = 100 * (l->mean[i] - base) / (base == 0 ? 1e-100 : base);
	}
}

static bool is_changed(const char *name, const struct matrix *m, size_t n,
		       const struct lkp_options *o)
{
	const struct matrix_row *b = matrix_find(&m[0], name);
	struct lkp_stat s;

	for (size_t i = 1; i < n; i++) {
		const struct matrix_row *a = matrix_find(&m[i], name);

		if (lkp_changed(name, (struct lkp_values){ a ? a->v : NULL, a ? a->n : 0, m[i].runs },
				(struct lkp_values){ b ? b->v : NULL, b ? b->n : 0, m[0].runs }, o, &s))
			return true;
	}
	return false;
}

static size_t source_length(const char *name)
{
	return strcspn(name, ".");
}

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct line *)a)->name, ((const struct line *)b)->name);
}

static void lines_make(struct lines *l, const struct matrix *m, size_t n,
		       const struct lkp_options *o)
{
	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < m[i].n; k++) {
			const char *name = m[i].row[k].name;
			bool seen = false;

			for (size_t j = 0; j < i && !seen; j++)
				seen = matrix_find(&m[j], name);
			if (seen || !is_changed(name, m, n, o))
				continue;
			GROW(l->v, l->n);
			l->v[l->n] = (struct line){ .name = name };
			line_fill(&l->v[l->n++], m, n);
		}
	if (l->n)
		qsort(l->v, l->n, sizeof(*l->v), by_name);
}

/* Metrics of one source stand together, sources with few changes first, tests before all. */
static void lines_rank(struct lines *l)
{
	for (size_t i = 0, end; i < l->n; i = end) {
		size_t length = source_length(l->v[i].name);
		long rank = 0;

		for (end = i; end < l->n && source_length(l->v[end].name) == length &&
		     !strncmp(l->v[end].name, l->v[i].name, length); end++)
			rank += l->v[end].failure && end == i ? -9999 : 1;
		if (rank > 0 && !lkp_is_monitor(l->v[i].name))
			rank = 0;
		for (size_t k = i; k < end; k++)
			l->v[k].base_rank = rank;
	}
}

/* Of a profile only the kind (children, self) sorts, then the change. */
static int by_rank(const void *a, const void *b)
{
	const struct line *x = a, *y = b;
	size_t length = strlen(x->name) > strlen(y->name) ? strlen(x->name) : strlen(y->name);
	int c;

	if (x->base_rank != y->base_rank)
		return x->base_rank < y->base_rank ? -1 : 1;
	if (text_starts(x->name, "perf-profile.") && text_starts(y->name, "perf-profile."))
		length = strlen("perf-profile.") + strcspn(x->name + strlen("perf-profile."), ".") + 1;
	c = strncmp(x->name, y->name, length);
	return c ? c : (x->change[1] > y->change[1]) - (x->change[1] < y->change[1]);
}

static void put_header(const struct matrix *m, size_t n, const struct matrix_axis *axis,
		       size_t n_axes, struct text *out)
{
	text_puts(out, "================================================================"
		  "=========================\n");
	for (size_t i = 0; i < n_axes; i++)
		text_printf(out, "%s%s", i ? "/" : "", axis[i].name);
	text_puts(out, ":\n  ");
	for (size_t i = 0; i < n_axes; i++)
		text_printf(out, "%s%s", i ? "/" : "", axis[i].value);
	text_puts(out, "\n\ncommit: \n");
	for (size_t i = 0; i < n; i++)
		text_printf(out, "  %s\n", m[i].label);
	text_putc(out, '\n');
	for (size_t i = 0; i < n; i++)
		text_printf(out, "%*.*s ", i ? NEXT_WIDTH : FIRST_WIDTH,
			    i ? NEXT_WIDTH : FIRST_WIDTH, m[i].label);
	text_putc(out, '\n');
	for (size_t i = 0; i < n; i++) {
		for (int k = 0; k < (i ? NEXT_WIDTH : FIRST_WIDTH); k++)
			text_putc(out, '-');
		text_putc(out, ' ');
	}
	text_putc(out, '\n');
}

static void put_kind(struct text *out, bool failure, size_t more)
{
	static const char *const heads[2][4] = {
		{ "         %stddev", "     %change         %stddev",
		  "             \\  ", "        |                \\  " },
		{ "       fail:runs", "  %reproduction    fail:runs",
		  "           |    ", "         |             |    " },
	};

	for (int row = 0; row < 2; row++) {
		text_puts(out, heads[failure][2 * row]);
		for (size_t i = 0; i < more; i++)
			text_puts(out, heads[failure][2 * row + 1]);
		text_putc(out, '\n');
	}
}

static void put_failure(struct text *out, const struct line *l, const struct matrix *m, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (i)
			text_printf(out, l->absolute ? "%*.0f  " : "%*.0f%% ", REL_WIDTH, l->change[i]);
		if (l->mean[i] == 0)
			text_printf(out, "%*s", ABS_WIDTH + 1, "");
		else
			text_printf(out, "%*.0f", ABS_WIDTH + 1, floor(l->mean[i]));
		text_printf(out, ":%-*zu", ERR_WIDTH - 2, m[i].runs);
	}
	text_printf(out, "  %s\n", l->name);
}

static void put_value(struct text *out, double mean, double spread)
{
	if (fabs(mean) < 1000)
		text_printf(out, "%*.2f", ABS_WIDTH, mean);
	else if (fabs(mean) > 1e8)
		text_printf(out, "%*.4g", ABS_WIDTH, mean);
	else
		text_printf(out, "%*.0f", ABS_WIDTH, floor(mean));
	if (mean != 0)
		spread = 100 * spread / mean;
	if (spread > 2)
		text_printf(out, " \xc2\xb1%*.0f%%", ERR_WIDTH - 3, floor(spread));
	else
		text_printf(out, "%*s", ERR_WIDTH, "");
}

static void put_perf(struct text *out, const struct line *l, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (i && fabs(l->change[i]) < 100000)
			text_printf(out, l->absolute ? "%+*.1f  " : "%+*.1f%% ", REL_WIDTH,
				    l->change[i]);
		else if (i)
			text_printf(out, l->absolute ? "%+*.2g  " : "%+*.2g%% ", REL_WIDTH,
				    l->change[i]);
		put_value(out, l->mean[i], l->spread[i]);
	}
	text_printf(out, "  %s\n", l->name);
}

void table_put_lkp(const struct matrix *m, size_t n, const struct matrix_axis *axis,
		   size_t n_axes, const struct lkp_options *o, struct text *out)
{
	struct lines l = {};

	lines_make(&l, m, n, o);
	lines_rank(&l);
	if (l.n) {
		qsort(l.v, l.n, sizeof(*l.v), by_rank);
		put_header(m, n, axis, n_axes, out);
	}
	for (int failure = 1; failure >= 0 && l.n; failure--) {
		bool begun = false;

		for (size_t i = 0; i < l.n; i++) {
			if (l.v[i].failure != failure)
				continue;
			if (!begun)
				put_kind(out, failure, n - 1);
			begun = true;
			if (failure)
				put_failure(out, &l.v[i], m, n);
			else
				put_perf(out, &l.v[i], n);
		}
	}
	if (l.n)
		text_putc(out, '\n');
	for (size_t i = 0; i < l.n; i++) {
		free(l.v[i].mean);
		free(l.v[i].spread);
		free(l.v[i].change);
	}
	free(l.v);
}
