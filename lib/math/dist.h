/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Distributions, by R's mathlib; nothing else includes Rmath.h. */
#pragma once

/* Two-sided p of Student's @t; @df may be a fraction. */
double dist_t_p(double t, double df);

/* The t that two-sided p = @p belongs to. */
double dist_t_at(double p, double df);

/* The same for the normal distribution. */
double dist_normal_at(double p);

/*
 * dist_t_at() from dist_normal_at() of the same p, within a percent from four degrees
 * of freedom on, and fast: for forecasts.
 */
double dist_t_about(double z, double df);

/* Upper bound, one-sided at @level, of the rate of which @k of @n were seen. */
double dist_rate_above(unsigned int k, unsigned int n, double level);
double dist_rate_below(unsigned int k, unsigned int n, double level);

/*
 * Fisher's exact test (1934), two-sided: the probability, if both sides fail
 * alike, of tables no likelier than @k_a of @n_a against @k_b of @n_b.
 */
double dist_fisher_p(unsigned int k_a, unsigned int n_a, unsigned int k_b, unsigned int n_b);
