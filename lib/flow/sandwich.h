/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Two kernels, the same jobs, fresh boots in turn (A B B A ...), then the
 * verdict.  Boots are added while the judge asks for more.
 *
 * The session is noted in the state folder until its end: the same command
 * after a kill goes on where it was.  A boot that the machinery lost is repeated
 * and counted, and is nothing that can be held against a kernel.
 */
#pragma once

#include <stdbool.h>

#include "base/err.h"
#include "flow/boot.h"
#include "flow/place.h"

struct sandwich_opts {
	struct boot_opts boot;
	const char *kernel[2];		/* base, head: names as in kernel/kernel.h */
	uint64_t boots;			/* a side; 0: until decided */
	bool json;
};

enum sandwich_answer {
	SANDWICH_SAME,		/* nothing worse */
	SANDWICH_WORSE,
	SANDWICH_UNTESTABLE,	/* a kernel does not build or boot, or no job can run */
};

/* Returns a sandwich_answer, or -errno. The table goes to stdout. */
_must_check_ int sandwich_run(const struct place *place, const struct sandwich_opts *o,
			      struct err *e);
