/* SPDX-License-Identifier: GPL-2.0-or-later */
#define MATHLIB_STANDALONE
#include <Rmath.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "math/sample.h"

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

double sample_mean(const struct sample *s)
{
	double sum = 0;

	for (size_t i = 0; i < s->n; i++)
		sum += s->v[i];
	return s->n ? sum / (double)s->n : NAN;
}

double sample_stddev(const struct sample *s)
{
	double mean = sample_mean(s), sum = 0;

	for (size_t i = 0; i < s->n; i++)
		sum += (s->v[i] - mean) * (s->v[i] - mean);
	return s->n > 1 ? sqrt(sum / (double)(s->n - 1)) : NAN;
}

double sample_median(const struct sample *s)
{
	double *v, median;

	if (!s->n)
		return NAN;
	v = malloc(s->n * sizeof(*v));
	if (!v)
		abort();
	memcpy(v, s->v, s->n * sizeof(*v));
	qsort(v, s->n, sizeof(*v), by_value);
	median = (v[(s->n - 1) / 2] + v[s->n / 2]) / 2;
	free(v);
	return median;
}

double sample_rank_p(const struct sample *a, const struct sample *b)
{
	double u = 0, most = (double)a->n * (double)b->n;

	if (!a->n || !b->n)
		return NAN;
	for (size_t i = 0; i < a->n; i++)
		for (size_t j = 0; j < b->n; j++)
			u += a->v[i] > b->v[j] ? 1 : a->v[i] == b->v[j] ? 0.5 : 0;
	u = fmin(u, most - u);
	return fmin(1, 2 * pwilcox(ceil(u), (double)a->n, (double)b->n, 1, 0));
}
