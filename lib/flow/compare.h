/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Stored runs side by side.  Each job on each machine is a comparison of its
 * own, never pooled with another; its columns are labels, kernels, or the
 * values of one of the job's parameters.  The first column is the base.
 */
#pragma once

#include <stdbool.h>

#include "base/err.h"
#include "base/text.h"
#include "flow/place.h"
#include "report/table.h"

struct compare_opts {
	const char *const *column;	/* labels or kernels; the first is the base */
	size_t n_columns;
	const char *by;			/* or: a parameter whose values are the columns */
	const char *job;		/* name, test or glob; NULL: all jobs */
	const char *machine, *session;	/* NULL: all */
	const char *metric;		/* NULL: the headline metrics decide, others explain */
	const char *explain;		/* tell step by step how this metric was judged */
	unsigned int warmup;		/* runs to drop at the start of each boot */
	bool force;			/* also if the tests' builds differ; the table says so */
	bool all;			/* rows that did not change, too */
	bool json;
	bool lkp;			/* by LKP's rule, in LKP's table */
	enum table_format format;	/* of the tables; TABLE_JSON is @json */
	unsigned int *boots_next;	/* out: more boots a side worth starting now; may be NULL */
};

enum compare_answer {
	COMPARE_SAME,		/* nothing worse */
	COMPARE_WORSE,		/* a headline metric regressed, or runs fail that did not */
	COMPARE_NOTHING,	/* nothing matches: @out says what nearly does */
};

/* Returns a compare_answer, or -errno. */
_must_check_ int compare_stored(const struct place *place, const struct compare_opts *o,
				struct text *out, struct err *e);
