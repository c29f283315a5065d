/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One stream of output on its way into a file, raw and bounded.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"

struct capture {
	int from;		/* non-blocking; -1 at its end */
	int file;
	const char *name;
	uint64_t kept, max;	/* bytes */
	bool cut;		/* there was more than @max */
};

#define CAPTURE_NONE { .from = -1, .file = -1 }

/* Takes over @from and makes the file @name below @dir. */
_must_check_ int capture_open(struct capture *c, int from, int dir, const char *name,
			      uint64_t max, struct err *e);

/* Moves what there is, and no more than a mebibyte. */
_must_check_ int capture_take(struct capture *c, struct err *e);

/* Moves the rest, but waits for nothing; then the file is on disk. */
_must_check_ int capture_end(struct capture *c, struct err *e);

void capture_release(struct capture *c);
#define _capture_ _cleanup_(capture_release)
