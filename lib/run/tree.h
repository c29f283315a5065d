/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The processes of a run, as one thing that can be ended.
 *
 * A process that has called tree_adopt() gets every orphan below it as a child,
 * also one that left its session and its parents on purpose.  So nothing below
 * can get away while the caller lives, and "no children left" means that all
 * are gone.  Where a control group (version 2) can be made, the kernel ends its
 * members in one step, and it still names them after the caller has died.
 */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

#include "base/err.h"

/* Makes the calling process the one that orphans below it go to. */
_must_check_ int tree_adopt(struct err *e);

/*
 * A fresh control group below the caller's own; NULL where none can be made,
 * which is an answer.  Caller frees, after cgroup_remove().
 */
char *cgroup_make(void);

/* The calling process joins; failing is harmless and not reported. */
void cgroup_enter(const char *cgroup);

/* Ends all members. @cgroup may be NULL or gone. */
void cgroup_kill(const char *cgroup);
void cgroup_remove(const char *cgroup);

/*
 * Sends @sig to every living descendant of the calling process but @except
 * (0 for none); returns how many got it.
 */
unsigned int tree_signal(int sig, pid_t except);

/* Reaps what has ended; false if there are no children any more. */
bool tree_reap(void);

/*
 * Kills all descendants, and those they make meanwhile, and reaps them.
 * @found (may be NULL): how many there were.  ETIMEDOUT when some could not be
 * killed within ten seconds (they hang inside the kernel).
 */
_must_check_ int tree_kill(const char *cgroup, unsigned int *found, struct err *e);

/*
 * Kills those processes of the calling user, anywhere on this machine, whose
 * environment holds exactly @entry ("NAME=VALUE"), but not the caller.
 */
void tree_kill_marked(const char *entry);
