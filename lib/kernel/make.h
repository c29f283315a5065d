/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One run of the kernel's make, its output into a log. */
#pragma once

#include <stdbool.h>

#include "base/err.h"
#include "base/text.h"

struct make {
	const char *src, *obj;		/* folders */
	const char *log;		/* file, appended to */
	const char *compiler;		/* "gcc"; with ccache in front if there is one */
	bool ccache;
	unsigned int jobs;
	void (*progress)(const char *what, unsigned int k, unsigned int n);
	unsigned int expected;		/* lines of output; 0: not known */
};

/*
 * Runs it for @targets (ends in NULL; at most 8).  0 when it succeeded; 1 when the
 * source is at fault, with the first error in @why (caller frees); -errno when
 * the machine is (no room, no memory, killed, no make).
 */
_must_check_ int make_run(const struct make *m, const char *const *targets, char **why,
			  struct err *e);

/* How many lines @path has. */
unsigned int make_lines(const char *path);
