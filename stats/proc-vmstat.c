/* SPDX-License-Identifier: GPL-2.0-or-later */
/* /proc/vmstat: whatever names the kernel has, none is known here. */
#include "parser/sample.h"

static int vmstat_line(struct parse *p, char *line, struct err *e)
{
	struct span name, value;

	if (sample_time(p, line))
		return LINE_KNOWN;
	if (!sample_pair(line, &name, &value))
		return LINE_UNKNOWN;
	emit_plain(p, name, value);
	return LINE_KNOWN;
}

PARSER(proc_vmstat) = {
	.name = "proc-vmstat", .line = vmstat_line, .series = true, .strict = true,
	.expects = "lines 'NAME NUMBER' of /proc/vmstat",
};
