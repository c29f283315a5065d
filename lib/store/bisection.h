/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Bisections, so that one that was interrupted goes on where it was.  What was
 * measured is in the steps; @memory is for what else it needs.
 *
 * Texts in these structs are borrowed where a struct goes in; lists that come out
 * own theirs.
 */
#pragma once

#include "store/store.h"

struct store_bisection_step {
	int64_t at_ns;
	const char *commit;
	const char *what;		/* measured, skipped, same build ... */
	double value;		/* NaN: none */
	const char *detail;
};

struct store_bisection {
	int64_t id;
	int64_t finding;	/* 0: none */
	const char *repository;
	const char *good, *bad;
	const char *params, *metric;	/* the job's canonical text */
	const char *state;	/* open, found, range, not reproduced, budget ended, given up */
	const char *culprit;		/* NULL: none */
	double confidence;	/* NaN: not known */
	const char *memory;
	int64_t opened_ns, changed_ns;
	struct store_bisection_step *step;	/* in their order */
	size_t n_steps;
};

struct store_bisections {
	struct store_bisection *row;
	size_t n;
};

void store_bisections_release(struct store_bisections *b);
#define _store_bisections_ _cleanup_(store_bisections_release)

/* A new one; its state is open. id, steps, culprit and changed_ns do not count. */
_must_check_ int store_bisection_open(struct store *s, const struct store_bisection *b,
				      int64_t *id, struct err *e);

/* Adds a step and the memory after it, in one transaction. @memory NULL: as it was. */
_must_check_ int store_bisection_add(struct store *s, int64_t id,
				     const struct store_bisection_step *step,
				     const char *memory, struct err *e);

/* Its end (state is not open), or that it goes on (open). @culprit may be NULL. */
_must_check_ int store_bisection_end(struct store *s, int64_t id, const char *state,
				     const char *culprit, double confidence, int64_t now_ns,
				     struct err *e);

/*
 * With their steps, newest first.  @id > 0: this one; @state NULL: in every
 * state.  None is no error.
 */
_must_check_ int store_bisections(struct store *s, int64_t id, const char *state,
				  struct store_bisections *out, struct err *e);
