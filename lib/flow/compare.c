/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <string.h>

#include "base/log.h"
#include "flow/compare.h"
#include "flow/listing.h"
#include "flow/sides.h"
#include "judge/many.h"
#include "report/table.h"
#include "report/table_matrix.h"

#define COLUMNS_MAX 16

struct compare {
	const struct compare_opts *o;
	struct store *store;
	struct store_rows rows;
	char **column;		/* names of the columns, owned */
	size_t n_columns;
	json_t *report;
	bool worse, explained, judged;
};

static void compare_release(struct compare *c)
{
	for (size_t i = 0; i < c->n_columns; i++)
		free(c->column[i]);
	free(c->column);
	store_rows_release(&c->rows);
	store_free(c->store);
	json_decref(c->report);
}

static void column_add(struct compare *c, const char *name)
{
	GROW(c->column, c->n_columns);
	c->column[c->n_columns++] = text_copy(name);
}

static bool is_kernel(const struct store_row *row, const char *name)
{
	return !strcmp(row->kernel, name) || (row->describe && !strcmp(row->describe, name)) ||
	       (row->commit && strlen(name) >= 7 && text_starts(row->commit, name));
}

/* A label is what somebody wrote on purpose, so it goes first. */
static int column_by_name(const struct store_row *row, void *arg)
{
	const struct compare *c = arg;

	for (size_t i = 0; i < c->n_columns; i++)
		if (!strcmp(row->label, c->column[i]))
			return (int)i;
	for (size_t i = 0; i < c->n_columns && !*row->label; i++)
		if (is_kernel(row, c->column[i]))
			return (int)i;
	return -1;
}

static int column_by_axis(const struct store_row *row, void *arg)
{
	const struct compare *c = arg;
	_free_ char *value = params_get(row->params, c->o->by);

	for (size_t i = 0; value && i < c->n_columns; i++)
		if (!strcmp(value, c->column[i]))
			return (int)i;
	return -1;
}

/* The values of the axis, in the order in which they were first run. */
static int find_columns(struct compare *c, struct err *e)
{
	for (size_t i = 0; i < c->o->n_columns; i++)
		column_add(c, c->o->column[i]);
	for (size_t i = 0; c->o->by && i < c->rows.n; i++) {
		_free_ char *value = params_get(c->rows.row[i].params, c->o->by);

		if (!value || column_by_axis(&c->rows.row[i], c) >= 0)
			continue;
		if (c->n_columns == COLUMNS_MAX)
			return err_set(e, E2BIG, "%s has more than %d values", c->o->by, COLUMNS_MAX);
		column_add(c, value);
	}
	return 0;
}

/* Which columns have no run at all, and what is near their names. */
static int say_nothing(struct compare *c, size_t dropped, struct text *out, struct err *e)
{
	if (c->o->by && c->n_columns < 2) {
		text_printf(out, "%zu runs, and ", c->rows.n);
		text_printf(out, c->n_columns ? "'%s' has one value only\n" :
			    "none of their jobs has a parameter '%s'\n", c->o->by);
		return 0;
	}
	for (size_t i = 0; i < c->n_columns && !c->o->by; i++) {
		bool any = false;
		int r;

		for (size_t k = 0; k < c->rows.n && !any; k++)
			any = column_by_name(&c->rows.row[k], c) == (int)i;
		if (any)
			continue;
		r = listing_near(c->store, STORE_LABELS, "label", c->column[i], out, e);
		if (r < 0 || (r = listing_near(c->store, STORE_KERNELS, "kernel", c->column[i], out,
					       e)) < 0)
			return r;
	}
	if (dropped)
		text_printf(out, "%zu jobs have runs in some of the columns, none has runs in all\n",
			    dropped);
	return 0;
}

static bool is_metric(const char *full, const char *wanted)
{
	size_t n = strlen(full), m = strlen(wanted);

	return !strcmp(full, wanted) ||
	       (n > m && full[n - m - 1] == '.' && text_ends(full, wanted));
}

