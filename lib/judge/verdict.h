/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Two kernels, one job, one machine, one metric: what may be said?
 *
 * The unit is the boot.  The runs of a boot are averaged to one value, and only
 * the spread between boots enters the verdict; the spread within boots is told
 * apart.  On the logarithms of those values: a t-test whose variance is moderated
 * by what is known of this job on this machine (Smyth 2004), an interval, and a
 * decision in three ways: changed, same within a bound, or unsure and how many
 * more boots would tell.  Two cross-checks that know nothing of normal
 * distributions (permutation within the blocks of the order, Hodges-Lehmann
 * shift) and the drift between equal points can withhold a verdict, never make one.
 *
 * Changes are fractions: 0.034 is +3.4 %.  Pure: no clock, no files; the answer
 * does not depend on the order in which runs are given.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/text.h"
#include "metric/dictionary.h"

enum verdict {
	VERDICT_REGRESSION,
	VERDICT_IMPROVEMENT,
	VERDICT_CHANGE,		/* changed, and the metric has no better direction */
	VERDICT_SAME,		/* the interval lies within +-1.5 % */
	VERDICT_UNSURE,
	VERDICT_BROKEN,		/* runs fail that did not fail before */
};

/* "regression", "improvement", "change", "same", "unsure", "broken". */
const char *verdict_word(enum verdict v);

/* Why it is that verdict; for UNSURE what stands in the way. */
enum verdict_reason {
	REASON_DECIDED,		/* changed: beyond the noise and beyond every floor */
	REASON_WITHIN,		/* same: the interval lies within the bound */
	REASON_FEW_BOOTS,	/* fewer boots a side than a verdict needs */
	REASON_LUCK,		/* so few boots may differ by luck of modes; see verdict.c */
	REASON_NOISE,		/* neither a change nor its absence is shown */
	REASON_SMALL,		/* there is a change, too small to matter or to be the same */
	REASON_DRIFT,		/* the machine moved between equal points */
	REASON_OUTLIERS,	/* the cross-checks do not agree: driven by outliers */
	REASON_ABSENT_A,	/* the metric is not there on this side */
	REASON_ABSENT_B,
	REASON_FAILED_A,	/* all runs of the base failed: nothing to compare with */
	REASON_FAILED_B,	/* runs of B fail, those of A do not */
	REASON_MANY,		/* among so many metrics or jobs chance does as much (many.h) */
};

/* One run's value of the metric. */
struct verdict_run {
	double value;		/* finite; the run's series folded to one number */
	uint32_t boot;		/* which boot; the same number on both sides: the same boot */
	int64_t order;		/* grows with time over both sides: a position or a time */
};

struct verdict_side {
	const struct verdict_run *run;	/* runs without a value are left out */
	size_t n_runs;
	unsigned int tried, failed;	/* runs at all and failed ones; 0, 0: not known */
};

struct verdict_metric {
	const char *name;
	const char *unit;		/* NULL: not known */
	enum metric_better better;
	double floor;			/* smallest difference that matters, in the unit; 0: none */
	double quantum;			/* resolution in the unit; 0: as the values are written */
	bool headline;
};

/* What is known of this metric of this job on this machine. {}: nothing. */
struct verdict_history {
	double d0;		/* degrees of freedom that the knowledge is worth */
	double s0;		/* spread between boots, as a fraction of the mean */
	double tau;		/* spread between rebuilds of one source, a fraction */
};

/* What one comparison is of. */
enum verdict_unit {
	UNIT_AUTO,	/* by the boots: RUN if all is one boot, PAIR if sides share boots */
	UNIT_BOOT,
	UNIT_PAIR,	/* both sides within each of several boots; their differences count */
	UNIT_RUN,	/* between runs of one boot: says nothing about another boot */
};

/* {} is what krobot does by default. */
struct verdict_options {
	unsigned int warmup;	/* runs to drop at the start of each boot that has more */
	enum verdict_unit unit;
	double smallest;	/* changes below it are none; 0: 0.01 */
	double same;		/* bound of "same"; 0: 0.015 */
	double alpha;		/* p for a change; 0: see verdict.c */
	unsigned int cap;	/* boots a side at most; 0: 20 */
};

struct verdict_case {
	struct verdict_side a, b;	/* a: base, parent; b: what is judged */
	struct verdict_metric metric;
	struct verdict_history history;
	struct verdict_options options;
};

struct verdict_column {
	unsigned int boots, runs;	/* used, after warm-up */
	unsigned int tried, failed;
	double mean;			/* of the units; NaN if there are none */
	double spread;			/* between units, a fraction of the mean; NaN below two */
	double within;			/* between runs of one boot, the same; NaN: not known */
};

struct verdict_result {
	enum verdict verdict;
	enum verdict_reason reason;
	enum verdict_unit unit;		/* never AUTO */
	bool relative;			/* else change, low, high, drift, noise are in the unit:
					 * values at or about zero have no ratio */
	double change, low, high;	/* with its 95 % interval; NaN: not known */
	double change_of_means;		/* mean of B over mean of A, less 1 (or less, if absolute) */
	double without_first;		/* change if each boot's first used run is left out; or NaN */
	double p;			/* two-sided, that there is no change; NaN: not known */
	double df;
	double noise;			/* moderated spread of one unit */
	double drift, drift_error;	/* later against earlier points of A, its standard error */
	double shift;			/* Hodges-Lehmann, as change; NaN: not computed */
	double permutation_p;		/* NaN: not computed */
	double fisher_p;		/* that failures are alike; NaN: not known */
	double needed;			/* the smallest change that counted here (floors, quantum) */
	double same_bound, alpha;	/* as used */
	struct verdict_column a, b;
	unsigned int boots_wanted;	/* more a side that would likely decide; 0: none */
	bool wanted_many;		/* ... and at least that many: no number is in reach */
	unsigned int boots_next;	/* more a side worth starting now; 0: stop. See below */
};

/*
 * Judges.  EINVAL: a value is NaN or infinite (@e says which).  Everything else,
 * down to two empty sides, has a verdict.
 *
 * Boots are added in stages: start with VERDICT_FIRST boots a side in the order
 * A B B A A B ..., judge, add boots_next a side (the order goes on), judge all of
 * them again, until boots_next is 0.  The figures for false alarms hold for that
 * and for looking once.
 */
#define VERDICT_FIRST 3
_must_check_ int verdict_judge(const struct verdict_case *c, struct verdict_result *r,
			       struct err *e);

/* What a change in that direction is called. */
enum verdict verdict_direction(enum metric_better better, double change);

/* Which side comes at position @i (from 0) of a session: false A, true B. */
bool verdict_order(unsigned int i);

/* "within noise; 4 more boots a side would tell": one line, no newline. */
void verdict_put_reason(const struct verdict_result *r, struct text *out);

/* Step by step, in words and figures, a line each; for `compare --explain`. */
void verdict_explain(const struct verdict_result *r, const struct verdict_metric *m,
		     struct text *out);

/* "+39.8%" or, if absolute, "+12.5"; "[+38.9%, +40.7%]" or "+-1.8". "n/a" for NaN. */
void verdict_put_change(const struct verdict_result *r, double change, struct text *out);
void verdict_put_interval(const struct verdict_result *r, struct text *out);

/*
 * What past sets of boots teach: each set is boots of one kernel, values positive.
 * Its spread within sets, worth at most 20 degrees of freedom.
 */
struct verdict_set {
	const double *value;	/* one per boot */
	size_t n;
};

struct verdict_history verdict_learn(const struct verdict_set *set, size_t n);
