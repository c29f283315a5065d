/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the scanner takes, the library takes too, and reads the same from it. */
#include <jansson.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "report/table_scan.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static void hold_against(void *arg, struct scan_array *a)
{
	json_t *values = json_object_get(arg, a->name);

	if (json_array_size(values) != a->n)
		abort();
	for (size_t i = 0; i < a->n; i++) {
		const json_t *x = json_array_get(values, i);

		if (a->numbers && json_number_value(x) != a->v[i])
			abort();
	}
	free(a->name);
	free(a->v);
}

static void count(void *arg, struct scan_array *a)
{
	++*(size_t *)arg;
	free(a->name);
	free(a->v);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	json_t *root = json_loadb((const char *)data, n, JSON_DECODE_INT_AS_REAL, NULL);
	size_t arrays = 0;
	struct err e = {};
	int r = scan_arrays((const char *)data, n, count, &arrays, &e);

	if (r == 0 && !root)
		abort();
	/* Of names that come twice the library keeps the last alone. */
	if (r == 0 && arrays == json_object_size(root) &&
	    scan_arrays((const char *)data, n, hold_against, root, &e) < 0)
		abort();
	json_decref(root);
	return 0;
}
