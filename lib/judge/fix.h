/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Did the fix help?  Parent, bad, and bad with the fix: how much of what was lost
 * came back, recovery = (fix - bad) / (parent - bad), with its 95 % interval
 * (Fieller 1954: a ratio of two differences that share a term).
 */
#pragma once

#include "judge/verdict.h"

enum fix_word {
	FIX_RESTORES,	/* the interval includes all and excludes half (or lies above all) */
	FIX_PARTLY,	/* excludes nothing and all */
	FIX_NO_EFFECT,	/* includes nothing, excludes half */
	FIX_WORSE,	/* lies below nothing */
	FIX_UNSURE,
};

/* "restores", "partly", "no effect", "worse", "unsure". */
const char *fix_word(enum fix_word w);

struct fix_case {
	struct verdict_side parent, bad, fix;
	struct verdict_metric metric;
	struct verdict_history history;
	struct verdict_options options;
};

struct fix_result {
	enum fix_word word;
	double recovery, low, high;	/* fractions; infinite where the data bounds nothing */
	struct verdict_result gap;	/* bad against parent: without one nothing can be restored */
	struct verdict_result rest;	/* fix against parent: what remains */
	bool within_noise;		/* what remains is no more than the noise of one boot */
	unsigned int boots_next;	/* more of each worth starting: until +-15 points, or the cap */
};

/* EINVAL: a value is NaN or infinite. */
_must_check_ int fix_judge(const struct fix_case *c, struct fix_result *r, struct err *e);

/* "restores 87% [80%, 95%] of what was lost; what remains is within the noise". */
void fix_put(const struct fix_result *r, struct text *out);
