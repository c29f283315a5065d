/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One run, from the plan to the exit record, by the process that is the test's
 * parent.  run/guard.h says who watches over this one.
 */
#pragma once

#include "base/err.h"

struct agent_place {
	int dir;			/* the result folder, open */
	const char *result;		/* and its absolute path */
	const char *cgroup;		/* NULL: none */
	const char *settings;		/* where a snapshot of the machine's settings goes */
};

/*
 * Runs @plan (a path).  0 when the exit record is written, however the test
 * ended.  ECANCELED after SIGTERM, SIGINT or SIGHUP: the tree is ended and the
 * folder has no exit record.
 */
_must_check_ int agent_run(const char *plan, const struct agent_place *at, struct err *e);