struct sheet {
	struct table_row *row;
	size_t n;
	struct store_metrics metrics;	/* names in the rows are borrowed from here */
};

static void sheet_release(struct sheet *s)
{
	for (size_t i = 0; i < s->n; i++)
		free((struct verdict_result *)s->row[i].vs);
	free(s->row);
	store_metrics_release(&s->metrics);
}

static json_t *number(double v)
{
	return isfinite(v) ? json_real(v) : json_null();
}

static json_t *json_column(const struct verdict_column *c)
{
	return json_pack("{s:i,s:i,s:i,s:i,s:o,s:o,s:o}", "boots", (int)c->boots, "runs",
			 (int)c->runs, "tried", (int)c->tried, "failed", (int)c->failed,
			 "mean", number(c->mean), "spread", number(c->spread),
			 "spread_within_boots", number(c->within));
}

static void add_json(struct compare *c, const struct group *g, const struct table_row *row)
{
	static const char *const units[] = { [UNIT_AUTO] = "", [UNIT_BOOT] = "boot",
					     [UNIT_PAIR] = "pair", [UNIT_RUN] = "run" };

	for (size_t i = 1; i < c->n_columns; i++) {
		const struct verdict_result *r = &row->vs[i - 1];
		_text_ struct text reason = {};
		json_t *j;

		verdict_put_reason(r, &reason);
		j = json_pack("{s:o,s:o,s:o,s:b,s:o,s:o,s:s,s:o,s:s,s:o,s:o,s:o,s:o,s:b,s:o,s:o,s:i,s:o,s:o}",
			"job", listing_json_text(g->first->job),
			"machine", listing_json_text(g->first->machine),
			"metric", listing_json_text(row->metric.name),
			"headline", row->metric.headline,
			"base", listing_json_text(c->column[0]),
			"head", listing_json_text(c->column[i]),
			"verdict", verdict_word(r->verdict),
			"reason", listing_json_text(text_str(&reason)),
			"unit_of_repetition", units[r->unit],
			"change", number(r->change), "low", number(r->low), "high", number(r->high),
			"p", number(r->p), "relative", r->relative, "drift", number(r->drift),
			"noise", number(r->noise), "boots_wanted", (int)r->boots_wanted,
			"a", json_column(&r->a), "b", json_column(&r->b));
		if (j)
			json_array_append_new(c->report, j);
	}
}

/* Judges one metric of the group: every column against the first. */
static int judge_metric(struct compare *c, const struct group *g,
			const struct store_metric_row *m, struct sheet *sheet, struct text *out,
			struct err *e)
{
	_free_ struct verdict_result *vs = mem_zero(c->n_columns - 1, sizeof(*vs));
	_free_ struct verdict_run *base = mem_zero(c->rows.n, sizeof(*base));
	_free_ struct verdict_run *head = mem_zero(c->rows.n, sizeof(*head));
	enum metric_fold fold;
	struct verdict_case vc = {
		.metric = side_metric(m, &fold),
		.options = { .warmup = c->o->warmup },
	};
	int r;

	if ((r = store_load(c->store, &c->rows, m->name, e)) < 0)
		return r;
	/* For hundreds of watched metrics it would take longer than it is worth. */
	if (m->headline)
		vc.history = side_history(g, c->n_columns, &c->rows, fold, c->o->warmup);
	vc.a = side_values(&g->side[0], &c->rows, fold, base);
	for (size_t i = 1; i < c->n_columns; i++) {
		vc.b = side_values(&g->side[i], &c->rows, fold, head);
		if ((r = verdict_judge(&vc, &vs[i - 1], e)) < 0)
			return err_in(e, "%s", m->name);
		if (m->headline && (vs[i - 1].verdict == VERDICT_REGRESSION ||
				    vs[i - 1].verdict == VERDICT_BROKEN))
			c->worse = true;
		if (m->headline && c->o->boots_next && vs[i - 1].boots_next > *c->o->boots_next)
			*c->o->boots_next = vs[i - 1].boots_next;
		if (c->o->explain && is_metric(m->name, c->o->explain)) {
			text_printf(out, "%s, %s against %s\n", m->name, c->column[i], c->column[0]);
			verdict_explain(&vs[i - 1], &vc.metric, out);
			c->explained = true;
		}
	}
	GROW(sheet->row, sheet->n);
	sheet->row[sheet->n++] = (struct table_row){ .metric = vc.metric, .vs = steal(vs) };
	return 0;
}

