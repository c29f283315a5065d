/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A claim is a note on disk that a run is under way: which result folder, which
 * control group.  Its file is locked for as long as a process of that run's
 * machinery lives.  So a claim whose lock can be had is what a killed run left,
 * and holds all that is needed to clean up after it.
 *
 *	STATE/running/NAME	record: boot, result, cgroup
 *	STATE/settings/NAME	what to put back (run/setup.h), while there is such
 */
#pragma once

#include <stdbool.h>

#include "base/err.h"

struct claim {
	char *state;		/* the state folder */
	char *path;		/* of the note; NULL: none is held */
	int fd;			/* holds the lock; inherited by fork(), not by exec() */
	char *result;		/* the result folder, absolute */
	char *cgroup;		/* NULL: none */
	char *settings;		/* where the snapshot of the machine's settings goes */
	bool rebooted;		/* since then: settings and processes have gone with that */
};

#define CLAIM_NONE { .fd = -1 }

/*
 * Notes that @result (absolute) is being filled, and makes its control group.
 * Errors: what the file system says.
 */
_must_check_ int claim_make(struct claim *c, const char *state, const char *result,
			    struct err *e);

/*
 * Ends the processes that are left of the run, wherever they hang, then closes.
 */
_must_check_ int claim_settle(struct claim *c, struct err *e);

/*
 * Puts the machine's settings back, removes the control group and the work
 * folder, then the note.  No process of the run may be left.  With an error the note stays, for a later start to try
 * again.
 */
_must_check_ int claim_close(struct claim *c, struct err *e);

/* Settles every claim below @state that no one holds any more. */
_must_check_ int claim_sweep(const char *state, struct err *e);

void claim_release(struct claim *c);
#define _claim_ _cleanup_(claim_release)
