/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Do these patches apply to that commit?  Tried in an index and an object store of
 * our own: the user's tree is read, never written, and nothing is checked out.  There
 * is no fuzz and no merging: what is built is what was sent, or it is refused.
 */
#pragma once

#include "kernel/patchmail.h"
#include "kernel/plumb.h"

struct applied {
	char commit[COMMIT_NAME_SIZE];	/* base with all patches; same input, same name */
	char tree_hash[COMMIT_NAME_SIZE];	/* of its files */
	char **patch_file;		/* the diffs in order, for REVISION+FILE (kernel/kernel.h) */
	size_t n;
	size_t failed;			/* which patch does not apply, from 0 */
	char *why;			/* and what git says, visible; NULL: all apply */
};

enum applies_answer {
	APPLIES_ALL,
	APPLIES_NOT,			/* ->failed and ->why say it */
	APPLIES_NOTHING_NEW,		/* they apply and change no file */
};

/*
 * @tree: a git repository, @base: a commit of it.  @folder, which is there and ours,
 * gets the patch files, the index and the new objects; it is the caller's to remove.
 * An enum applies_answer or -errno.
 */
_must_check_ int applies_try(struct applied *a, const char *tree, const char *base,
			     const struct patchmail *m, const char *folder, struct err *e);

/*
 * Adds to @m the patch that takes @commit back (a merge: against its first parent), to
 * be tried on the branch's tip.  EINVAL: a commit without a parent or without a change.
 */
_must_check_ int applies_revert(const char *tree, const char *commit, struct patchmail *m,
				struct err *e);

void applied_release(struct applied *a);
#define _applied_ _cleanup_(applied_release)
