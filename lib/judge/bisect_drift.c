/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <math.h>

#include "judge/bisect_model.h"

/* The pace of the walk per step, in variances of a boot. */
static const double pace[] = { 0, 0.003, 0.01, 0.03, 0.1, 0.3, 1, 3 };

/* What a parameter must bring in log likelihood to be believed. */
#define WORTH	2.0

struct walk {
	double *level, *var;	/* filtered, in units of the noise's variance */
};

/* Kalman filter; returns the log likelihood with the noise's variance profiled out. */
static double filter(const double *y, size_t n, double q, struct walk *w)
{
	double level = y[0], var = 1, squares = 0, logs = 0;

	w->level[0] = level;
	w->var[0] = var;
	for (size_t i = 1; i < n; i++) {
		double ahead = var + q, total = ahead + 1, miss = y[i] - level;

		squares += miss * miss / total;
		logs += log(total);
		level += ahead / total * miss;
		var = ahead / total;
		w->level[i] = level;
		w->var[i] = var;
	}
	return -0.5 * ((double)(n - 1) * log(fmax(squares, 1e-300)) + logs);
}

/* Backwards: each level also learns from what came later. */
static void smooth(struct walk *w, size_t n, double q)
{
	for (size_t i = n - 1; i-- > 0;)
		w->level[i] += w->var[i] / (w->var[i] + q) * (w->level[i + 1] - w->level[i]);
}

static double best_pace(const double *y, size_t n, struct walk *w)
{
	double still = filter(y, n, 0, w), best = still + WORTH, q = 0;

	for (size_t i = 1; i < COUNT(pace); i++) {
		double l = filter(y, n, pace[i], w);

		if (l > best) {
			best = l;
			q = pace[i];
		}
	}
	return q;
}

void bisect_drift(const struct bisect *b, double *drift)
{
	_free_ double *y = mem_zero(b->n_boots, sizeof(*y));
	_free_ double *level = mem_zero(b->n_boots, sizeof(*level));
	_free_ double *var = mem_zero(b->n_boots, sizeof(*var));
	struct walk w = { level, var };
	double q, mean = 0;
	size_t n = 0, at = 0;

	for (size_t i = 0; i < b->n_boots; i++) {
		drift[i] = 0;
		if (!isnan(b->boot[i].reference))
			y[n++] = b->boot[i].reference;
	}
	q = n < 5 ? 0 : best_pace(y, n, &w);
	if (q <= 0)
		return;
	filter(y, n, q, &w);
	smooth(&w, n, q);
	for (size_t i = 0; i < n; i++)
		mean += level[i] / (double)n;
	for (size_t i = 0; i < b->n_boots; i++) {
		bool has = !isnan(b->boot[i].reference);

		drift[i] = level[at < n ? at : n - 1] - mean;
		at += has;
	}
}
