/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <math.h>
#include <string.h>

#include "base/text.h"
#include "parser/spread.h"

void spread_add(struct spread *s, double v)
{
	GROW(s->v, s->n);
	s->v[s->n++] = v;
}

void spread_clear(struct spread *s)
{
	free(s->v);
	*s = (struct spread){};
}

double spread_sum(const struct spread *s)
{
	double sum = 0;

	for (size_t i = 0; i < s->n; i++)
		sum += s->v[i];
	return sum;
}

double spread_mean(const struct spread *s)
{
	return s->n ? spread_sum(s) / (double)s->n : 0;
}

double spread_min(const struct spread *s)
{
	double least = s->n ? s->v[0] : 0;

	for (size_t i = 1; i < s->n; i++)
		least = s->v[i] < least ? s->v[i] : least;
	return least;
}

double spread_max(const struct spread *s)
{
	double most = s->n ? s->v[0] : 0;

	for (size_t i = 1; i < s->n; i++)
		most = s->v[i] > most ? s->v[i] : most;
	return most;
}

static int ascending(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

double spread_median(const struct spread *s)
{
	_free_ double *v = NULL;

	if (!s->n)
		return 0;
	v = mem_zero(s->n, sizeof(*v));
	memcpy(v, s->v, s->n * sizeof(*v));
	qsort(v, s->n, sizeof(*v), ascending);
	return (v[(s->n - 1) / 2] + v[s->n / 2]) / 2;
}

double spread_harmonic_mean(const struct spread *s)
{
	double sum = 0;

	for (size_t i = 0; i < s->n; i++) {
		if (s->v[i] == 0)
			return 0;
		sum += 1 / s->v[i];
	}
	return sum != 0 ? (double)s->n / sum : 0;
}

double spread_deviation(const struct spread *s, double centre, size_t freedom)
{
	double sum = 0;

	if (s->n <= freedom)
		return 0;
	for (size_t i = 0; i < s->n; i++)
		sum += (s->v[i] - centre) * (s->v[i] - centre);
	return sqrt(sum / (double)(s->n - freedom));
}

double spread_round(double v, int digits)
{
	double scale = pow(10, digits), f = round(v * scale);

	/* A half that the multiplication lost is a half all the same. */
	if (v > 0 && (f + 0.5) / scale <= v)
		f += 1;
	if (v < 0 && (f - 0.5) / scale >= v)
		f -= 1;
	return isfinite(f) ? f / scale : v;
}
