/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The JSON of a matrix, an object of arrays of plain values, read in one pass: the
 * library builds a tree of it first, which for millions of numbers takes longer
 * than to judge them.  table_scan_fuzz.c holds the two against each other.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

struct scan_array {
	char *name;		/* as it stands there, escapes resolved; the caller frees */
	double *v;		/* the caller frees */
	size_t n;
	bool numbers;		/* all values are */
};

/* Called for each array in turn; what it gets is its own. */
typedef void (*scan_fn)(void *arg, struct scan_array *a);

/* EINVAL, with the line: not JSON, or not of that shape, or a number beyond range. */
_must_check_ int scan_arrays(const char *text, size_t n, scan_fn each, void *arg, struct err *e);
