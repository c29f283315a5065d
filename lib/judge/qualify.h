/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Can this job be trusted on this machine?  Boots of one kernel, which differ by
 * nothing: how much do they differ, within and between boots; does the machine drift;
 * are there two modes; does comparing them with themselves raise an alarm; and what
 * is the smallest change that could be found?  Who is not qualified mails nobody.
 */
#pragma once

#include "judge/verdict.h"
#include "math/modes.h"

enum qualify_why {
	QUALIFY_GOOD,
	QUALIFY_FEW,		/* fewer boots than the question needs */
	QUALIFY_FAILS,		/* runs fail */
	QUALIFY_ALARM,		/* the same against itself is a change */
	QUALIFY_DRIFT,		/* later boots differ from earlier ones */
	QUALIFY_NOISY,		/* a change of 5 % would stay unseen */
};

#define QUALIFY_BOOTS 6

struct qualification {
	bool qualified;
	enum qualify_why why;
	unsigned int boots, runs, tried, failed;
	double mean;
	double between, within;		/* spreads, fractions; NaN: not known */
	double drift, drift_error;	/* second against first half, a fraction */
	struct modes modes;		/* of the logarithms of boots */
	double smallest;		/* a change found in 4 of 5 cases with 20 boots a side */
	struct verdict_result itself;	/* boots A B B A ... against each other */
	struct verdict_history history;	/* what verdicts may build on */
};

/* EINVAL: a value is NaN or infinite. */
_must_check_ int qualify(const struct verdict_side *side, const struct verdict_metric *metric,
			 unsigned int warmup, struct qualification *q, struct err *e);

/* Several lines: each figure in words, the last says qualified or not and why. */
void qualify_put(const struct qualification *q, struct text *out);
