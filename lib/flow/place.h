/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where krobot keeps things: the XDG folders, made when they are first asked
 * for.  KROBOT_HOME, if set, holds all of them (tests, several robots on one
 * machine).
 *
 *	data/results/JOB/SESSION-NNNN	result folders, the truth
 *	data/krobot.db			the index over them
 *	state/				set-up transactions under way, sessions
 *	cache/				kernels, builds: may be deleted
 */
#pragma once

#include "base/err.h"

struct place {
	char *data, *results, *db, *state, *cache;	/* absolute paths */
	char *bin;		/* the folder of the krobot program: the agent lies beside it */
};

_must_check_ int place_find(struct place *p, struct err *e);
void place_release(struct place *p);
#define _place_ _cleanup_(place_release)

/*
 * A name for one start of krobot that sorts by time and is unique on this
 * machine: "20261201T014511-1234".  Caller frees.
 */
char *place_session(void);
