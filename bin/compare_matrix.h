/* SPDX-License-Identifier: GPL-2.0-or-later */
/* `krobot compare --matrix`: LKP's matrix.json files side by side, without a store. */
#pragma once

#include <stdbool.h>

#include "base/err.h"
#include "base/text.h"
#include "report/table.h"

struct compare_matrix_opts {
	/*
	 * COMMIT.REST: files of one REST are one job's, a column each in the order
	 * given; the first is the base.
	 */
	const char *const *file;
	size_t n;
	const char *axes;	/* YAML with the axes that all of them share; NULL: none */
	bool lkp;		/* by LKP's rule, in LKP's table */
	bool more;		/* LKP's rule: also what LKP leaves out of its reports */
	bool all;		/* also rows that did not change */
	enum table_format format;
};

/* Returns an exit status (cmd.h), or -errno. */
_must_check_ int compare_matrix(const struct compare_matrix_opts *o, struct text *out,
				struct err *e);
