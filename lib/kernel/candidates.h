/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The commits that may have changed a metric, in an order in which one of them is
 * the first bad one.
 *
 * History is no line, but along first parents it is: that is the first stage.  Where
 * a merge turns out to be the culprit, its merged branches are the second, each a
 * line of its own; a branch all of whose commits are good leaves the merge itself.
 * Nothing is checked out and no ref is written.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernel/plumb.h"

struct candidate {
	char id[COMMIT_NAME_SIZE];
	char *subject, *author;		/* made visible (text_put_visible), one line */
	uint64_t committed;		/* seconds since 1970 */
	unsigned int parents;		/* more than 1: a merge, see candidates_inside() */
};

struct candidates {
	struct candidate *v;		/* oldest first */
	size_t n;
	char good[COMMIT_NAME_SIZE];	/* the state before v[0]: first parent of it */
	char bad[COMMIT_NAME_SIZE];	/* the state of v[n - 1], seen from the measured paths */
};

struct candidates_query {
	const char *tree;		/* folder of a git repository */
	const char *good, *bad;		/* any names of commits */
	const char *const *paths;	/* only commits that touch these; NULL: all. Ends in NULL */
	size_t max;			/* more is an error (E2BIG); 0: 100,000 */
};

/*
 * First stage.  EINVAL: good is not an ancestor of bad (@e names their merge base),
 * or no commit lies between them.  ENOENT: no such commit.
 */
_must_check_ int candidates_list(struct candidates *c, const struct candidates_query *q,
				 struct err *e);

/*
 * Second stage: what merge @id brought in through its parent number @parent (from 2
 * on), then the merge itself.  ->good is where the branch began; its state stands for
 * good.  With more than two parents test the branches' ends first, each for itself.
 * EINVAL: no merge, or no such parent.
 */
_must_check_ int candidates_inside(struct candidates *c, const char *tree, const char *id,
				   unsigned int parent, struct err *e);

void candidates_release(struct candidates *c);
#define _candidates_ _cleanup_(candidates_release)

/*
 * What the commit's change is, whatever tree it shows up in ("git patch-id --stable");
 * "" for a merge or an empty commit.
 */
_must_check_ int candidate_patch_id(const char *tree, const char *id, char out[COMMIT_NAME_SIZE],
				    struct err *e);
