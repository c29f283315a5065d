/* SPDX-License-Identifier: GPL-2.0-or-later */
/* "Node 0 MemTotal:        4060992 kB" */
#include "parser/sample.h"

static int meminfo_line(struct parse *p, char *line, struct err *e)
{
	struct span node, name, value;
	unsigned int ignored;
	uint64_t n;

	if (sample_time(p, line) || sample_node(line, &ignored))
		return LINE_KNOWN;
	if ((!scan(line, "Node %n %w: %n kB", &node, &name, &value) &&
	     !scan(line, "Node %n %w: %n", &node, &name, &value)) || !span_u64(node, &n))
		return LINE_UNKNOWN;
	emit_as(p, value, "node%.*s.%.*s", SPANF(node), SPANF(name));
	return LINE_KNOWN;
}

PARSER(numa_meminfo) = {
	.name = "numa-meminfo", .line = meminfo_line, .series = true, .strict = true,
	.expects = "lines 'Node N NAME: NUMBER kB'",
};
