/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sums that do not lose small terms beside large ones (Neumaier 1974): the
 * error stays at one rounding, however many terms there are.
 */
#pragma once

#include <math.h>
#include <stddef.h>

struct sum {
	double total, lost;
};

static inline void sum_add(struct sum *s, double x)
{
	double t = s->total + x;

	s->lost += fabs(s->total) >= fabs(x) ? (s->total - t) + x : (x - t) + s->total;
	s->total = t;
}

static inline double sum_of(const struct sum *s)
{
	return s->total + s->lost;
}

/* NaN for none. */
double sum_mean(const double *v, size_t n);

/* Squared differences from @mean. */
double sum_squares(const double *v, size_t n, double mean);
