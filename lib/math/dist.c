/* SPDX-License-Identifier: GPL-2.0-or-later */
#define MATHLIB_STANDALONE
#include <Rmath.h>

#include "math/dist.h"

double dist_t_p(double t, double df)
{
	return 2 * pt(-fabs(t), df, 1, 0);
}

/* Tables ask for the same few over and over: the 95 % ones are kept. */
double dist_t_at(double p, double df)
{
	static _Thread_local double kept[128];
	int i = (int)df;

	if (p != 0.05 || df < 1 || df >= 128 || df != i)
		return qt(p / 2, df, 0, 0);
	if (kept[i] == 0)
		kept[i] = qt(p / 2, df, 0, 0);
	return kept[i];
}

double dist_normal_at(double p)
{
	return qnorm(p / 2, 0, 1, 0, 0);
}

/* The expansion about the normal quantile (Fisher and Cornish 1960). */
double dist_t_about(double z, double df)
{
	double z2 = z * z;
	double one = (z2 + 1) / 4, two = ((5 * z2 + 16) * z2 + 3) / 96;
	double three = (((3 * z2 + 19) * z2 + 17) * z2 - 15) / 384;

	return z * (1 + (one + (two + three / df) / df) / df);
}

/* Clopper and Pearson 1934. */
double dist_rate_above(unsigned int k, unsigned int n, double level)
{
	return k >= n ? 1 : qbeta(level, k + 1.0, (double)n - k, 1, 0);
}

double dist_rate_below(unsigned int k, unsigned int n, double level)
{
	return k == 0 ? 0 : qbeta(1 - level, k, (double)n - k + 1, 1, 0);
}

double dist_fisher_p(unsigned int k_a, unsigned int n_a, unsigned int k_b, unsigned int n_b)
{
	unsigned int k = k_a + k_b;
	unsigned int low = k > n_b ? k - n_b : 0, high = k < n_a ? k : n_a;
	double seen = dhyper(k_a, n_a, n_b, k, 0), p = 0;

	/* A hair above, so that tables that are equally likely count as such. */
	for (unsigned int i = low; i <= high; i++) {
		double d = dhyper(i, n_a, n_b, k, 0);

		if (d <= seen * (1 + 1e-7))
			p += d;
	}
	return fmin(1, p);
}
