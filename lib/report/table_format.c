/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tables for programs, for issue trackers and for browsers. */
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/table.h"
#include "report/table_markup.h"

static const char *or_empty(const char *s)
{
	return s ? s : "";
}

static unsigned int count_of(const struct verdict_result *r, const struct verdict_column *c)
{
	return r->unit == UNIT_RUN ? c->runs : c->boots;
}

static const char *unit_word(const struct verdict_result *r)
{
	return r->unit == UNIT_RUN ? "run" : r->unit == UNIT_PAIR ? "pair" : "boot";
}

/* ---- All figures of a comparison, once for CSV and JSON ---- */

struct figure {
	const char *name;
	double value;		/* NaN: not known */
};

#define MAX_FIGURES 40

static size_t figures(const struct verdict_result *r, struct figure f[MAX_FIGURES])
{
	const struct figure all[] = {
		{ "change", r->change }, { "low", r->low }, { "high", r->high },
		{ "change_of_means", r->change_of_means }, { "without_first", r->without_first },
		{ "p", r->p }, { "df", r->df }, { "noise", r->noise },
		{ "drift", r->drift }, { "drift_error", r->drift_error },
		{ "shift", r->shift }, { "permutation_p", r->permutation_p },
		{ "fisher_p", r->fisher_p }, { "needed", r->needed },
		{ "same_bound", r->same_bound }, { "alpha", r->alpha },
		{ "base_mean", r->a.mean }, { "base_spread", r->a.spread },
		{ "base_within", r->a.within }, { "base_boots", r->a.boots },
		{ "base_runs", r->a.runs }, { "base_tried", r->a.tried },
		{ "base_failed", r->a.failed },
		{ "mean", r->b.mean }, { "spread", r->b.spread }, { "within", r->b.within },
		{ "boots", r->b.boots }, { "runs", r->b.runs }, { "tried", r->b.tried },
		{ "failed", r->b.failed }, { "boots_wanted", r->boots_wanted },
	};

	_Static_assert(COUNT(all) <= MAX_FIGURES, "room for all");
	memcpy(f, all, sizeof(all));
	return COUNT(all);
}

static void put_csv(const struct table *t, struct text *out)
{
	_free_ const struct table_row **rows = NULL;
	struct figure f[MAX_FIGURES];
	size_t hidden, n = table_order(t, &rows, &hidden), k = figures(&(struct verdict_result){}, f);

	text_puts(out, "job,metric,unit,better,headline,base,column,verdict,reason,unconfirmed,"
		  "unit_of_repetition,relative");
	for (size_t i = 0; i < k; i++)
		text_printf(out, ",%s", f[i].name);
	text_puts(out, "\r\n");
	for (size_t i = 0; i < n * (t->n_columns - 1); i++) {
		const struct table_row *row = rows[i / (t->n_columns - 1)];
		size_t column = i % (t->n_columns - 1);
		const struct verdict_result *r = &row->vs[column];
		_text_ struct text reason = {};
		const char *texts[] = { or_empty(row->group), row->metric.name,
			or_empty(row->metric.unit), metric_better_word(row->metric.better),
			row->metric.headline ? "yes" : "no", t->label[0], t->label[column + 1],
			verdict_word(r->verdict), NULL, row->unconfirmed ? "yes" : "no",
			unit_word(r), r->relative ? "yes" : "no" };

		verdict_put_reason(r, &reason);
		texts[8] = text_str(&reason);
		for (size_t j = 0; j < COUNT(texts); j++) {
			text_puts(out, j ? "," : "");
			csv_put(out, texts[j]);
		}
		for (size_t j = 0; j < figures(r, f); j++) {
			text_putc(out, ',');
			if (isfinite(f[j].value))
				text_printf(out, "%.12g", f[j].value);
		}
		text_puts(out, "\r\n");
	}
}

/* Text of any origin as JSON, which must be UTF-8. */
static json_t *string(const char *s)
{
	_text_ struct text t = {};

	if (!s)
		return json_null();
	text_put_visible(&t, s, strlen(s), true);
	return json_string(text_str(&t));
}

