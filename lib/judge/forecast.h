/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a bisection will cost, before it starts.
 *
 *	boots = 1.3 (H / C(d) + ln(1 / (1 - confidence)) / (d^2 / 2))
 *
 * H: bits to be found out (log2 N for N equally likely commits); d: the change over
 * the spread between boots; C: capacity of the binary-input Gaussian channel.  The
 * first term is what any search needs at least, the second what the last decision
 * needs, 1.3 what this search took more in simulations.  Boots of the two ends
 * beforehand are not in it.
 */
#pragma once

#include <stddef.h>

#include "judge/bisect.h"

struct forecast {
	double bits;		/* H */
	double d;		/* change over spread, rebuilds included; infinite without spread */
	double capacity;	/* bits a boot */
	double ends;		/* boots of both ends beforehand */
	double boots, builds;	/* of the search */
	double secs;		/* all of it, by the costs in the options */
};

/* Infinite if d is 0: such a difference cannot be found. */
double forecast_boots(double bits, double d, double confidence);

/* From what is known before the first boot: b->change, b->s0, tau, weights, costs. */
struct forecast bisect_forecast(const struct bisect *b);

/* "about 36 boots and 20 builds, 1 h 10 min (...)", one line without a newline. */
void forecast_put(const struct forecast *f, struct text *out);
