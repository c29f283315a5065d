/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Comparisons as tables: N columns (kernels, machines, sizes: any axis), of which
 * the first is the base; a row per metric.  Text for people who paste it into
 * mails: ASCII, at most 100 columns wide.  Labels and names may be hostile.
 *
 * Rows come headlines first, then by change over noise.  Watched rows without a
 * verdict are left out and counted.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/text.h"
#include "judge/verdict.h"

struct table_row {
	const char *group;		/* the job; NULL: none. Rows of a group stand together */
	struct verdict_metric metric;
	const struct verdict_result *vs;	/* columns 1, 2, ... against column 0 */
	bool unconfirmed;		/* beyond chance, but no headline of its job changed */
};

/* An axis on which the columns differ beside the one that is compared. */
struct table_axis {
	const char *name;
	const char *const *value;	/* one per column; NULL: not known there */
};

struct table {
	const char *title;		/* NULL: none */
	const char *const *label;	/* one per column */
	size_t n_columns;		/* at least 2 */
	const struct table_row *row;
	size_t n_rows;
	const struct table_axis *axis;
	size_t n_axes;
	bool all;			/* hide no row */
};

/* Appends the table as text. */
void table_put_text(const struct table *t, struct text *out);

/*
 * Every format has every figure that the text shows; csv and json have all of the
 * judge's.  html is one page that needs no other file and no script.
 */
enum table_format { TABLE_TEXT, TABLE_JSON, TABLE_CSV, TABLE_MARKDOWN, TABLE_HTML, TABLE_FORMATS };

/* "text", "json", "csv", "markdown", "html"; TABLE_FORMATS: no such word. */
enum table_format table_format_find(const char *word);
void table_put(const struct table *t, enum table_format format, struct text *out);

/* The same as a JSON value: an array of comparisons. Caller releases. */
struct json_t;
struct json_t *table_json(const struct table *t);

/* One number of a cell, as the text has it: "299674", "38.3", "absent". At least 32 bytes. */
void table_mean(const struct verdict_column *c, char mean[32]);

/*
 * Copies of @n labels, each at most @width (>= 8) columns and made visible, that
 * differ wherever the labels do. Caller frees each, and the vector.
 */
char **table_cut_labels(const char *const *label, size_t n, size_t width);

/* Which rows are shown, in their order; returns how many, and the rest as @hidden. */
size_t table_order(const struct table *t, const struct table_row ***rows, size_t *hidden);
