/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Whatever is read as a matrix can be compared with itself in both ways. */
#include <stdlib.h>

#include "report/table_matrix.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	_matrix_ struct matrix one = {}, two = {};
	_matrix_rows_ struct matrix_rows rows = {};
	_text_ struct text out = {};
	struct lkp_options o = { .profile = 5 };
	const char *label[] = { "a", "b" };
	struct table t = { .label = label, .n_columns = 2, .all = true };
	struct err e = {};

	if (matrix_read(&one, "a", (const char *)data, n, &e) < 0)
		return 0;
	if (matrix_read(&two, "b", "{\"t.x\": [1, 2, 3]}", 18, &e) < 0 ||
	    matrix_judge(&one, &two, "job", &rows, &e) < 0)
		abort();
	matrix_explain(&rows);
	t.row = rows.row;
	t.n_rows = rows.n;
	table_put(&t, TABLE_TEXT, &out);
	table_put_lkp((struct matrix[]){ one, two }, 2, NULL, 0, &o, &out);
	return 0;
}
