/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What of this machine will spoil numbers.  Each check gives one line: what was
 * found, what that means for measuring, and what to do about it.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/text.h"

enum doctor_verdict {
	DOCTOR_GOOD,
	DOCTOR_NOTE,		/* know it when reading numbers; nothing is wrong */
	DOCTOR_BAD,		/* will spoil numbers */
	DOCTOR_UNKNOWN,		/* this machine does not tell */
};

struct doctor_line {
	const char *name;
	enum doctor_verdict verdict;
	char *value;
	const char *why, *advice;	/* static */
};

struct doctor {
	struct doctor_line *line;
	size_t n;
};

const char *doctor_verdict_name(enum doctor_verdict v);

/*
 * Looks at the machine below @root (a descriptor of "/" or of a recorded tree),
 * @watch_ns long for what can only be seen over time.
 */
void doctor_examine(struct doctor *d, int root, uint64_t watch_ns);

bool doctor_any_bad(const struct doctor *d);
void doctor_release(struct doctor *d);
#define _doctor_ _cleanup_(doctor_release)
