/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How a run ended: its state and the reason, from what the test and the kernel
 * have left in the result folder.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "run/plan.h"
#include "run/result.h"

struct ending {
	int dir;			/* the result folder */
	const struct plan *plan;
	bool started;			/* else the state is set already */
	int status;			/* as wait() gives it */
	bool timed_out;
	const char *cut;		/* the output that was too long; NULL: none */
};

/*
 * Sets state, reason, status and signal.  The first that holds counts: timeout;
 * too much output; a line "krobot.invalid: 1 REASON" on stdout; status 77; another
 * status or a signal; ok.
 */
void ending_judge(const struct ending *end, struct result_exit *x);

/* The kernel's taint bits; 0 where it does not tell. */
uint64_t ending_taint(int root);

/*
 * Looks through the kernel's messages in @dir and for taint since @taint.  What
 * is found goes into the record RESULT_TROUBLE; where it breaks or spoils the run
 * (run/trouble.h) it changes the state of one that had gone well, and is added to
 * the reason of one that had not.
 */
_must_check_ int ending_add_trouble(struct result_exit *x, int dir, int root, uint64_t taint,
				    struct err *e);
