/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdint.h>

#include "kernel/unpack.h"

#define MAX (1U << 20)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	_text_ struct text out = {};
	struct err e = {};

	if (unpack(data, size, MAX, &out, &e) == 0 && out.len > MAX)
		abort();
	return 0;
}
