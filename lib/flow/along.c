/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "flow/along.h"
#include "flow/listing.h"
#include "flow/sides.h"
#include "judge/qualify.h"

struct along {
	struct store *store;
	struct store_rows rows;
	struct store_metrics metrics;
	struct side side;	/* all of the rows */
};

static void along_release(struct along *a)
{
	free(a->side.row);
	store_metrics_release(&a->metrics);
	store_rows_release(&a->rows);
	store_free(a->store);
}

static int one_machine(const struct store_rows *rows, struct err *e)
{
	for (size_t i = 1; i < rows->n; i++)
		if (strcmp(rows->row[i].machine, rows->row[0].machine))
			return err_set(e, EINVAL, "runs on %s and on %s: --machine chooses one",
				       rows->row[0].machine, rows->row[i].machine);
	return 0;
}

static int along_open(struct along *a, const struct place *place, const struct along_opts *o,
		      struct text *out, struct err *e)
{
	struct store_filter f = { .job = o->job, .machine = o->machine, .label = o->label,
				  .kernel = o->kernel, .session = o->session };

	if (store_open(&a->store, place->db, e) < 0 ||
	    store_runs(a->store, &f, &a->rows, e) < 0)
		return -e->code;
	if (!a->rows.n) {
		int r = listing_near(a->store, STORE_JOBS, "job", o->job, out, e);

		return r < 0 ? r : ALONG_NOTHING;
	}
	a->side.row = mem_zero(a->rows.n, sizeof(*a->side.row));
	for (; a->side.n < a->rows.n; a->side.n++)
		a->side.row[a->side.n] = a->side.n;
	if (one_machine(&a->rows, e) < 0 ||
	    store_metrics(a->store, &f, &a->metrics, e) < 0)
		return -e->code;
	return ALONG_GOOD;
}

/* Caller frees ->run of the answer. */
static int metric_load(struct along *a, const struct store_metric_row *m, struct verdict_side *side,
		       struct verdict_metric *metric, struct err *e)
{
	struct verdict_run *run;
	enum metric_fold fold;

	*metric = side_metric(m, &fold);
	if (store_load(a->store, &a->rows, m->name, e) < 0)
		return -e->code;
	run = mem_zero(a->rows.n, sizeof(*run));
	*side = side_values(&a->side, &a->rows, fold, run);
	return 0;
}

static bool is_metric(const char *full, const char *wanted)
{
	size_t n = strlen(full), m = strlen(wanted);

	return !strcmp(full, wanted) || (n > m && full[n - m - 1] == '.' && text_ends(full, wanted));
}

/* ---- A series ---- */

/* A boot of a kernel: its runs' mean. */
struct point {
	const struct store_row *first;
	double sum;
	size_t runs;
};

static int by_commit(const void *a, const void *b)
{
	const struct store_row *x = ((const struct point *)a)->first;
	const struct store_row *y = ((const struct point *)b)->first;
	int c = (x->committed_secs > y->committed_secs) - (x->committed_secs < y->committed_secs);

	c = c ? c : strcmp(x->kernel, y->kernel);
	return c ? c : (x->started_ns > y->started_ns) - (x->started_ns < y->started_ns);
}

static struct point *point_of(struct point *p, size_t *n, const struct store_row *row)
{
	for (size_t i = *n; i-- > 0;)
		if (!strcmp(p[i].first->boot, row->boot) && !strcmp(p[i].first->kernel, row->kernel))
			return &p[i];
	p[*n] = (struct point){ .first = row };
	return &p[(*n)++];
}

static void series_fill(struct along_series *s, struct along *a, unsigned int warmup)
{
	_free_ struct point *p = mem_zero(a->rows.n, sizeof(*p));
	_free_ size_t *seen = mem_zero(a->rows.n, sizeof(*seen));
	size_t n = 0;

	for (size_t i = 0; i < a->rows.n; i++) {
		const struct store_row *row = &a->rows.row[i];
		struct point *x = point_of(p, &n, row);
		double sum = 0;

		if (strcmp(row->state, "ok") || !row->n || seen[x - p]++ < warmup)
			continue;
		for (size_t k = 0; k < row->n; k++)
			sum += row->value[k] / (double)row->n;
		x->sum += sum;
		x->runs++;
	}
	qsort(p, n, sizeof(*p), by_commit);
	s->row = mem_zero(n, sizeof(*s->row));
	s->label = mem_zero(n, sizeof(*s->label));
	for (size_t i = 0; i < n; i++) {
		const struct store_row *f = p[i].first;

		if (!i || strcmp(f->kernel, p[i - 1].first->kernel))
			s->label[s->n_labels++] = text_copy(f->describe && *f->describe ?
							    f->describe : f->kernel);
		if (p[i].runs)
			s->row[s->n++] = (struct trend_row){ p[i].sum / (double)p[i].runs,
							     (uint32_t)s->n_labels - 1 };
	}
}

