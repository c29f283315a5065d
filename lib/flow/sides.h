/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * From rows of the store to what the judge takes: which runs belong to which
 * column of which comparison.
 */
#pragma once

#include <stdbool.h>

#include "judge/verdict.h"
#include "store/store.h"

/* The runs of one column, in one comparison. */
struct side {
	size_t *row;		/* indices of store rows */
	size_t n;
};

/* One job on one machine in one mode: what may be compared. */
struct group {
	char *key;		/* canonical text without the axis, machine, mode */
	const struct store_row *first;	/* for names; borrowed */
	struct side *side;	/* one a column */
	bool mixed_programs;	/* the columns' tests are not the same bytes */
	char *others;		/* "label" and the like: what else differs; "" if nothing */
};

struct groups {
	struct group *group;
	size_t n, n_columns;
};

/* Which column a row belongs to: 0 to n_columns - 1, or -1. */
typedef int (*side_of)(const struct store_row *row, void *arg);

/*
 * Sorts the rows into groups; @axis (may be NULL) is left out of the job's
 * identity.  Groups without a run in every column are dropped and counted.
 */
_must_check_ int groups_make(struct groups *g, const struct store_rows *rows, size_t n_columns,
			     const char *axis, side_of of, void *arg, size_t *dropped,
			     struct err *e);
void groups_release(struct groups *g);
#define _groups_ _cleanup_(groups_release)

/* Value of a parameter in a job's canonical text, at any depth; NULL: none. Caller frees. */
char *params_get(const char *canonical, const char *key);

/* The canonical text without it. Caller frees. */
char *params_without(const char *canonical, const char *key);

/*
 * The runs of a side with their values of the metric that was loaded into the
 * rows, folded to one number each.  @run has room for side->n.
 */
struct verdict_side side_values(const struct side *side, const struct store_rows *rows,
				enum metric_fold fold, struct verdict_run *run);

/* What the store and the dictionary know of a metric, and how its runs are folded. */
struct verdict_metric side_metric(const struct store_metric_row *m, enum metric_fold *fold);

/*
 * What other boots of the group's job on its machine teach of a metric's spread, kernel
 * by kernel; the group's own sides are left out. The metric is loaded into @rows.
 */
struct verdict_history side_history(const struct group *g, size_t n_columns,
				    const struct store_rows *rows, enum metric_fold fold,
				    unsigned int warmup);
