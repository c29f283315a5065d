/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <math.h>

#include "math/gaussian_channel.h"

/* Beyond it the two densities do not overlap as far as a double can tell. */
#define APART		16.0
#define TAIL		8.5

double channel_entropy(double p)
{
	if (!(p > 0 && p < 1))
		return 0;
	return -(p * log2(p) + (1 - p) * log2(1 - p));
}

/*
 * H(answer) - E[H(answer | value)].  Given no, the value is z; given yes, d + z.
 * With l = log of the likelihood ratio yes : no, the answer's surprise is
 * log(1 + (1-p)/p e^-l) after a yes and log(1 + p/(1-p) e^l) after a no.
 */
double channel_information(double p, double d)
{
	double h = channel_entropy(p), odds, step, left = 0, weights = 0;

	if (h <= 0 || !(d > 0))
		return 0;
	if (d > APART)
		return h;
	odds = log(p / (1 - p));
	step = 0.5 / fmax(d, 2);
	for (double z = -TAIL; z <= TAIL; z += step) {
		double w = exp(-0.5 * z * z), yes = d * (z + d / 2), no = d * (z - d / 2);

		left += w * (p * log1p(exp(-odds - yes)) + (1 - p) * log1p(exp(odds + no)));
		weights += w;
	}
	return fmax(0, h - left / weights / M_LN2);
}

double channel_capacity(double d)
{
	return channel_information(0.5, d);
}
