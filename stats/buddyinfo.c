/* SPDX-License-Identifier: GPL-2.0-or-later */
/* "Node 0, zone   Normal  11509  6230 ...": free blocks by order. */
#include <string.h>

#include "parser/sample.h"

#define ORDERS_MAX 24

static int buddy_line(struct parse *p, char *line, struct err *e)
{
	struct span node, zone, rest, f[ORDERS_MAX];
	uint64_t v;
	size_t n;

	if (sample_time(p, line))
		return LINE_KNOWN;
	if (!scan(line, "Node %w, zone %w %s", &node, &zone, &rest) || !span_u64(node, &v))
		return LINE_UNKNOWN;
	n = split_blanks(rest.p, f, ORDERS_MAX);
	for (size_t i = 0; i < n; i++)
		if (!span_u64(f[i], &v))
			return LINE_UNKNOWN;
	for (size_t i = 0; i < n; i++)
		emit_as(p, f[i], "node%.*s.%.*s.order%zu", SPANF(node), SPANF(zone), i);
	return n ? LINE_KNOWN : LINE_UNKNOWN;
}

PARSER(buddyinfo) = {
	.name = "buddyinfo", .line = buddy_line, .series = true, .strict = true,
	.expects = "lines 'Node N, zone NAME N ...' of /proc/buddyinfo",
};
