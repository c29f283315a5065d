/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "run/frame.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *p = (const char *)data;
	struct err e = {};
	struct frame f;
	size_t at = 0;

	while (at < size) {
		long n = frame_take(&f, p + at, size - at, &e);

		if (n <= 0)
			break;
		if (f.n && frame_path_ok(f.bytes, f.n) && f.bytes[0] == '/')
			abort();
		at += (size_t)n;
	}
	return 0;
}
