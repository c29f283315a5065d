/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <math.h>
#include <stdlib.h>

#include "judge/many.h"

#define Q_EXPLAINS	0.05
#define Q_ALONE		0.01
#define CHANGE_ALONE	0.05

struct ranked {
	double p;
	size_t i;
};

static int by_p(const void *a, const void *b)
{
	const struct ranked *x = a, *y = b;

	return (x->p > y->p) - (x->p < y->p);
}

void many_q(const double *p, size_t n, double *q)
{
	_free_ struct ranked *v = mem_zero(n, sizeof(*v));
	size_t k = 0;
	double least = 1;

	for (size_t i = 0; i < n; i++) {
		q[i] = NAN;
		if (!isnan(p[i]))
			v[k++] = (struct ranked){ p[i], i };
	}
	if (k)
		qsort(v, k, sizeof(*v), by_p);
	for (size_t i = k; i-- > 0;) {
		least = fmin(least, v[i].p * (double)k / (double)(i + 1));
		q[v[i].i] = least;
	}
}

static bool is_changed(const struct verdict_result *r)
{
	return r->verdict <= VERDICT_CHANGE || r->verdict == VERDICT_BROKEN;
}

static bool is_directed(const struct verdict_result *r)
{
	return r->verdict <= VERDICT_CHANGE;
}

static void q_fill(struct many_row *row, size_t n, bool headline)
{
	_free_ double *p = mem_zero(n, sizeof(*p)), *q = mem_zero(n, sizeof(*q));

	for (size_t i = 0; i < n; i++)
		p[i] = row[i].metric->headline == headline ? row[i].r->p : NAN;
	many_q(p, n, q);
	for (size_t i = 0; i < n; i++)
		if (row[i].metric->headline == headline)
			row[i].q = q[i];
}

/* What may hold any verdict back holds these back too. */
static bool is_held(const struct verdict_result *r)
{
	return r->reason == REASON_DRIFT || r->reason == REASON_OUTLIERS ||
		r->reason == REASON_FEW_BOOTS;
}

static void judge_watched(struct many_row *row, bool headline_changed)
{
	struct verdict_result *r = row->r;
	double size = fabs(r->relative ? r->change : r->change / r->a.mean);

	if (r->verdict == VERDICT_BROKEN || r->verdict == VERDICT_SAME || isnan(row->q))
		return;
	row->unconfirmed = !headline_changed && row->q < Q_ALONE && !(size < CHANGE_ALONE) &&
		fabs(r->change) >= r->needed && !is_held(r);
	if (headline_changed && row->q < Q_EXPLAINS && fabs(r->change) >= r->needed && !is_held(r)) {
		r->verdict = verdict_direction(row->metric->better, r->change);
		r->reason = REASON_DECIDED;
	} else if (is_directed(r)) {
		r->verdict = VERDICT_UNSURE;
		r->reason = REASON_MANY;
	}
}

void many_judge(struct many_row *row, size_t n)
{
	bool changed = false;

	for (size_t i = 0; i < n; i++) {
		row[i].q = NAN;
		row[i].unconfirmed = false;
		changed |= row[i].metric->headline && is_changed(row[i].r);
	}
	q_fill(row, n, false);
	for (size_t i = 0; i < n; i++)
		if (!row[i].metric->headline)
			judge_watched(&row[i], changed);
}

void many_headlines(struct many_row *row, size_t n)
{
	q_fill(row, n, true);
	for (size_t i = 0; i < n; i++) {
		struct verdict_result *r = row[i].r;

		if (!row[i].metric->headline || !is_directed(r) || row[i].q < Q_EXPLAINS)
			continue;
		r->verdict = VERDICT_UNSURE;
		r->reason = REASON_MANY;
	}
}
