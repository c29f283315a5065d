/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One target for all parsers: the first line of the input names the parser, with
 * a '+' behind the name for LKP's mode.  In our own mode every line that comes out
 * must be a metric line.
 */
#include <assert.h>
#include <string.h>

#include "all.h"
#include "metric/line.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const struct parser *parser_named(const char *name, size_t n)
{
	for (size_t i = 0; i < COUNT(all_parsers); i++)
		if (strlen(all_parsers[i]->name) == n && !memcmp(all_parsers[i]->name, name, n))
			return all_parsers[i];
	return NULL;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const uint8_t *nl = size ? memchr(data, '\n', size) : NULL;
	size_t n = nl ? (size_t)(nl - data) : 0;
	bool lkp = n && data[n - 1] == '+';
	const struct parser *k = parser_named((const char *)data, n - lkp);
	_input_ struct input *in = NULL;
	_parse_ struct parse p = { .out_fd = -1, .lkp = lkp };
	struct err e = {};
	char *save = NULL;

	if (!k)
		return 0;
	in = input_memory(nl + 1, size - n - 1);
	if (parse_run(&p, k, in, &e) < 0 || lkp || !p.out.len)
		return 0;
	for (char *l = strtok_r(p.out.p, "\n", &save); l; l = strtok_r(NULL, "\n", &save)) {
		struct metric_line m;

		assert(metric_line_parse(l, &m) != METRIC_NONE);
	}
	return 0;
}