static json_t *comparison_json(const struct table *t, const struct table_row *row, size_t column)
{
	const struct verdict_result *r = &row->vs[column];
	_text_ struct text reason = {};
	struct figure f[MAX_FIGURES];
	json_t *o = json_object();

	verdict_put_reason(r, &reason);
	json_object_set_new(o, "job", string(row->group));
	json_object_set_new(o, "metric", string(row->metric.name));
	json_object_set_new(o, "unit", string(row->metric.unit));
	json_object_set_new(o, "better", string(metric_better_word(row->metric.better)));
	json_object_set_new(o, "headline", json_boolean(row->metric.headline));
	json_object_set_new(o, "base", string(t->label[0]));
	json_object_set_new(o, "column", string(t->label[column + 1]));
	json_object_set_new(o, "verdict", string(verdict_word(r->verdict)));
	json_object_set_new(o, "reason", string(text_str(&reason)));
	json_object_set_new(o, "unconfirmed", json_boolean(row->unconfirmed));
	json_object_set_new(o, "unit_of_repetition", string(unit_word(r)));
	json_object_set_new(o, "relative", json_boolean(r->relative));
	for (size_t i = 0; i < figures(r, f); i++)
		json_object_set_new(o, f[i].name, !isfinite(f[i].value) ? json_null() :
			f[i].value == floor(f[i].value) && fabs(f[i].value) < 1e15 ?
			json_integer((json_int_t)f[i].value) : json_real(f[i].value));
	return o;
}

json_t *table_json(const struct table *t)
{
	_free_ const struct table_row **rows = NULL;
	size_t hidden, n = table_order(t, &rows, &hidden);
	json_t *all = json_array();

	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k + 1 < t->n_columns; k++)
			json_array_append_new(all, comparison_json(t, rows[i], k));
	return all;
}

static void put_json(const struct table *t, struct text *out)
{
	json_t *all = table_json(t);
	char *s = json_dumps(all, JSON_INDENT(2));

	if (!s)
		abort();
	text_puts(out, s);
	text_putc(out, '\n');
	free(s);
	json_decref(all);
}

/* ---- Cells that Markdown and HTML share ---- */

static void cell(const struct verdict_result *r, const struct verdict_column *c, struct text *out)
{
	char mean[32];

	table_mean(c, mean);
	text_puts(out, mean);
	if (!isnan(c->spread) && c->spread < 10)
		text_printf(out, " +-%.1f%%", 100 * c->spread);
	text_printf(out, " n=%u", count_of(r, c));
}

static void change(const struct verdict_result *r, struct text *out)
{
	verdict_put_change(r, r->change, out);
	if (isnan(r->low))
		return;
	text_putc(out, ' ');
	verdict_put_interval(r, out);
}

static void verdict(const struct table_row *row, const struct verdict_result *r, struct text *out)
{
	text_puts(out, row->unconfirmed ? "unconfirmed" : verdict_word(r->verdict));
	if (r->verdict != VERDICT_UNSURE && r->verdict != VERDICT_BROKEN)
		return;
	text_puts(out, ": ");
	verdict_put_reason(r, out);
}

static void put_markdown(const struct table *t, struct text *out)
{
	_free_ const struct table_row **rows = NULL;
	size_t hidden, n = table_order(t, &rows, &hidden);

	if (t->title) {
		markdown_put(out, t->title);
		text_puts(out, "\n\n");
	}
	text_puts(out, "| metric | ");
	markdown_put(out, t->label[0]);
	for (size_t k = 1; k < t->n_columns; k++) {
		text_puts(out, " | ");
		markdown_put(out, t->label[k]);
		text_puts(out, " | change, 95% interval | verdict");
	}
	text_puts(out, " |\n|---|---:");
	for (size_t k = 1; k < t->n_columns; k++)
		text_puts(out, "|---:|---:|---");
	text_puts(out, "|\n");
	for (size_t i = 0; i < n; i++) {
		_text_ struct text base = {};

		text_puts(out, "| ");
		markdown_put(out, rows[i]->metric.name);
		cell(rows[i]->vs, &rows[i]->vs->a, &base);
		text_printf(out, " | %s", text_str(&base));
		for (size_t k = 0; k + 1 < t->n_columns; k++) {
			const struct verdict_result *r = &rows[i]->vs[k];

			text_puts(out, " | ");
			cell(r, &r->b, out);
			text_puts(out, " | ");
			change(r, out);
			text_puts(out, " | ");
			verdict(rows[i], r, out);
		}
		text_puts(out, " |\n");
	}
	if (hidden)
		text_printf(out, "\n%zu %s did not change.\n", hidden, hidden == 1 ? "row" : "rows");
}

/* ---- HTML ---- */

#define BAR_WIDTH 160.0

