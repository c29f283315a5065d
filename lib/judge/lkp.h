/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The rule of LKP (lkp-tests, 2026), for comparison with its reports: did a metric
 * change between two kernels, by the ranges and medians of its samples?  It knows no
 * interval and loses power with more runs; verdict.h is krobot's own.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/text.h"

struct lkp_values {
	const double *v;
	size_t n;	/* 0: the metric is not there; fewer than the runs: the rest is 0 */
	size_t runs;	/* columns of this side's matrix */
};

struct lkp_options {
	double gap;		/* > 0: the ranges' distance in differences of medians */
	double variance;	/* > 0: compare spreads instead; needs ten runs a side */
	double profile;		/* > 0: perf-profile rows count from this share on */
	bool more;		/* also metrics that LKP leaves out of its reports */
};

struct lkp_stat {
	bool failure;		/* counts of something going wrong, or passing */
	double min_a, median_a, max_a, min_b, median_b, max_b;
	double ratio, delta;	/* of the medians, at least 1 and at most 5; at least 0 */
	double x, y, z;		/* width of a, distance of the ranges, width of b */
};

/* @a: the head, @b: the base. @s may be filled also if the answer is no. */
bool lkp_changed(const char *name, struct lkp_values a, struct lkp_values b,
		 const struct lkp_options *o, struct lkp_stat *s);

/* Counts of failures and passes ("dmesg.WARNING...", "xfstests.generic.001.fail"). */
bool lkp_is_failure(const char *name);

/* Written by what watches a test, not by a test ("proc-vmstat.numa_hit"). */
bool lkp_is_monitor(const char *name);

/* Differences of these are told as they are, not in percent of the base. */
bool lkp_is_absolute(const char *name);

/* "[ 10         - 10         ] -- [ 20         - 20         ]" */
void lkp_put_interval(const struct lkp_stat *s, struct text *out);

/* The mean, 0 of none; @spread: the standard deviation, -1 below two values. */
double lkp_mean(const double *v, size_t n, double *spread);