/* Of hundreds of watched metrics some differ by chance: those say nothing. */
static void explain_watched(struct compare *c, const struct group *g, struct sheet *sheet)
{
	_free_ struct many_row *many = mem_zero(sheet->n, sizeof(*many));

	for (size_t k = 0; k + 1 < c->n_columns; k++) {
		for (size_t i = 0; i < sheet->n; i++)
			many[i] = (struct many_row){
				.r = (struct verdict_result *)&sheet->row[i].vs[k],
				.metric = &sheet->row[i].metric };
		many_judge(many, sheet->n);
		for (size_t i = 0; i < sheet->n; i++)
			sheet->row[i].unconfirmed |= many[i].unconfirmed;
	}
	for (size_t i = 0; i < sheet->n; i++)
		add_json(c, g, &sheet->row[i]);
}

static bool wanted(const struct compare *c, const char *metric)
{
	const char *one = c->o->metric ? c->o->metric : c->o->explain;

	return !one || is_metric(metric, one);
}

static void put_title(const struct compare *c, const struct group *g, struct text *t)
{
	text_put_visible(t, c->o->by ? g->first->test : g->first->job,
			 strlen(c->o->by ? g->first->test : g->first->job), true);
	text_printf(t, " on %s", g->first->machine);
	if (strcmp(g->first->mode, "host"))
		text_printf(t, " (%s)", g->first->mode);
}

/* A line the table cannot know: what the reader must not overlook. */
static void put_warnings(const struct group *g, struct text *out)
{
	if (g->mixed_programs)
		text_puts(out, "warning: the sides ran different builds of the test (--force)\n");
	if (*g->others)
		text_printf(out, "runs differ also in:%s\n", g->others);
}

/* The group's runs as LKP keeps them, a matrix a column, names and all owned by it. */
static int matrices_fill(struct compare *c, const struct group *g,
			 const struct store_metrics *metrics, struct matrix *m, struct err *e)
{
	for (size_t k = 0; k < c->n_columns; k++) {
		m[k].label = text_copy(c->column[k]);
		m[k].row = mem_zero(metrics->n, sizeof(*m[k].row));
	}
	for (size_t i = 0; i < metrics->n; i++) {
		_free_ struct verdict_run *run = mem_zero(c->rows.n, sizeof(*run));
		enum metric_fold fold;

		side_metric(&metrics->row[i], &fold);
		if (store_load(c->store, &c->rows, metrics->row[i].name, e) < 0)
			return -e->code;
		for (size_t k = 0; k < c->n_columns; k++) {
			struct verdict_side s = side_values(&g->side[k], &c->rows, fold, run);
			struct matrix_row *row = &m[k].row[m[k].n];

			m[k].runs = s.tried - s.failed;
			if (!s.n_runs)
				continue;
			*row = (struct matrix_row){ text_copy(metrics->row[i].name),
						    mem_zero(s.n_runs, sizeof(*row->v)), s.n_runs };
			for (size_t j = 0; j < s.n_runs; j++)
				row->v[j] = s.run[j].value;
			m[k].n++;
		}
	}
	for (size_t k = 0; k < c->n_columns; k++)
		matrix_sort(&m[k]);
	return 0;
}

/* What changed by LKP's rule, in LKP's table. */
static int put_lkp(struct compare *c, const struct group *g, const struct store_metrics *metrics,
		   struct text *out, struct err *e)
{
	struct matrix_axis axes[] = { { "job", g->first->job }, { "machine", g->first->machine } };
	struct lkp_options lkp = { .profile = LKP_PROFILE_SHARE, .more = c->o->all };
	_free_ struct matrix *m = mem_zero(c->n_columns, sizeof(*m));
	int r = matrices_fill(c, g, metrics, m, e);

