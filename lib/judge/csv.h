/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Series from CSV as people have them: a header line, fields split by comma,
 * semicolon or tab; columns that name time, commit and branch in whatever order, and
 * a column per metric.  An empty field (or null, nan, n/a) is a point without data.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

struct csv_row {
	char *time, *commit;	/* as written; NULL if there is no such column */
	double *value;		/* one per metric; NaN: no data */
	uint32_t place;		/* along the branch: rows of one commit in a row share it */
};

struct csv {
	char **metric;
	size_t n_metrics;
	struct csv_row *row;
	size_t n_rows;
};

#define CSV_MAX_BYTES	(64u << 20)

/*
 * Reads the rows of @branch; NULL: of all, which must be of one branch.  EINVAL with
 * the line's number: a row of another length, a value that is no number or could be
 * read two ways (1.000,5), no such branch, no metric.
 */
_must_check_ int csv_read(struct csv *c, const char *text, size_t n, const char *branch,
			  struct err *e);
void csv_release(struct csv *c);
#define _csv_ _cleanup_(csv_release)
