/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Git trees by the git program's plumbing.  The user's repository is only read:
 * no ref, no index and no file of it changes.  What is made (the trees of
 * patches, files laid out for a build) goes to folders of our own.
 */
#pragma once

#include "base/err.h"

struct git {
	char *dir;		/* the repository's .git */
	char *objects;		/* of it */
	char *own;		/* folder for objects that we make */
};

#define GIT_NONE { NULL, NULL, NULL }

/* @tree: a folder in the repository. ENOENT when it is in none. */
_must_check_ int git_open(struct git *g, const char *tree, const char *own, struct err *e);

/* 40 or 64 hex digits, caller frees; ENOENT when @rev names no commit. */
_must_check_ int git_commit(const struct git *g, const char *rev, char **commit, struct err *e);
_must_check_ int git_tree(const struct git *g, const char *commit, char **tree, struct err *e);

/*
 * The tree that @patch (a file) makes of @tree.  1 when it does not apply: @why says
 * where, caller frees.  @index is a scratch file's path.
 */
_must_check_ int git_apply(const struct git *g, const char *tree, const char *patch,
			   const char *index, char **out, char **why, struct err *e);

/*
 * Makes the folder @to hold exactly the files of @tree, as far as git put them there.
 * @index remembers what is there, so that files that stay the same are not touched
 * and keep their times.
 */
_must_check_ int git_lay_out(const struct git *g, const char *tree, const char *index,
			     const char *to, struct err *e);

void git_release(struct git *g);
#define _git_ _cleanup_(git_release)