	if (!r)
		table_put_lkp(m, c->n_columns, axes, COUNT(axes), &lkp, out);
	for (size_t k = 0; k < c->n_columns; k++)
		matrix_release(&m[k]);
	return r;
}

static int compare_group(struct compare *c, const struct group *g, struct text *out,
			 struct err *e)
{
	_cleanup_(sheet_release) struct sheet sheet = {};
	struct store_filter f = { .job = g->first->job, .machine = g->first->machine,
				  .session = c->o->session };
	_text_ struct text title = {};
	struct table t;
	int r;

	if (g->mixed_programs && !c->o->force) {
		_text_ struct text job = {};

		text_put_visible(&job, g->first->job, strlen(g->first->job), true);
		log_line("%s: the sides ran different builds of the test; --force compares them "
			 "all the same", text_str(&job));
		return 0;
	}
	c->judged = true;
	if ((r = store_metrics(c->store, &f, &sheet.metrics, e)) < 0)
		return r;
	for (size_t i = 0; i < sheet.metrics.n; i++)
		if (wanted(c, sheet.metrics.row[i].name) &&
		    (r = judge_metric(c, g, &sheet.metrics.row[i], &sheet, out, e)) < 0)
			return r;
	explain_watched(c, g, &sheet);
	if (c->o->lkp)
		return put_lkp(c, g, &sheet.metrics, out, e);
	if (c->o->explain || c->o->json || !sheet.n)
		return 0;
	put_title(c, g, &title);
	t = (struct table){
		.title = text_str(&title), .label = (const char *const *)c->column,
		.n_columns = c->n_columns, .row = sheet.row, .n_rows = sheet.n, .all = c->o->all,
	};
	table_put(&t, c->o->format, out);
	if (c->o->format == TABLE_TEXT) {
		put_warnings(g, out);
		text_putc(out, '\n');
	}
	return 0;
}

static int put_report(struct compare *c, struct text *out)
{
	char *s = json_dumps(c->report, JSON_INDENT(2));

	if (!s)
		abort();
	text_printf(out, "%s\n", s);
	free(s);
	return 0;
}

int compare_stored(const struct place *place, const struct compare_opts *o, struct text *out,
		   struct err *e)
{
	_cleanup_(compare_release) struct compare c = { .o = o, .report = json_array() };
	struct store_filter f = { .job = o->job, .machine = o->machine, .session = o->session };
	_groups_ struct groups g = {};
	size_t dropped;
	int r;

	if (o->boots_next)
		*o->boots_next = 0;
	if ((r = store_open(&c.store, place->db, e)) < 0 ||
	    (r = store_runs(c.store, &f, &c.rows, e)) < 0)
		return r;
	if (!c.rows.n && o->job) {
		r = listing_near(c.store, STORE_JOBS, "job", o->job, out, e);
		return r < 0 ? r : COMPARE_NOTHING;
	}
	if ((r = find_columns(&c, e)) < 0 ||
	    (r = groups_make(&g, &c.rows, c.n_columns, o->by, o->by ? column_by_axis : column_by_name,
			     &c, &dropped, e)) < 0)
		return r;
	if (c.n_columns < 2 || !g.n) {
		r = say_nothing(&c, dropped, out, e);
		return r < 0 ? r : COMPARE_NOTHING;
	}
	for (size_t i = 0; i < g.n; i++)
		if ((r = compare_group(&c, &g.group[i], out, e)) < 0)
			return r;
	if (!c.judged)
		return COMPARE_NOTHING;
	if (o->explain && !c.explained) {
		text_printf(out, "no metric '%s' in these runs\n", o->explain);
		return COMPARE_NOTHING;
	}
	if (dropped && !o->json)
		text_printf(out, "%zu jobs without runs in every column are left out\n", dropped);
	if (o->json)
		put_report(&c, out);
	return c.worse ? COMPARE_WORSE : COMPARE_SAME;
}
