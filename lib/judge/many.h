/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Many metrics, many jobs.  Of hundreds of metrics some change by chance; what is
 * shown must not.  The share of false ones among those shown is bounded (Benjamini
 * and Hochberg 1995).
 */
#pragma once

#include "judge/verdict.h"

struct many_row {
	struct verdict_result *r;
	const struct verdict_metric *metric;
	bool unconfirmed;	/* set: beyond chance by far, but no headline changed */
	double q;		/* set for watched ones: the share of false ones up to this; or NaN */
};

/*
 * The rows of one job.  Headlines keep their verdicts.  A watched metric explains
 * where a headline changed: with q < 0.05 it has a direction then, else it is
 * unsure.  Without such a change only q < 0.01 and 5 % are worth a row, unconfirmed.
 */
void many_judge(struct many_row *row, size_t n);

/*
 * The headlines of all jobs of one night: a change with q >= 0.05 among them
 * becomes unsure (REASON_MANY). Watched rows are passed over. Before many_judge().
 */
void many_headlines(struct many_row *row, size_t n);

/* q of each p; NaN stays NaN and counts for nothing. */
void many_q(const double *p, size_t n, double *q);
