/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The machine's settings for a run, as one transaction.
 *
 * All old values are read and written to a snapshot on disk before the first
 * new one is set.  Each new value is read back and compared.  At the end the old
 * ones are put back in reverse order, and the snapshot goes last: as long as
 * there is one, something may have to be put back, and whoever finds it (the
 * guard of a killed agent, the next start after a crash) can do that, twice if
 * need be.  Only one such transaction at a time is under way on a machine: a
 * lock on the settings themselves sees to that, over all users and robots.
 *
 * Keys are those of the table in setup.c (cpufreq_governor, thp_enabled, turbo,
 * aslr ...), also with a program's name in front as LKP's jobs have them
 * (transparent_hugepage.thp_enabled), sysctl.NAME and sc_NAME for any sysctl,
 * and paths below /sys/ and /proc/sys/.
 *
 * @root is a descriptor of "/", or of a tree that stands in for it.
 */
#pragma once

#include "base/err.h"
#include "base/record.h"
#include "run/plan.h"

/* What a transaction says of itself: the key of a line in @told. */
#define SETUP_WAS		"was"		/* PATH=VALUE */
#define SETUP_SET		"set"		/* PATH=VALUE */
#define SETUP_UNAVAILABLE	"unavailable"	/* KEY=VALUE: this machine has no such thing */

struct setup {
	int root;
	const char *snapshot;		/* path of the file; its folder exists or is made */
	unsigned int patience_ms;	/* how long to wait for another transaction; 0: 10 s */
	struct record told;
	int lock;
};

#define SETUP_NONE { .root = -1, .lock = -1 }

/*
 * Sets what @set asks for ("KEY=VALUE" each).  What the machine does not have
 * is told and left out.  On error nothing is changed any more, as far as that
 * can be done: an unknown key (EINVAL), a value that is refused or does not read
 * back as written, another transaction under way (EBUSY).
 */
_must_check_ int setup_apply(struct setup *s, const struct plan_list *set, struct err *e);

/*
 * Puts back what the snapshot holds, then removes it.  No snapshot: nothing to
 * do.  A setting that has gone meanwhile is passed over.  Others that fail are
 * the error, the rest is put back and the snapshot stays.
 */
_must_check_ int setup_put_back(struct setup *s, struct err *e);

void setup_release(struct setup *s);
#define _setup_ _cleanup_(setup_release)
