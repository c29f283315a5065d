/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Bisections of a kernel tree with boots in QEMU, and one step of somebody else's
 * (`git bisect run`).
 */
#pragma once

#include "base/err.h"
#include "flow/bisect.h"
#include "flow/boot.h"
#include "flow/place.h"
#include "flow/sandwich.h"

struct bisect_boot_opts {
	struct boot_opts boot;		/* one job file, which expands to one job */
	struct bisection_opts search;	/* tree, params and exact are filled in here */
	bool no_confirm;		/* spare the boots of the culprit against its parent */
};

enum bisect_boot_answer {
	BISECT_BOOT_NONE,		/* good and bad do not differ */
	BISECT_BOOT_FOUND,		/* a culprit, or a set */
	BISECT_BOOT_UNTESTABLE,		/* undecided: an end cannot be tested, or the budget */
};

/* Returns a bisect_boot_answer, or -errno. */
_must_check_ int bisect_boot_run(const struct place *place, struct bisect_boot_opts *o,
				 struct err *e);

/*
 * HEAD of the tree against a good commit, on fresh boots: kernel[0] of @o, or if that is
 * NULL the oldest that `git bisect` holds for good.  ENOENT: there is none.  Returns a
 * sandwich_answer, or -errno.
 */
_must_check_ int bisect_step_run(const struct place *place, const struct sandwich_opts *o,
				 struct err *e);
