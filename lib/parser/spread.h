/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Several values of one thing within a run (rounds, processes, threads) and
 * the few figures that benchmarks' own scripts make of them.  What they say is
 * the spread within a run; between runs is another matter (lib/math).
 */
#pragma once

#include <stddef.h>

#include "base/attr.h"

struct spread {
	double *v;
	size_t n;
};

void spread_add(struct spread *s, double v);
void spread_clear(struct spread *s);	/* empties and frees */

/* All are 0 for no values. */
double spread_sum(const struct spread *s);
double spread_mean(const struct spread *s);
double spread_min(const struct spread *s);
double spread_max(const struct spread *s);
double spread_median(const struct spread *s);		/* mean of the middle two */
double spread_harmonic_mean(const struct spread *s);	/* 0 if a value is 0 */

/* Standard deviation around @centre, divided by n - @freedom; 0 if that is 0. */
double spread_deviation(const struct spread *s, double centre, size_t freedom);

/* To @digits decimals, halves away from zero. */
double spread_round(double v, int digits);

#define _spread_ _cleanup_(spread_clear)
