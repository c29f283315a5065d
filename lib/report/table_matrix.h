/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * LKP's matrix.json: for each metric its values in the runs of one job on one kernel.
 * Read as text, compared by krobot's judge or by LKP's rule, printed as LKP does.
 */
#pragma once

#include <stddef.h>

#include "base/err.h"
#include "base/text.h"
#include "judge/lkp.h"
#include "report/table.h"

struct matrix_row {
	char *name;
	double *v;
	size_t n;
};

struct matrix {
	char *label;		/* the commit */
	struct matrix_row *row;	/* by name */
	size_t n;
	size_t runs;		/* columns: runs of the job */
	bool *incomplete;	/* NULL: none; else which runs did not end */
};

#define MATRIX_MAX_BYTES (256u << 20)

/* @label is copied. EINVAL: not JSON, or not of that shape; values that are no
 * numbers (paths of sources) are left out, but count as runs. */
_must_check_ int matrix_read(struct matrix *m, const char *label, const char *text, size_t n,
			     struct err *e);

/* For who fills rows himself: puts them in the order that all below relies on. */
void matrix_sort(struct matrix *m);
void matrix_release(struct matrix *m);
#define _matrix_ _cleanup_(matrix_release)

/* NULL: not there. */
const struct matrix_row *matrix_find(const struct matrix *m, const char *name);

/* LKP shows rows of a profile from this share on, in percent. */
#define LKP_PROFILE_SHARE 5

/* An axis of the job that all matrices share. */
struct matrix_axis {
	const char *name, *value;
};

/*
 * The table that LKP's ncompare prints, byte for byte: what changed by LKP's rule
 * against the first of @n matrices.
 */
void table_put_lkp(const struct matrix *m, size_t n, const struct matrix_axis *axis,
		   size_t n_axes, const struct lkp_options *o, struct text *out);

/*
 * Judges each metric of @head against @base and adds the rows, all of one job; a run of
 * the matrix stands for a boot, for LKP boots a machine for each run.  Directions and
 * floors are the dictionary's; of a test that it does not know, what is not time(1)'s
 * is a headline.  Names are borrowed from the matrices.
 */
struct matrix_rows {
	struct table_row *row;
	struct verdict_result *result;
	size_t n;
	size_t last, known, job;	/* of matrix_judge(): the last job's rows */
};

_must_check_ int matrix_judge(const struct matrix *base, const struct matrix *head,
			      const char *group, struct matrix_rows *rows, struct err *e);

/* After the last job: what so many metrics and jobs show by chance (judge/many.h). */
void matrix_explain(struct matrix_rows *rows);
void matrix_rows_release(struct matrix_rows *rows);
#define _matrix_rows_ _cleanup_(matrix_rows_release)
