/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The plain table.  Two columns fit on one line with change and verdict; more are
 * printed as a block per metric, a line per column, so that no number of columns and
 * no length of label makes lines long.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/table.h"

/* 22 + 1 + 2 * 20 + 8 + 1 + 16 + 1 + "improvement" are 100. */
#define NAME_WIDTH	22
#define CELL_WIDTH	20
#define INTERVAL_WIDTH	16
#define LABEL_WIDTH	30

/* A row's rank: headlines, then change over noise; what is not known comes last. */
static double effect(const struct table_row *row, size_t n_results)
{
	double most = 0;

	for (size_t i = 0; i < n_results; i++) {
		const struct verdict_result *r = &row->vs[i];
		double x = r->verdict == VERDICT_BROKEN ? INFINITY :
			fabs(r->relative ? log1p(fmax(r->change, -0.999999)) : r->change) /
			fmax(r->noise, 1e-12);

		most = x > most ? x : most;
	}
	return most;
}

static bool is_changed(const struct table_row *row, size_t n_results)
{
	for (size_t i = 0; i < n_results; i++)
		if (row->vs[i].verdict <= VERDICT_CHANGE || row->vs[i].verdict == VERDICT_BROKEN)
			return true;
	return false;
}

struct ranked {
	const struct table_row *row;
	size_t group;			/* by first appearance */
	double effect;
};

static int by_rank(const void *a, const void *b)
{
	const struct ranked *x = a, *y = b;

	if (x->group != y->group)
		return x->group < y->group ? -1 : 1;
	if (x->row->metric.headline != y->row->metric.headline)
		return x->row->metric.headline ? -1 : 1;
	if (x->row->unconfirmed != y->row->unconfirmed)
		return y->row->unconfirmed ? -1 : 1;
	if (x->effect != y->effect)
		return x->effect > y->effect ? -1 : 1;
	return strcmp(x->row->metric.name, y->row->metric.name);
}

static bool same_group(const char *a, const char *b)
{
	return a == b || (a && b && !strcmp(a, b));
}

size_t table_order(const struct table *t, const struct table_row ***rows, size_t *hidden)
{
	_free_ struct ranked *v = mem_zero(t->n_rows, sizeof(*v));
	size_t n = 0, group = 0;

	for (size_t i = 0; i < t->n_rows; i++) {
		const struct table_row *row = &t->row[i];

		group += i && !same_group(row->group, t->row[i - 1].group);
		if (t->all || row->metric.headline || row->unconfirmed ||
		    is_changed(row, t->n_columns - 1))
			v[n++] = (struct ranked){ row, group, effect(row, t->n_columns - 1) };
	}
	if (n)
		qsort(v, n, sizeof(*v), by_rank);
	*rows = mem_zero(n, sizeof(**rows));
	for (size_t i = 0; i < n; i++)
		(*rows)[i] = v[i].row;
	*hidden = t->n_rows - n;
	return n;
}

static void put_padded(struct text *out, const char *s, size_t width)
{
	size_t len = strlen(s);

	text_puts(out, s);
	for (; len < width; len++)
		text_putc(out, ' ');
}

static void put_right(struct text *out, const char *s, size_t width)
{
	for (size_t len = strlen(s); len < width; len++)
		text_putc(out, ' ');
	text_puts(out, s);
}

void table_mean(const struct verdict_column *c, char mean[32])
{
	if (!c->runs)
		snprintf(mean, 32, "%s", c->failed ? "failed" : "absent");
	else
		snprintf(mean, 32, fabs(c->mean) < 1e5 ? "%.5g" :
			 fabs(c->mean) < 1e8 ? "%.0f" : "%.3g", c->mean);
}

/* "   299674 +-0.3% n=6": no spread for one unit, n always. */
static void put_cell(struct text *out, const struct verdict_result *r,
		     const struct verdict_column *c)
{
	unsigned int n = r->unit == UNIT_RUN ? c->runs : c->boots;
	char mean[32], spread[16] = "", count[16];

	table_mean(c, mean);
	/* Counts of failures, not values: "3:6 failed". */
	if (!c->runs && c->tried) {
		snprintf(mean, sizeof(mean), "%u:%u", c->failed, c->tried);
		snprintf(spread, sizeof(spread), " failed");
		n = c->tried;
	}
	if (!isnan(c->spread) && c->spread < 10)
		snprintf(spread, sizeof(spread), c->spread < 0.0995 ? "+-%.1f%%" : "+-%.0f%%",
			 100 * c->spread);
	snprintf(count, sizeof(count), "n=%u", n);
	put_right(out, mean, 8);
	put_right(out, spread, 7);
	text_putc(out, ' ');
	put_padded(out, count, 4);
}

static void put_verdict(struct text *out, const struct verdict_result *r, bool unconfirmed)
{
	_text_ struct text change = {}, interval = {};

	verdict_put_change(r, r->change, &change);
	if (!isnan(r->low))
		verdict_put_interval(r, &interval);
	put_right(out, text_str(&change), 8);
	text_putc(out, ' ');
	put_padded(out, text_str(&interval), INTERVAL_WIDTH);
	text_printf(out, " %s", unconfirmed ? "unconfirmed" : verdict_word(r->verdict));
}

static void trim_end(struct text *out)
{
	while (out->len && out->p[out->len - 1] == ' ')
		out->p[--out->len] = '\0';
}

