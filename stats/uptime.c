/* SPDX-License-Identifier: GPL-2.0-or-later */
/* /proc/uptime: seconds since boot, and idle seconds summed over the CPUs. */
#include "parser/sample.h"

static int uptime_line(struct parse *p, char *line, struct err *e)
{
	struct span boot, idle;

	if (sample_time(p, line))
		return LINE_KNOWN;
	if (!scan(line, "%n %n", &boot, &idle))
		return LINE_UNKNOWN;
	emit_as(p, boot, "boot");
	emit_as(p, idle, "idle");
	return LINE_KNOWN;
}

PARSER(uptime) = {
	.name = "uptime", .line = uptime_line, .series = true, .strict = true,
	.expects = "the line of /proc/uptime",
};
