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
	json_t *root = arg, *values = json_object_get(root, a->name);
	size_t n = json_array_size(values);

	/* Of names that come twice the library keeps the last. */
	for (size_t i = 0; n == a->n && a->numbers && i < n; i++)
		if (json_number_value(json_array_get(values, i)) != a->v[i] &&
		    json_is_number(json_array_get(values, i)) && json_object_size(root) == 1)
			abort();
	if (!json_is_array(values))
		abort();
	free(a->name);
	free(a->v);
}

static void drop(void *arg, struct scan_array *a)
{
	free(a->name);
	free(a->v);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	json_t *root = json_loadb((const char *)data, n, JSON_DECODE_INT_AS_REAL, NULL);
	struct err e = {};
	int r = scan_arrays((const char *)data, n, drop, NULL, &e);

	if (r == 0 && !root)
		abort();
	if (r == 0 && scan_arrays((const char *)data, n, hold_against, root, &e) < 0)
		abort();
	json_decref(root);
	return 0;
}