static void put_name(struct text *out, const struct table_row *row, bool unit)
{
	text_put_visible(out, row->metric.name, strlen(row->metric.name), true);
	if (unit && (row->metric.unit || row->metric.better != BETTER_NONE)) {
		text_puts(out, " (");
		if (row->metric.unit)
			text_put_visible(out, row->metric.unit, strlen(row->metric.unit), true);
		if (row->metric.better != BETTER_NONE)
			text_printf(out, "%s%s is better", row->metric.unit ? ", " : "",
				    metric_better_word(row->metric.better));
		text_putc(out, ')');
	}
}

/* A name that is too long for its column gets a line for itself. */
static void put_line(struct text *out, const struct table_row *row)
{
	_text_ struct text name = {};

	put_name(&name, row, false);
	if (name.len > NAME_WIDTH) {
		text_printf(out, "%s\n", text_str(&name));
		put_padded(out, "", NAME_WIDTH);
	} else {
		put_padded(out, text_str(&name), NAME_WIDTH);
	}
	text_putc(out, ' ');
	put_cell(out, row->vs, &row->vs->a);
	put_cell(out, row->vs, &row->vs->b);
	put_verdict(out, row->vs, row->unconfirmed);
	trim_end(out);
	text_putc(out, '\n');
}

static void put_block(struct text *out, const struct table *t, const struct table_row *row,
		      char **label)
{
	put_name(out, row, true);
	text_putc(out, '\n');
	for (size_t i = 0; i < t->n_columns; i++) {
		const struct verdict_result *r = &row->vs[i ? i - 1 : 0];

		text_puts(out, "  ");
		put_padded(out, label[i], LABEL_WIDTH);
		put_cell(out, r, i ? &r->b : &r->a);
		if (i)
			put_verdict(out, r, row->unconfirmed);
		trim_end(out);
		text_putc(out, '\n');
	}
}

/* Why an undecided row is undecided; the decided ones speak for themselves. */
static void put_reasons(struct text *out, const struct table *t, const struct table_row *row,
			char **label)
{
	for (size_t i = 0; i + 1 < t->n_columns; i++) {
		const struct verdict_result *r = &row->vs[i];

		if (r->verdict != VERDICT_UNSURE && r->verdict != VERDICT_BROKEN)
			continue;
		text_puts(out, "    ");
		if (t->n_columns > 2)
			text_printf(out, "%s: ", label[i + 1]);
		text_printf(out, "%s: ", verdict_word(r->verdict));
		verdict_put_reason(r, out);
		text_putc(out, '\n');
	}
}

static void put_header(struct text *out, char **label)
{
	put_padded(out, "", NAME_WIDTH + 1);
	for (size_t i = 0; i < 2; i++) {
		put_right(out, label[i], CELL_WIDTH - 4);
		put_padded(out, "", strlen(label[i]) > CELL_WIDTH - 4 ?
			   CELL_WIDTH - strlen(label[i]) : 4);
	}
	text_puts(out, "  change 95% interval     verdict\n");
}

static void put_axes(struct text *out, const struct table *t)
{
	for (size_t k = 0; k < t->n_axes; k++) {
		text_puts(out, "also differs: ");
		text_put_visible(out, t->axis[k].name, strlen(t->axis[k].name), true);
		for (size_t i = 0; i < t->n_columns; i++) {
			const char *v = t->axis[k].value[i] ? t->axis[k].value[i] : "(not known)";

			text_puts(out, i ? " | " : ": ");
			text_put_visible(out, v, strlen(v), true);
		}
		text_putc(out, '\n');
	}
}

/* The shared facts of the comparison: its unit, and the drift of the machine. */
static void put_notes(struct text *out, const struct table_row **rows, size_t n, size_t n_results,
		      size_t hidden)
{
	bool runs = false;

	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < n_results; k++)
			runs |= rows[i]->vs[k].unit == UNIT_RUN;
	if (runs)
		text_puts(out, "n counts runs of one boot: the spread is between runs of one boot,"
			  " not between boots\n");
	for (size_t i = 0; i < n && rows[i]->metric.headline; i++) {
		const struct verdict_result *r = rows[i]->vs;

		if (isnan(r->drift))
			continue;
		text_puts(out, "drift of the base, ");
		text_put_visible(out, rows[i]->metric.name, strlen(rows[i]->metric.name), true);
		text_puts(out, ": ");
		verdict_put_change(r, r->drift, out);
		text_putc(out, '\n');
	}
	if (hidden)
		text_printf(out, "%zu %s did not change\n", hidden, hidden == 1 ? "row" : "rows");
}

void table_put_text(const struct table *t, struct text *out)
{
	_free_ const struct table_row **rows = NULL;
	size_t hidden, n = table_order(t, &rows, &hidden);
	bool pair = t->n_columns == 2;
	char **label = table_cut_labels(t->label, t->n_columns,
					pair ? CELL_WIDTH - 1 : LABEL_WIDTH);

	if (t->title)
		text_printf(out, "%s\n", t->title);
	put_axes(out, t);
	for (size_t i = 0; i < n; i++) {
		if (i == 0 || !same_group(rows[i]->group, rows[i - 1]->group)) {
			if (rows[i]->group) {
				text_put_visible(out, rows[i]->group, strlen(rows[i]->group), true);
				text_putc(out, '\n');
			}
			if (pair)
				put_header(out, label);
		}
		if (pair)
			put_line(out, rows[i]);
		else
			put_block(out, t, rows[i], label);
		if (rows[i]->metric.headline)
			put_reasons(out, t, rows[i], label);
	}
	put_notes(out, rows, n, t->n_columns - 1, hidden);
	for (size_t i = 0; i < t->n_columns; i++)
		free(label[i]);
	free(label);
}
