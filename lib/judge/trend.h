/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A series along a branch: where did its level change?
 *
 * A row per boot, in the order of commits; several rows of one commit are averaged,
 * commits without rows are gaps.  On logarithms (values, if some are not positive):
 * the noise from differences of neighbours, which steps hardly touch; spikes clipped
 * to the local median; the partition into levels of least squares with a price for
 * each step (optimal partitioning, Jackson 2005) over candidates that nested
 * intervals propose (seeded binary segmentation, Kovacs 2023), so that time stays
 * near-linear.  The price grows with the autocorrelation of the noise.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "metric/dictionary.h"

struct trend_row {
	double value;		/* finite; one boot */
	uint32_t commit;	/* its place along the branch; never falls from row to row */
};

/* {} is what krobot does by default. */
struct trend_options {
	enum metric_better better;
	double price;		/* of a step, in noise variances times ln n; 0: 3 */
	double mail;		/* the same, for steps worth a mail; 0: 6 */
	double smallest;	/* steps below it, or below one spread, are none; 0: 0.005 */
};

/* Fractions where the trend is relative, else in the metric's unit. */
struct trend_change {
	uint32_t before, at;	/* the commits with data around it: the change came after
				 * the one, with or before the other */
	uint32_t low, high;	/* commits that fit nearly as well (2 log units): first, last */
	size_t row;		/* index of the first point (commit with data) after it */
	double change, change_low, change_high;	/* 95 % */
	double mean_before, mean_after;
	double p;		/* that blocks of the two levels shuffled show as large a step */
	bool mail;		/* clear enough to tell somebody */
	bool worse;		/* by the metric's direction */
};

struct trend {
	bool relative;
	double noise;		/* spread of a point */
	double memory;		/* long-run variance over variance: 1 for independent points */
	double *point;		/* one per commit with data: mean of its rows */
	uint32_t *commit;	/* their places */
	size_t n;
	struct trend_change *change;
	size_t n_changes;
};

/* EINVAL: a value is not finite, or commits fall. Few rows are no error: no change. */
_must_check_ int trend_find(struct trend *t, const struct trend_row *row, size_t n,
			    const struct trend_options *o, struct err *e);
void trend_release(struct trend *t);
#define _trend_ _cleanup_(trend_release)

/*
 * How well each commit from change->low to change->high fits as the one, summing to
 * 1: the prior of a bisection.  Commits without data share what lies between their
 * neighbours. @weight has high - low + 1 places.
 */
void trend_weights(const struct trend *t, const struct trend_change *c, double *weight);
