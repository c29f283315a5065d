/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the kernel says that a person should hear of: oopses, warnings, locks
 * taken the wrong way round, tasks that hang, memory that is gone.  One table of
 * patterns, written after what kernels print.
 */
#pragma once

#include <stddef.h>

#include "base/record.h"

enum trouble_effect {
	TROUBLE_NOTE,		/* the run's numbers stand */
	TROUBLE_INVALID,	/* they do not: the kernel was busy with something else */
	TROUBLE_FAILED,		/* the kernel is broken from there on */
};

struct trouble {
	const char *kind;	/* "oops", "warning", "lockdep" ...: a name for counts */
	enum trouble_effect effect;
};

/* NULL if a line of the kernel's log is none. @line is without its time. */
const struct trouble *trouble_find(const char *line);

/*
 * Adds a line "KIND TEXT" to @found for each trouble in @log (the text of a
 * result's kmsg file), at most a thousand, each text once.  Returns the line
 * with the worst effect (the first of these; borrowed from @found) and its
 * effect; NULL if there is none.
 */
const char *trouble_scan(const char *log, size_t n, struct record *found,
			 enum trouble_effect *worst);
