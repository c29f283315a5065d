/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How a run ended, "NAME: 1" a line.  Texts ("exit_fail: reason") stand for 1
 * under their name; what is 0 is not printed.
 */
#include "parser/parse.h"

static int last_line(struct parse *p, char *line, struct err *e)
{
	struct span name, value;
	double v;

	if (!scan(line, "%w: %s", &name, &value))
		return LINE_UNKNOWN;
	value = span_trim(value);
	if (!span_number(value, &v))
		emit_number(p, 1, "%.*s", SPANF(name));
	else if (v != 0)
		emit_as(p, value, "%.*s", SPANF(name));
	return LINE_KNOWN;
}

PARSER(last_state) = { .name = "last_state", .line = last_line };
