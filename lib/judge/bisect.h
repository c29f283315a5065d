/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which commit changed a metric, when each boot tells only roughly
 *
 * Between a good and a bad kernel lie commits in order.  Each of them may be the
 * first bad one, or none is (the difference was luck, or is not in the kernel).
 * Every boot shifts the belief in each of these by what its value says; nothing is
 * ever thrown away, so that one misleading boot costs a few more, not the answer.
 *
 * The model: log values are normal about one mean before the culprit and another
 * from it on.  Both means and the spread are unknown: the difference has a normal
 * prior on the right side of zero, the spread has the machine's history as prior
 * (inverse gamma, worth a0 degrees of freedom).  Each build has an offset of its
 * own, because a rebuild moves code.  All that integrates in closed form (Zellner
 * 1986; for the search as such Horstein 1963, Burnashev and Zigangirov 1974).
 *
 * Values are natural logarithms: a change of 0.034 is about +3.4 %.  Pure: the
 * caller boots and builds, keeps the list of boots, and asks again.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/text.h"

/* Where a boot belongs, other than to a commit 0 .. n - 1. */
#define BISECT_GOOD	(-1)	/* the known good kernel, parent of commit 0 */
#define BISECT_BAD	(-2)	/* the known bad kernel: the state of commit n - 1 */

enum bisect_known {
	BISECT_UNKNOWN,
	BISECT_YES,
	BISECT_NO,
};

struct bisect_commit {
	double weight;			/* how likely beforehand, against others; 0: cannot be */
	enum bisect_known builds, boots;
	uint32_t build;			/* same number: the same normalised build; 0: not known */
};

struct bisect_boot {
	int64_t at;			/* a commit, BISECT_GOOD or BISECT_BAD */
	uint32_t build;			/* 0: the commit's */
	double value;			/* log of the metric; finite */
	double reference;		/* log value of the reference kernel in this step; NaN: none.
					 * That boot may also be listed for itself. */
};

/* {} means the default everywhere. */
struct bisect_options {
	double confidence;		/* to stop with an answer; 0: 0.95 */
	double none;			/* prior that no commit is to blame; 0: 0.1 */
	unsigned int ends_min;		/* boots of each end at first; 0: by change and s0, 3 to 30 */
	unsigned int ends_max;		/* after so many without a difference: stop; 0: 30 */
	unsigned int boots_max;		/* budget; 0: none */
	double secs_max, secs_spent;	/* budget in time; 0: none */
	double build_secs, boot_secs;	/* costs; 0, 0: only boots count */
};

struct bisect {
	const struct bisect_commit *commit;	/* oldest first */
	size_t n;
	const struct bisect_boot *boot;		/* in the order of time */
	size_t n_boots;
	uint32_t good_build, bad_build;		/* as in bisect_commit */
	int direction;			/* 1: bad is higher, -1: lower, 0: not known */
	double change;			/* the difference expected, log; 0: not known */
	double a0, s0;			/* spread between boots, log, and its degrees of freedom */
	double tau;			/* spread between rebuilds, log; 0: not known, a tenth of s0 */
	struct bisect_options options;
};

enum bisect_action {
	BISECT_BOOT,		/* boot `at`, build it first if it is not built */
	BISECT_CULPRIT,		/* commit `first` */
	BISECT_SET,		/* one of first .. last: no kernel between them can be tested */
	BISECT_NOT_REPRODUCED,	/* good and bad do not differ */
	BISECT_BUDGET,		/* spent; first .. last hold what `confidence` says */
};

enum bisect_reason {
	BISECT_ENDS,		/* boot: do good and bad differ at all? */
	BISECT_ANCHOR,		/* boot: what good or bad is must be known better */
	BISECT_GAIN,		/* boot: tells most for its cost */
	BISECT_SURE,		/* stop: the confidence is reached */
	BISECT_NO_GAP,		/* stop: ends_max boots of each end show no difference */
	BISECT_SAME_BUILD,	/* stop: good and bad are one build, or no commit can be it */
	BISECT_SPENT,		/* stop: the budget */
};

struct bisect_step {
	enum bisect_action action;
	enum bisect_reason reason;
	int64_t at;
	size_t first, last;	/* the likeliest range; see above */
	double confidence;	/* that the culprit is in it; NOT_REPRODUCED: that there is none */
	double good_p;		/* BOOT: that `at` is good */
	double gain;		/* BOOT: bits expected from it */
	double bits;		/* entropy of the belief */
	double none;		/* that no commit is to blame */
	double change, error;	/* bad less good, log, and its standard error */
	double spread;		/* between boots, log */
	double boots_left;	/* forecast */
};

/*
 * What to do next.  @p takes n + 1 probabilities, the last that of "none"; NULL:
 * not wanted.  EINVAL: a boot of no such commit, or a value that is no number.
 * O(n) a call.
 */
_must_check_ int bisect_next(const struct bisect *b, double *p, struct bisect_step *step,
			     struct err *e);

/* "boot 512: ... because ...", one line without a newline. Commits are numbered from 1. */
void bisect_put_step(const struct bisect_step *step, struct text *out);

/*
 * A bisection as text and back, so that it can be resumed: a record (base/record.h).
 * What bisect_read() fills is released by bisect_release().
 */
struct bisect_state {
	struct bisect b;
	struct bisect_commit *commit;
	struct bisect_boot *boot;
};

void bisect_print(const struct bisect *b, struct text *out);
_must_check_ int bisect_read(struct bisect_state *s, const char *text, size_t len,
			     const char *name, struct err *e);
void bisect_state_release(struct bisect_state *s);
#define _bisect_ _cleanup_(bisect_state_release)

/* Adds a boot; s->b is kept up to date. */
void bisect_state_add(struct bisect_state *s, struct bisect_boot boot);
