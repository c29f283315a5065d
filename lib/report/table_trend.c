/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/table_markup.h"
#include "report/table_trend.h"

static void put_label(const struct trend_view *v, uint32_t place, struct text *out)
{
	const char *s = place < v->n_labels && v->label[place] ? v->label[place] : "?";

	text_put_visible(out, s, strnlen(s, 40), true);
}

static void put_change(const struct trend *t, double x, struct text *out)
{
	if (t->relative)
		text_printf(out, "%+.1f%%", 100 * x);
	else
		text_printf(out, "%+.4g", x);
}

static void put_range(const struct trend_view *v, const struct trend_change *c, struct text *out)
{
	size_t range = c->high - c->low + 1, empty = c->at - c->before - 1;

	if (range > 1) {
		text_printf(out, "      any of %zu fits nearly as well: ", range);
		put_label(v, c->low, out);
		text_puts(out, " to ");
		put_label(v, c->high, out);
		text_putc(out, '\n');
	}
	if (empty)
		text_printf(out, "      %zu without data just before it\n", empty);
}

void trend_put_text(const struct trend_view *v, struct text *out)
{
	const struct trend *t = v->trend;

	text_put_visible(out, v->metric, strlen(v->metric), true);
	text_printf(out, ": %zu points", t->n);
	if (!isnan(t->noise))
		text_printf(out, t->relative ? ", noise %.2f%%" : ", noise %.4g",
			    t->relative ? 100 * t->noise : t->noise);
	if (isnan(t->noise))
		text_puts(out, ", too few to look for a change\n");
	else if (!t->n_changes)
		text_puts(out, ", no change\n");
	else
		text_printf(out, ", %zu %s\n", t->n_changes,
			    t->n_changes == 1 ? "change" : "changes");
	for (size_t i = 0; i < t->n_changes; i++) {
		const struct trend_change *c = &t->change[i];

		text_puts(out, "  ");
		put_change(t, c->change, out);
		text_puts(out, " [");
		put_change(t, c->change_low, out);
		text_puts(out, ", ");
		put_change(t, c->change_high, out);
		text_puts(out, "] at ");
		put_label(v, c->at, out);
		text_printf(out, ", %.5g -> %.5g, p %.2g%s%s\n", c->mean_before, c->mean_after, c->p,
			    c->worse ? ", worse" : "", c->mail ? "" : ", not clear enough to mail");
		put_range(v, c, out);
	}
}

/* ---- The plot ---- */

static void range_of(const struct trend *t, double *low, double *high)
{
	*low = INFINITY;
	*high = -INFINITY;
	for (size_t i = 0; i < t->n; i++) {
		*low = fmin(*low, t->point[i]);
		*high = fmax(*high, t->point[i]);
	}
	if (!(*high > *low)) {
		double pad = *high != 0 ? 0.01 * fabs(*high) : 1;

		*low -= pad;
		*high += pad;
	}
}

/* The level that point @i lies on. */
static double level_at(const struct trend *t, size_t i)
{
	double level = t->n_changes ? t->change[0].mean_before : NAN;

	for (size_t k = 0; k < t->n_changes && t->change[k].row <= i; k++)
		level = t->change[k].mean_after;
	return level;
}

static size_t line_of(double x, double low, double high, size_t height)
{
	return (size_t)lrint((high - x) / (high - low) * (double)(height - 1));
}

static void plot_fill(const struct trend *t, char *cell, size_t width, size_t height, double low,
		      double high)
{
	for (size_t i = 0; i < t->n; i++) {
		size_t column = i * width / t->n;
		double level = level_at(t, i);

		if (!isnan(level))
			cell[line_of(level, low, high, height) * width + column] = '=';
	}
	for (size_t i = 0; i < t->n; i++) {
		size_t column = i * width / t->n;
		char *c = &cell[line_of(t->point[i], low, high, height) * width + column];

		if (*c == ' ')
			*c = '.';
	}
	for (size_t k = 0; k < t->n_changes; k++)
		cell[height * width + t->change[k].row * width / t->n] = '^';
}

void trend_put_plot(const struct trend_view *v, size_t width, size_t height, struct text *out)
{
	const struct trend *t = v->trend;
	size_t columns = t->n < width ? t->n : width;
	_free_ char *cell = NULL;
	double low, high;

	if (t->n < 2 || height < 2)
		return;
	cell = mem_zero(columns * (height + 1), 1);
	memset(cell, ' ', columns * (height + 1));
	range_of(t, &low, &high);
	plot_fill(t, cell, columns, height, low, high);
	for (size_t y = 0; y < height + (t->n_changes > 0); y++) {
		size_t used = columns;

		if (y == 0 || y == height - 1)
			text_printf(out, "%10.4g |", y ? low : high);
		else
			text_printf(out, "%10s %c", "", y == height ? ' ' : '|');
		while (used && cell[y * columns + used - 1] == ' ')
			used--;
		text_put(out, cell + y * columns, used);
		text_putc(out, '\n');
	}
}