int along_series(const struct place *place, const struct along_opts *o, struct along_series *s,
		 struct text *out, struct err *e)
{
	_cleanup_(along_release) struct along a = {};
	int r = along_open(&a, place, o, out, e);

	*s = (struct along_series){};
	if (r)
		return r;
	for (size_t i = 0; i < a.metrics.n; i++) {
		const struct store_metric_row *m = &a.metrics.row[i];
		enum metric_fold fold;

		if (!is_metric(m->name, o->metric))
			continue;
		s->better = side_metric(m, &fold).better;
		if (store_load(a.store, &a.rows, m->name, e) < 0)
			return -e->code;
		series_fill(s, &a, o->warmup);
		return ALONG_GOOD;
	}
	text_printf(out, "no metric '%s' in these runs\n", o->metric);
	return ALONG_NOTHING;
}

void along_series_release(struct along_series *s)
{
	for (size_t i = 0; i < s->n_labels; i++)
		free(s->label[i]);
	free(s->label);
	free(s->row);
	*s = (struct along_series){};
}

/* ---- Noise ---- */

static json_t *number(double x)
{
	return isfinite(x) ? json_real(x) : json_null();
}

static json_t *noise_json(const char *metric, const struct qualification *q)
{
	_text_ struct text words = {};
	const char *last;

	qualify_put(q, &words);
	words.p[--words.len] = '\0';
	last = strrchr(text_str(&words), '\n');
	return json_pack("{ss sb ss si si si si so so so so so so sb so so so}", "metric", metric,
			 "qualified", q->qualified, "why", last ? last + 1 : text_str(&words),
			 "boots", (int)q->boots, "runs", (int)q->runs, "tried", (int)q->tried,
			 "failed", (int)q->failed, "mean", number(q->mean),
			 "between_boots", number(q->between), "within_boots", number(q->within),
			 "drift", number(q->drift), "drift_error", number(q->drift_error),
			 "smallest_change", number(q->smallest), "two_modes", q->modes.two,
			 "mode_low", q->modes.two ? number(exp(q->modes.low)) : json_null(),
			 "mode_high", q->modes.two ? number(exp(q->modes.high)) : json_null(),
			 "share_high", q->modes.two ? number(q->modes.share_high) : json_null());
}

static int one_kernel(const struct store_rows *rows, struct err *e)
{
	for (size_t i = 1; i < rows->n; i++)
		if (strcmp(rows->row[i].kernel, rows->row[0].kernel))
			return err_set(e, EINVAL, "runs of %s and of %s: --kernel chooses one",
				       rows->row[0].kernel, rows->row[i].kernel);
	return 0;
}

static int noise_of(struct along *a, const struct store_metric_row *m, const struct along_opts *o,
		    json_t *all, bool *good, struct text *out, struct err *e)
{
	_free_ struct verdict_run *run = NULL;
	struct verdict_side side;
	struct verdict_metric metric;
	struct qualification q;

	if (metric_load(a, m, &side, &metric, e) < 0)
		return -e->code;
	run = (struct verdict_run *)side.run;
	if (qualify(&side, &metric, o->warmup, &q, e) < 0)
		return -e->code;
	*good &= q.qualified || !m->headline;
	json_array_append_new(all, noise_json(m->name, &q));
	if (o->json)
		return 0;
	text_put_visible(out, m->name, strlen(m->name), true);
	text_putc(out, '\n');
	qualify_put(&q, out);
	text_putc(out, '\n');
	return 0;
}

int along_noise(const struct place *place, const struct along_opts *o, struct text *out,
		struct err *e)
{
	_cleanup_(along_release) struct along a = {};
	json_t *all = NULL;
	bool good = true, any = false;
	int r = along_open(&a, place, o, out, e);

	if (r || (r = one_kernel(&a.rows, e)) < 0)
		return r;
	all = json_array();
	for (size_t i = 0; i < a.metrics.n && !r; i++) {
		const struct store_metric_row *m = &a.metrics.row[i];

		if (o->metric ? !is_metric(m->name, o->metric) : !m->headline)
			continue;
		any = true;
		r = noise_of(&a, m, o, all, &good, out, e);
	}
	if (!r && o->json && any) {
		_free_ char *s = json_dumps(all, JSON_INDENT(2));

		text_printf(out, "%s\n", s);
	}
	json_decref(all);
	if (r < 0)
		return r;
	if (!any)
		text_puts(out, "these runs have no such metric\n");
	return !any ? ALONG_NOTHING : good ? ALONG_GOOD : ALONG_BAD;
}
