/* SPDX-License-Identifier: GPL-2.0-or-later */
/* /sys/devices/system/node/nodeN/vmstat, each under the name of its node. */
#include "parser/sample.h"

struct state {
	unsigned int node;
	bool any;
};

static int vmstat_line(struct parse *p, char *line, struct err *e)
{
	struct state *s = p->state;
	struct span name, value;

	if (sample_time(p, line))
		return LINE_KNOWN;
	if (sample_node(line, &s->node)) {
		s->any = true;
		return LINE_KNOWN;
	}
	if (!s->any || !sample_pair(line, &name, &value))
		return LINE_UNKNOWN;
	emit_as(p, value, "node%u.%.*s", s->node, SPANF(name));
	return LINE_KNOWN;
}

PARSER(numa_vmstat) = {
	.name = "numa-vmstat", .state_size = sizeof(struct state), .line = vmstat_line,
	.series = true, .strict = true,
	.expects = "the path of a node's vmstat and lines 'NAME NUMBER'",
};