/* ---- The picture ---- */

#define PICTURE_WIDTH	900.0
#define PICTURE_HEIGHT	300.0
#define MARGIN		60.0

struct picture {
	const struct trend *t;
	double low, high;
	struct text *out;
};

static double x_of(const struct picture *p, double place)
{
	double first = p->t->commit[0], last = p->t->commit[p->t->n - 1];

	return MARGIN + (place - first) / fmax(1, last - first) * (PICTURE_WIDTH - 2 * MARGIN);
}

static double y_of(const struct picture *p, double value)
{
	return MARGIN / 2 + (p->high - value) / (p->high - p->low) * (PICTURE_HEIGHT - MARGIN);
}

static void put_levels(const struct picture *p)
{
	const struct trend *t = p->t;

	for (size_t k = 0; k <= t->n_changes && t->n_changes; k++) {
		size_t from = k ? t->change[k - 1].row : 0;
		size_t to = k < t->n_changes ? t->change[k].row - 1 : t->n - 1;
		double y = y_of(p, k ? t->change[k - 1].mean_after : t->change[0].mean_before);

		text_printf(p->out, "<path d=\"M%.1f %.1fH%.1f\" stroke=\"#c00\" fill=\"none\"/>\n",
			    x_of(p, t->commit[from]), y, x_of(p, t->commit[to]));
	}
}

static void put_changes(const struct picture *p, const struct trend_view *v)
{
	for (size_t k = 0; k < p->t->n_changes; k++) {
		const struct trend_change *c = &p->t->change[k];
		double low = x_of(p, c->low), high = x_of(p, c->high);
		_text_ struct text label = {};

		put_label(v, c->at, &label);
		text_puts(&label, ": ");
		put_change(p->t, c->change, &label);
		text_printf(p->out, "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" "
			    "fill=\"#fc8\" fill-opacity=\"0.5\"><title>", low - 1, MARGIN / 2,
			    high - low + 2, PICTURE_HEIGHT - MARGIN);
		markup_put(p->out, text_str(&label));
		text_puts(p->out, "</title></rect>\n");
	}
}

void trend_put_svg(const struct trend_view *v, struct text *out)
{
	struct picture p = { .t = v->trend, .out = out };

	text_printf(out, "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" height=\"%.0f\" "
		    "font-family=\"sans-serif\" font-size=\"12\">\n", PICTURE_WIDTH, PICTURE_HEIGHT);
	text_printf(out, "<rect width=\"100%%\" height=\"100%%\" fill=\"#fff\"/>\n"
		    "<text x=\"%.0f\" y=\"18\">", MARGIN);
	markup_put(out, v->metric);
	text_puts(out, "</text>\n");
	if (p.t->n) {
		range_of(p.t, &p.low, &p.high);
		put_changes(&p, v);
		for (size_t i = 0; i < p.t->n; i++)
			text_printf(out, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"2\" fill=\"#36a\"/>\n",
				    x_of(&p, p.t->commit[i]), y_of(&p, p.t->point[i]));
		put_levels(&p);
		text_printf(out, "<text x=\"4\" y=\"%.1f\">%.4g</text>\n<text x=\"4\" y=\"%.1f\">%.4g"
			    "</text>\n", y_of(&p, p.high) + 4, p.high, y_of(&p, p.low) + 4, p.low);
	}
	text_puts(out, "</svg>\n");
}

/* ---- JSON ---- */

static json_t *label_json(const struct trend_view *v, uint32_t place)
{
	_text_ struct text t = {};

	put_label(v, place, &t);
	return json_string(text_str(&t));
}

static json_t *number(double x)
{
	return isfinite(x) ? json_real(x) : json_null();
}

json_t *trend_json(const struct trend_view *v)
{
	const struct trend *t = v->trend;
	json_t *changes = json_array();
	_text_ struct text metric = {};

	text_put_visible(&metric, v->metric, strlen(v->metric), true);
	for (size_t i = 0; i < t->n_changes; i++) {
		const struct trend_change *c = &t->change[i];

		json_array_append_new(changes, json_pack(
			"{so so so so sI so so so so so so sb sb}",
			"before", label_json(v, c->before), "at", label_json(v, c->at),
			"low", label_json(v, c->low), "high", label_json(v, c->high),
			"place", (json_int_t)c->at, "change", number(c->change),
			"change_low", number(c->change_low), "change_high", number(c->change_high),
			"mean_before", number(c->mean_before), "mean_after", number(c->mean_after),
			"p", number(c->p), "mail", c->mail, "worse", c->worse));
	}
	return json_pack("{ss sI so so sb so}", "metric", text_str(&metric),
			 "points", (json_int_t)t->n, "noise", number(t->noise),
			 "memory", number(t->memory), "relative", t->relative, "changes", changes);
}
