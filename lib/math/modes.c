/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "math/modes.h"
#include "math/sum.h"

#define CLEAR	10
#define ROUNDS	200

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* Cut in two where the squares about both means are least. */
static void start(struct modes *m, const double *v, size_t n)
{
	struct sum left = {}, all = {};
	double most = -1;

	for (size_t i = 0; i < n; i++)
		sum_add(&all, v[i]);
	for (size_t i = 1; i < n; i++) {
		double k = (double)i, rest = (double)(n - i), low, high, between;

		sum_add(&left, v[i - 1]);
		low = sum_of(&left) / k;
		high = (sum_of(&all) - sum_of(&left)) / rest;
		between = (high - low) * (high - low) * k * rest;
		if (between <= most)
			continue;
		most = between;
		m->low = low;
		m->high = high;
		m->share_high = rest / (double)n;
	}
}

static double density(double x, double mean, double spread)
{
	return exp(-0.5 * (x - mean) * (x - mean) / (spread * spread)) /
		(spread * sqrt(2 * M_PI));
}

/* One round; returns the log likelihood before it. */
static double improve(struct modes *m, const double *v, size_t n, double least)
{
	struct sum weight = {}, high = {}, low = {}, squares = {}, likelihood = {};
	double mean_high, mean_low;

	for (int pass = 0; pass < 2; pass++) {
		mean_high = sum_of(&high) / sum_of(&weight);
		mean_low = sum_of(&low) / ((double)n - sum_of(&weight));
		for (size_t i = 0; i < n; i++) {
			double h = m->share_high * density(v[i], m->high, m->spread);
			double l = (1 - m->share_high) * density(v[i], m->low, m->spread);
			double w = h + l > 0 ? h / (h + l) : v[i] > (m->low + m->high) / 2;

			if (pass) {
				sum_add(&squares, w * pow(v[i] - mean_high, 2) +
					(1 - w) * pow(v[i] - mean_low, 2));
				continue;
			}
			sum_add(&weight, w);
			sum_add(&high, w * v[i]);
			sum_add(&low, (1 - w) * v[i]);
			sum_add(&likelihood, log(fmax(h + l, 1e-300)));
		}
		if (sum_of(&weight) < 1e-9 || sum_of(&weight) > (double)n - 1e-9)
			return sum_of(&likelihood);
	}
	m->high = mean_high;
	m->low = mean_low;
	m->share_high = sum_of(&weight) / (double)n;
	m->spread = fmax(least, sqrt(sum_of(&squares) / (double)n));
	return sum_of(&likelihood);
}

struct modes modes_find(const double *v, size_t n)
{
	double mean = sum_mean(v, n), spread = sqrt(sum_squares(v, n, mean) / (double)n);
	struct modes one = { .low = mean, .high = mean, .spread = spread }, m = one;
	double *sorted, alone, both = 0, least = 0.05 * spread;

	if (n < MODES_FEWEST || !(spread > 0))
		return one;
	sorted = malloc(n * sizeof(*sorted));
	if (!sorted)
		abort();
	memcpy(sorted, v, n * sizeof(*v));
	qsort(sorted, n, sizeof(*sorted), by_value);
	start(&m, sorted, n);
	m.spread = spread / 2;
	for (int i = 0; i < ROUNDS; i++)
		both = improve(&m, sorted, n, least);
	free(sorted);
	alone = -0.5 * (double)n * (1 + log(2 * M_PI * spread * spread));
	/* Two means, a spread and a share against a mean and a spread. */
	m.bic = one.bic = 2 * (both - alone) - 2 * log((double)n);
	m.two = m.bic > CLEAR;
	return m.two ? m : one;
}
