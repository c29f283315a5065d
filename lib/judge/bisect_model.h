/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The belief: what the boots so far say of every commit.
 *
 * Kernel states are numbered 0 (good), 1 .. n (commit 0 .. n - 1); that commit k is
 * the culprit means that the states up to k are good and those from k + 1 on bad.
 */
#pragma once

#include "judge/bisect.h"

/* The boots of one build of one state. */
struct bisect_group {
	size_t state;
	uint64_t build;
	unsigned int n;
	double mean, squares;	/* squares: sum about the mean */
	double w;		/* what its mean weighs, in boots: n / (1 + n rho) */
};

/* What a cut between groups says: those before it are good, the others bad. */
struct bisect_cut {
	double log_p;		/* of the boots, up to a constant */
	double change, var;	/* of the difference, given the cut */
	double sigma2;		/* of a boot */
	double good_w, bad_w;
};

struct bisect_model {
	const struct bisect *b;
	double a0, s0, rho, g;	/* as used; g: prior variance of the change in sigma^2 */
	double none_prior, log_none;
	double centre;			/* of the change's prior */
	struct bisect_group *group;	/* by state */
	size_t n_groups;
	struct bisect_cut *cut;		/* n_groups + 1 of them; cut i: groups 0 .. i - 1 good */
	double *weight;			/* n: prior, 0 where the builds exclude it; sums to 1 */
	size_t *first;			/* n + 1: first state that is as good or bad as this one */
	double *p;			/* n + 1: the belief */
	double *good;			/* n + 1: that state s is good, given that there is one culprit */
	bool possible;			/* some weight is left */
	double change, error, spread;	/* averages over the belief */
	double good_w, bad_w;		/* expected weight of the boots on either side */
	unsigned int good_boots, bad_boots;	/* of the known ends */
};

_must_check_ int bisect_model_make(struct bisect_model *m, const struct bisect *b, struct err *e);
void bisect_model_release(struct bisect_model *m);

/*
 * Drift of the machine at each boot, from the reference boots: a random walk seen
 * through noise, smoothed (Rauch, Tung and Striebel 1965), its pace by maximum
 * likelihood.  Zero where a random walk explains them no better than none.
 * @drift takes b->n_boots values.
 */
void bisect_drift(const struct bisect *b, double *drift);
