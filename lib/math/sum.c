/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "math/sum.h"

double sum_mean(const double *v, size_t n)
{
	struct sum s = {};

	for (size_t i = 0; i < n; i++)
		sum_add(&s, v[i]);
	return n ? sum_of(&s) / (double)n : NAN;
}

double sum_squares(const double *v, size_t n, double mean)
{
	struct sum s = {};

	for (size_t i = 0; i < n; i++)
		sum_add(&s, (v[i] - mean) * (v[i] - mean));
	return sum_of(&s);
}
