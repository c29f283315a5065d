/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What one noisy measurement tells about a yes-or-no question.
 *
 * The answer shifts the mean of a normal value by @d standard deviations; one
 * value is seen.  In bits: Shannon (1948); the integral is done by the trapezium
 * rule, which for such a function is exact to about 1e-9.
 */
#pragma once

/* Bits learned where yes has the probability @p beforehand. @d >= 0. */
double channel_information(double p, double d);

/* The most that can be learned, which is at p = 1/2: 0.835 at d = 3.4. */
double channel_capacity(double d);

/* Entropy of a yes-or-no question in bits. */
double channel_entropy(double p);
