/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <assert.h>
#include <stdint.h>
#include <string.h>

#include "kernel/sameness.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The same bytes always give the same form. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	_text_ struct text a = {}, b = {};

	sameness_normalise(data, size, &a);
	sameness_normalise(data, size, &b);
	assert(a.len == b.len && !memcmp(text_str(&a), text_str(&b), a.len));
	return 0;
}
