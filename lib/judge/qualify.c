/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "judge/qualify.h"
#include "judge/unit.h"
#include "math/dist.h"
#include "math/sum.h"

#define CAP		20
#define ALPHA		0.0002
#define SMALLEST_MOST	0.05
#define DRIFT_ERRORS	3
#define DRIFT_LEAST	0.01

/* Every boot to one of two sides, in the order in which a session has them. */
static void split(const struct units *u, struct verdict_run *a,
		  struct verdict_run *b, struct verdict_case *c)
{
	c->a.run = a;
	c->b.run = b;
	for (size_t i = 0; i < u->n; i++) {
		struct verdict_run run = { u->v[i].value, (uint32_t)i, (int64_t)i };

		if (verdict_order((unsigned int)i))
			b[c->b.n_runs++] = run;
		else
			a[c->a.n_runs++] = run;
	}
}

static void spreads_measure(struct qualification *q, const struct units *u)
{
	_free_ double *v = mem_zero(u->n, sizeof(*v));
	struct verdict_set set = { v, u->n };
	struct sum within = {};
	size_t df = 0, half = u->n / 2;
	bool positive = true;

	for (size_t i = 0; i < u->n; i++) {
		v[i] = u->v[i].value;
		positive &= v[i] > 0;
		sum_add(&within, u->v[i].squares);
		df += u->v[i].runs - 1;
		q->runs += u->v[i].runs;
	}
	q->boots = (unsigned int)u->n;
	q->mean = sum_mean(v, u->n);
	if (df)
		q->within = sqrt(sum_of(&within) / (double)df) / fabs(q->mean);
	if (!positive || u->n < 2)
		return;
	q->history = verdict_learn(&set, 1);
	q->between = q->history.s0;
	for (size_t i = 0; i < u->n; i++)
		v[i] = log(v[i]);
	q->modes = modes_find(v, u->n);
	q->drift = expm1(sum_mean(v + u->n - half, half) - sum_mean(v, half));
	q->drift_error = q->between * sqrt(2 / (double)half);
}

static enum qualify_why why_of(const struct qualification *q)
{
	if (q->tried && q->failed)
		return QUALIFY_FAILS;
	if (q->boots < QUALIFY_BOOTS)
		return QUALIFY_FEW;
	if (q->itself.verdict <= VERDICT_CHANGE)
		return QUALIFY_ALARM;
	if (fabs(q->drift) > DRIFT_ERRORS * q->drift_error && fabs(q->drift) > DRIFT_LEAST)
		return QUALIFY_DRIFT;
	return q->smallest <= SMALLEST_MOST ? QUALIFY_GOOD : QUALIFY_NOISY;
}

int qualify(const struct verdict_side *side, const struct verdict_metric *metric,
	    unsigned int warmup, struct qualification *q, struct err *e)
{
	struct verdict_case c = { .a = *side, .metric = *metric }, two = { .metric = *metric };
	_free_ struct verdict_run *a = mem_zero(side->n_runs, sizeof(*a));
	_free_ struct verdict_run *b = mem_zero(side->n_runs, sizeof(*b));
	_units_ struct units u = {};
	double error;

	*q = (struct qualification){ .between = NAN, .within = NAN, .drift = NAN,
				     .drift_error = NAN, .smallest = NAN, .mean = NAN,
				     .tried = side->tried, .failed = side->failed };
	units_make(&u, &c, UNIT_BOOT, warmup);
	split(&u, a, b, &two);
	if (verdict_judge(&two, &q->itself, e) < 0)
		return -e->code;
	spreads_measure(q, &u);
	error = q->between * sqrt(2.0 / CAP);
	q->smallest = expm1((dist_t_at(ALPHA, 2 * CAP - 2) + 0.84) * error);
	q->why = why_of(q);
	q->qualified = q->why == QUALIFY_GOOD;
	return 0;
}

static void put_percent(struct text *out, const char *what, double x)
{
	if (!isnan(x))
		text_printf(out, "%s %.2f%%\n", what, 100 * x);
}

void qualify_put(const struct qualification *q, struct text *out)
{
	static const char *const reasons[] = {
		[QUALIFY_GOOD] = "qualified",
		[QUALIFY_FEW] = "not qualified: too few boots",
		[QUALIFY_FAILS] = "not qualified: runs fail",
		[QUALIFY_ALARM] = "not qualified: the same against itself is a change",
		[QUALIFY_DRIFT] = "not qualified: later boots differ from earlier ones",
		[QUALIFY_NOISY] = "not qualified: a change of 5% could stay unseen",
	};

	text_printf(out, "%u boots, %u runs", q->boots, q->runs);
	if (q->tried)
		text_printf(out, ", %u of %u failed", q->failed, q->tried);
	text_putc(out, '\n');
	put_percent(out, "spread between boots:", q->between);
	put_percent(out, "spread between runs of one boot:", q->within);
	if (!isnan(q->drift) && q->boots > 3)
		text_printf(out, "drift, second against first half: %+.2f%% (standard error "
			    "%.2f%%)\n", 100 * q->drift, 100 * q->drift_error);
	if (q->modes.two)
		text_printf(out, "two modes, %+.1f%% apart: %.0f%% of boots are in the higher one, "
			    "spread within a mode %.2f%%\n",
			    100 * expm1(q->modes.high - q->modes.low), 100 * q->modes.share_high,
			    100 * q->modes.spread);
	text_printf(out, "against itself: %s\n", verdict_word(q->itself.verdict));
	put_percent(out, "smallest change that 20 boots a side would find:", q->smallest);
	text_puts(out, reasons[q->why]);
	if (q->why == QUALIFY_FEW)
		text_printf(out, ", %u more are needed", QUALIFY_BOOTS - q->boots);
	text_putc(out, '\n');
}
