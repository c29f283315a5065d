/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <assert.h>
#include <stdint.h>
#include <string.h>

#include "base/record.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* What was read and printed must read the same again. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	_record_ struct record a = {}, b = {};
	_text_ struct text t = {};
	struct err e = {};

	if (record_parse(&a, (const char *)data, size, "fuzz", &e) < 0)
		return 0;
	record_print(&a, &t);
	if (record_parse(&b, text_str(&t), t.len, "again", &e) < 0)
		abort();
	assert(a.n == b.n);
	for (size_t i = 0; i < a.n; i++)
		assert(!strcmp(a.line[i].key, b.line[i].key) &&
		       !strcmp(a.line[i].value, b.line[i].value));
	return 0;
}
