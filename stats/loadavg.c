/* SPDX-License-Identifier: GPL-2.0-or-later */
/* /proc/loadavg: "0.20 0.18 0.12 1/80 11206" */
#include "parser/sample.h"

static int load_line(struct parse *p, char *line, struct err *e)
{
	struct span a, b, c, running, tasks, last;

	if (sample_time(p, line))
		return LINE_KNOWN;
	if (!scan(line, "%n %n %n %n/%n %n", &a, &b, &c, &running, &tasks, &last))
		return LINE_UNKNOWN;
	emit_as(p, a, "load1");
	emit_as(p, b, "load5");
	emit_as(p, c, "load15");
	emit_as(p, running, "running");
	emit_as(p, tasks, "tasks");
	return LINE_KNOWN;
}

PARSER(loadavg) = {
	.name = "loadavg", .line = load_line, .series = true, .strict = true,
	.expects = "the line of /proc/loadavg",
};
