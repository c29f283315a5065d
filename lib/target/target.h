/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where a plan runs.  A target takes a plan and gives back a result folder;
 * what lies between (nothing, a virtual machine, a network) is its own affair.
 *
 *	_target_ struct target t;
 *
 *	target_local(&t, place.bin, place.state, &e);
 *	target_boot(&t, &e);
 *	target_run(&t, "DIR/plan", "DIR", &e);
 *	result_exit_read(...)		how the run ended
 *	target_off(&t, &e);
 */
#pragma once

#include <stdint.h>

#include "base/err.h"

struct target;

/* A row of functions for each kind of target; one that is NULL has nothing to do. */
struct target_kind {
	const char *name;
	int (*boot)(struct target *t, struct err *e);
	int (*push)(struct target *t, const char *path, struct err *e);
	int (*run)(const struct target *t, const char *plan, const char *result, struct err *e);
	int (*pull)(struct target *t, const char *path, const char *to, struct err *e);
	int (*off)(struct target *t, struct err *e);
	void (*release)(struct target *t);
};

struct target {
	const struct target_kind *kind;
	char *agent;		/* path of the agent's program on this host */
	char *state;		/* where runs under way are noted, for the next start */
	void *own;		/* what the kind needs besides; its release() frees it */
};

/*
 * This host.  @bin is the folder that holds krobot-agent.  The thread that calls
 * target_run() must live until it returns: the agent ends with it.
 * Errors: ENOENT when it is not there.
 */
_must_check_ int target_local(struct target *t, const char *bin, const char *state,
			      struct err *e);

/*
 * Makes it ready.  On this host: ends what killed runs that were noted in the
 * state folder have left (processes, work folders, settings).  Runs that are
 * still under way are left alone.
 */
_must_check_ int target_boot(struct target *t, struct err *e);

/* Copies a file to where a plan's program may name it by the same path. */
_must_check_ int target_push(struct target *t, const char *path, struct err *e);

/*
 * Runs the plan to its end; bounded by the plan's deadline and grace if it has
 * one.  @result is an existing folder and both are paths on this host.  0 when
 * the agent has written an exit record, however the test ended; an error means
 * that the machinery failed, and @result has no exit record: the run is lost.
 */
_must_check_ int target_run(const struct target *t, const char *plan, const char *result,
			    struct err *e);

/* Copies a file or folder of the target to @to on this host. */
_must_check_ int target_pull(struct target *t, const char *path, const char *to, struct err *e);

/* Gives it up; it can be booted again. */
_must_check_ int target_off(struct target *t, struct err *e);

void target_release(struct target *t);
#define _target_ _cleanup_(target_release)
