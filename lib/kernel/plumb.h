/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Calls of git: plumbing commands, arguments as a vector, in a folder, with an
 * environment that no variable or configuration of the user's bends.
 */
#pragma once

#include "base/proc.h"

/* Room for a commit's name in hexadecimal digits, SHA-256 included. */
#define COMMIT_NAME_SIZE 65

/*
 * As proc_run(): fills @p->argv and ->env for the call and leaves the status to the
 * caller.  @args ends in NULL and does not hold "git" itself.
 */
_must_check_ int plumb_run(struct proc *p, const char *tree, const char *const *args,
			   struct err *e);

/* As proc_ok(): a status other than 0 is an error, "git COMMAND: ...". */
_must_check_ int plumb_ok(struct proc *p, const char *tree, const char *const *args,
			  struct err *e);

/* The commit that @name stands for; a @name that looks like an option is none. */
_must_check_ int plumb_commit(const char *tree, const char *name, char id[COMMIT_NAME_SIZE],
			      struct err *e);
