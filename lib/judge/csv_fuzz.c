/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Whatever is read, change points can be looked for in it. */
#include <math.h>
#include <stdlib.h>

#include "base/text.h"
#include "judge/csv.h"
#include "judge/trend.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	_csv_ struct csv c = {};
	struct err e = {};

	if (csv_read(&c, (const char *)data, n, NULL, &e) < 0)
		return 0;
	for (size_t m = 0; m < c.n_metrics; m++) {
		_free_ struct trend_row *row = mem_zero(c.n_rows, sizeof(*row));
		_trend_ struct trend t = {};
		size_t k = 0;

		for (size_t i = 0; i < c.n_rows; i++)
			if (!isnan(c.row[i].value[m]))
				row[k++] = (struct trend_row){ c.row[i].value[m], c.row[i].place };
		if (trend_find(&t, row, k, &(struct trend_options){}, &e) < 0)
			abort();
	}
	return 0;
}
