/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <assert.h>
#include <string.h>

#include "parser/input.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Lines have no newline and no NUL, and the reader comes to an end. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	_input_ struct input *in = input_memory(data, size);
	struct err e = {};
	size_t n, total = 0;
	char *line;
	int r;

	while (total < 4U << 20 && (r = input_line(in, &line, &n, &e)) > 0) {
		assert(strlen(line) == n && !memchr(line, '\n', n));
		total += n + 1;
	}
	return 0;
}
