/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <math.h>
#include <stdlib.h>

#include "math/random.h"
#include "math/rank.h"

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

double rank_shift(const double *a, size_t n_a, const double *b, size_t n_b)
{
	size_t n = n_a * n_b, k = 0;
	double *d, shift;

	if (!n)
		return NAN;
	d = malloc(n * sizeof(*d));
	if (!d)
		abort();
	for (size_t i = 0; i < n_a; i++)
		for (size_t j = 0; j < n_b; j++)
			d[k++] = b[j] - a[i];
	qsort(d, n, sizeof(*d), by_value);
	shift = (d[(n - 1) / 2] + d[n / 2]) / 2;
	free(d);
	return shift;
}

/*
 * With the sizes of the sides fixed, the difference of means grows with the sum
 * of B, so sums of B are compared.  Extreme is what lies as far from their mean.
 */
#define EXACT_ORDERS	5000
#define DRAWS		2000

struct orders {
	const double *v;
	size_t n, block;
	const unsigned int *k;	/* how many of each block are B */
	double centre, seen;	/* |sum of B - centre| as it was */
	double extreme, all;
};

static double choose(size_t n, size_t k)
{
	double c = 1;

	for (size_t i = 1; i <= k; i++)
		c = c * (double)(n - k + i) / (double)i;
	return c;
}

static size_t block_end(const struct orders *o, size_t start)
{
	return start + o->block < o->n ? start + o->block : o->n;
}

static void count_orders(struct orders *o, size_t i, size_t end, unsigned int left, double sum)
{
	while (i == end && i < o->n) {
		end = block_end(o, i);
		left = o->k[i / o->block];
	}
	if (i == o->n) {
		o->all++;
		if (fabs(sum - o->centre) >= o->seen * (1 - 1e-9))
			o->extreme++;
		return;
	}
	if (left)
		count_orders(o, i + 1, end, left - 1, sum + o->v[i]);
	if (end - i > left)
		count_orders(o, i + 1, end, left, sum);
}

static void draw_orders(struct orders *o, unsigned int draws)
{
	struct random r;

	random_seed(&r, 1);
	for (unsigned int d = 0; d < draws; d++) {
		double sum = 0;

		for (size_t start = 0; start < o->n; start += o->block) {
			size_t end = block_end(o, start);
			unsigned int left = o->k[start / o->block];

			/* Each of the remaining places is B with the share that is left. */
			for (size_t i = start; i < end; i++)
				if (random_below(&r, end - i) < left) {
					sum += o->v[i];
					left--;
				}
		}
		if (fabs(sum - o->centre) >= o->seen * (1 - 1e-9))
			o->extreme++;
	}
	o->all = draws;
}

double rank_blocks_p(const double *v, const bool *is_b, size_t n, size_t block, double *least)
{
	struct orders o = { .v = v, .n = n, .block = block };
	unsigned int *k = calloc(n / block + 1, sizeof(*k));
	double sum = 0, all = 1;

	if (!k)
		abort();
	o.k = k;
	for (size_t start = 0; start < n; start += block) {
		size_t end = block_end(&o, start);
		double total = 0;

		for (size_t i = start; i < end; i++) {
			total += v[i];
			k[start / block] += is_b[i];
			sum += is_b[i] ? v[i] : 0;
		}
		o.centre += total * k[start / block] / (double)(end - start);
		all *= choose(end - start, k[start / block]);
	}
	o.seen = fabs(sum - o.centre);
	if (all <= EXACT_ORDERS)
		count_orders(&o, 0, 0, 0, 0);
	else
		draw_orders(&o, DRAWS);
	free(k);
	if (least)
		*least = fmin(1, 2 / all);
	/* Of drawn orders the one that was is one more. */
	return all <= EXACT_ORDERS ? o.extreme / o.all : (o.extreme + 1) / (o.all + 1);
}
