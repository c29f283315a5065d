/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "parser/parse.h"

/* "     1 tcp_test    300.00      58982  196.60667        17694.60 TCP/IP Messages/second" */
static int aim9_line(struct parse *p, char *line, struct err *e)
{
	struct span f[6];
	double v;

	if (split_blanks(line, f, 6) < 6 || !span_number(f[0], &v) || span_number(f[1], &v))
		return LINE_UNKNOWN;
	for (int i = 2; i < 6; i++)
		if (!span_number(f[i], &v))
			return LINE_UNKNOWN;
	emit_as(p, f[5], "%.*s.ops_per_sec", SPANF(f[1]));
	return LINE_KNOWN;
}

PARSER(aim9) = { .name = "aim9", .line = aim9_line, .expects = "a table of tests and rates" };
