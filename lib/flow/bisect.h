/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The loop of a bisection: git says which commits there are, the judge which to boot
 * next, a measure boots it, the store remembers.  After each boot everything known is
 * in the store, so that a bisection goes on where it was, whatever ended it.
 *
 * First the two ends, until they differ or plainly do not; then the forecast, then the
 * commits along first parents; then, if the culprit is a merge of two, those that it
 * brought in.  Boots of the first stage count in the second: all before the merge are
 * good, all from it on are bad.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/err.h"
#include "base/text.h"
#include "judge/bisect.h"
#include "kernel/plumb.h"
#include "store/store.h"

enum measure_end {
	MEASURE_DONE,
	MEASURE_NO_BUILD,	/* skip the commit */
	MEASURE_NO_BOOT,	/* skip the commit */
	MEASURE_LOST,		/* by the machinery: says nothing of the commit */
	MEASURE_ENDS,
};

struct measurement {
	double value;		/* DONE: the metric, above 0 */
	int direction;		/* 1: higher is worse, -1: lower is; 0: not known */
	struct text why;	/* what else it ended with */
};

/* How a commit is measured.  Both return a measure_end, or -errno: trouble. */
struct bisect_measure {
	/*
	 * Makes the kernel ready.  @build gets a name that is the same for two builds only
	 * if they are the same kernel; it may be left empty.
	 */
	int (*prepare)(void *arg, const char *commit, struct text *build,
		       struct measurement *m, struct err *e);
	int (*boot)(void *arg, const char *commit, struct measurement *m, struct err *e);
	void *arg;
};

struct bisection_opts {
	const char *tree;		/* a folder of the git repository */
	const char *good, *bad;		/* any names of commits; not asked for with resume */
	const char *const *paths;	/* only commits that touch these; NULL: all; ends in NULL */
	const char *params, *metric;	/* for the store: the job; metric NULL: the headline */
	bool exact;			/* the same code gives the same value: a boot a step */
	uint64_t budget;		/* boots in all, ends included; 0: none */
	double confidence;		/* 0: 0.95 */
	bool resume;			/* the newest that is open in the store */
	FILE *out;			/* forecast, a line a step, the answer */
};

enum bisection_answer {
	BISECTION_CULPRIT,
	BISECTION_SET,			/* one of first .. last, which cannot be told apart */
	BISECTION_NOT_REPRODUCED,
	BISECTION_BUDGET,		/* spent, or the forecast is over it */
	BISECTION_UNTESTABLE,		/* an end does not build or boot */
};

struct bisection {
	char first[COMMIT_NAME_SIZE], last[COMMIT_NAME_SIZE];	/* CULPRIT: the same */
	char parent[COMMIT_NAME_SIZE];	/* first parent of first */
	double confidence;
	unsigned int boots, lost;
};

/* Returns a bisection_answer, or -errno; ENOENT: nothing to resume. */
_must_check_ int bisection_run(struct store *s, const struct bisection_opts *o,
			       const struct bisect_measure *measure, struct bisection *b,
			       struct err *e);