/* The interval on an axis that is the same for all rows. */
static void put_bar(struct text *out, const struct verdict_result *r, double widest)
{
	double middle = BAR_WIDTH / 2, scale = middle / widest;

	if (!r->relative || isnan(r->low))
		return;
	text_printf(out, "<svg width=\"%.0f\" height=\"14\" role=\"img\"><title>", BAR_WIDTH);
	change(r, out);
	text_printf(out, "</title><path d=\"M%.0f 0V14\" stroke=\"#999\"/>"
		    "<path d=\"M%.1f 7H%.1f\" stroke=\"#36a\" stroke-width=\"3\"/>"
		    "<circle cx=\"%.1f\" cy=\"7\" r=\"4\" fill=\"#036\"/></svg>", middle,
		    middle + scale * fmax(-widest, r->low), middle + scale * fmin(widest, r->high),
		    middle + scale * fmax(-widest, fmin(widest, r->change)));
}

static double widest_of(const struct table *t, const struct table_row **rows, size_t n)
{
	double widest = 0.05;

	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k + 1 < t->n_columns; k++) {
			const struct verdict_result *r = &rows[i]->vs[k];

			if (r->relative && !isnan(r->change))
				widest = fmax(widest, 1.2 * fmin(2, fabs(r->change)));
		}
	return widest;
}

static void put_html_row(struct text *out, const struct table *t, const struct table_row *row,
			 double widest)
{
	_text_ struct text base = {};

	text_puts(out, "<tr><th scope=\"row\">");
	markup_put(out, row->metric.name);
	cell(row->vs, &row->vs->a, &base);
	text_printf(out, "</th><td>%s</td>", text_str(&base));
	for (size_t k = 0; k + 1 < t->n_columns; k++) {
		const struct verdict_result *r = &row->vs[k];

		text_puts(out, "<td>");
		cell(r, &r->b, out);
		text_puts(out, "</td><td>");
		change(r, out);
		text_puts(out, "</td><td>");
		put_bar(out, r, widest);
		text_printf(out, "</td><td class=\"%s\">", verdict_word(r->verdict));
		verdict(row, r, out);
		text_puts(out, "</td>");
	}
	text_puts(out, "</tr>\n");
}

static void put_html_head(const struct table *t, struct text *out)
{
	const char *title = t->title ? t->title : "Comparison";

	text_puts(out, "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"/><title>");
	markup_put(out, title);
	text_puts(out, "</title><style>\n"
		  "body{font-family:sans-serif}table{border-collapse:collapse}\n"
		  "td,th{padding:2px 8px;text-align:right;border-bottom:1px solid #ddd}\n"
		  "th[scope=row]{text-align:left;font-weight:normal}\n"
		  ".regression,.broken{color:#b00}.improvement{color:#070}.unsure{color:#777}\n"
		  "</style></head><body>\n<h1>");
	markup_put(out, title);
	text_puts(out, "</h1>\n<table>\n<tr><th>metric</th><th>");
	markup_put(out, t->label[0]);
	text_puts(out, "</th>");
	for (size_t k = 1; k < t->n_columns; k++) {
		text_puts(out, "<th>");
		markup_put(out, t->label[k]);
		text_puts(out, "</th><th>change, 95% interval</th><th></th><th>verdict</th>");
	}
	text_puts(out, "</tr>\n");
}

static void put_html(const struct table *t, struct text *out)
{
	_free_ const struct table_row **rows = NULL;
	size_t hidden, n = table_order(t, &rows, &hidden);
	double widest = widest_of(t, rows, n);
	const char *group = NULL;

	put_html_head(t, out);
	for (size_t i = 0; i < n; i++) {
		if (rows[i]->group && (!group || strcmp(group, rows[i]->group))) {
			group = rows[i]->group;
			text_printf(out, "<tr><th scope=\"row\" colspan=\"%zu\"><b>",
				    2 + 4 * (t->n_columns - 1));
			markup_put(out, group);
			text_puts(out, "</b></th></tr>\n");
		}
		put_html_row(out, t, rows[i], widest);
	}
	text_puts(out, "</table>\n");
	if (hidden)
		text_printf(out, "<p>%zu %s did not change.</p>\n", hidden,
			    hidden == 1 ? "row" : "rows");
	text_puts(out, "</body></html>\n");
}

/* ---- The choice ---- */

static const struct {
	const char *word;
	void (*put)(const struct table *t, struct text *out);
} formats[] = {
	[TABLE_TEXT] = { "text", table_put_text }, [TABLE_JSON] = { "json", put_json },
	[TABLE_CSV] = { "csv", put_csv }, [TABLE_MARKDOWN] = { "markdown", put_markdown },
	[TABLE_HTML] = { "html", put_html },
};

enum table_format table_format_find(const char *word)
{
	enum table_format f = 0;

	while (f < TABLE_FORMATS && strcmp(formats[f].word, word))
		f++;
	return f;
}

void table_put(const struct table *t, enum table_format format, struct text *out)
{
	formats[format].put(t, out);
}
