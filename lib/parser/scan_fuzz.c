/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <assert.h>
#include <string.h>

#include "base/text.h"
#include "parser/scan.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Spans lie in the line and numbers among them are numbers. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct {
		const char *template;
		unsigned int n, numbers;	/* bit i: the i-th is a number */
	} rows[] = {
		{ "%n", 1, 1 }, { "%s %n (%n)", 3, 6 }, { "%w: %n", 2, 2 },
		{ "%* total = %n %s", 2, 1 }, { "%w %w%n%%, %s", 4, 4 }, { "[%n] %s: %s", 3, 1 },
	};
	_free_ char *line = strndup((const char *)data, size);
	struct span got[SCAN_MAX], f[8];
	size_t len = strlen(line), n;

	for (size_t i = 0; i < COUNT(rows); i++) {
		if (!scan_spans(line, rows[i].template, got))
			continue;
		for (unsigned int k = 0; k < rows[i].n; k++) {
			double v;

			assert(got[k].p >= line && got[k].p + got[k].n <= line + len);
			if (rows[i].numbers >> k & 1 && got[k].n < 300)
				assert(span_number(got[k], &v) || memchr(got[k].p, 'e', got[k].n) ||
				       memchr(got[k].p, 'E', got[k].n));
		}
	}
	n = split_blanks(line, f, 8);
	assert(n <= 8);
	n = split_at(line, ',', f, 8);
	assert(n >= 1 && n <= 8);
	return 0;
}
