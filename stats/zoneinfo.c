/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * /proc/zoneinfo: figures of each node, then of each of its zones.  The per-CPU
 * page sets of a zone are passed over.
 *
 *	Node 0, zone      DMA
 *	  per-node stats
 *	      nr_inactive_anon 39
 *	  pages free     3832
 *	        min      68
 */
#include <string.h>

#include "parser/sample.h"

struct state {
	char node[8], zone[24];
	enum { NOWHERE, NODE, ZONE, PAGESETS } part;
};

static int zone_begin(struct state *s, struct span node, struct span zone)
{
	uint64_t v;

	if (!span_u64(node, &v) || node.n >= sizeof(s->node) || zone.n >= sizeof(s->zone))
		return LINE_UNKNOWN;
	snprintf(s->node, sizeof(s->node), "%.*s", SPANF(node));
	snprintf(s->zone, sizeof(s->zone), "%.*s", SPANF(zone));
	s->part = ZONE;
	return LINE_KNOWN;
}

static bool is_pageset(const char *line)
{
	static const char *const words[] = { "cpu:",
					     "count:",
					     "high:",
					     "batch:",
					     "high_min:",
					     "high_max:",
					     "vm stats threshold:",
					     "pagesets" };
	const char *s = line + strspn(line, " \t");

	for (size_t i = 0; i < COUNT(words); i++)
		if (text_starts(s, words[i]))
			return true;
	return false;
}

static int put(struct parse *p, struct span name, struct span value)
{
	struct state *s = p->state;

	if (s->part == NODE)
		emit_as(p, value, "node%s.%.*s", s->node, SPANF(name));
	else
		emit_as(p, value, "node%s.%s.%.*s", s->node, s->zone, SPANF(name));
	return LINE_KNOWN;
}

static int zone_line(struct parse *p, char *line, struct err *e)
{
	struct state *s = p->state;
	struct span a, b;

	if (sample_time(p, line))
		return LINE_KNOWN;
	if (scan(line, "Node %w, zone %w", &a, &b))
		return zone_begin(s, a, b);
	if (s->part == NOWHERE)
		return LINE_UNKNOWN;
	if (scan(line, "per-node stats")) {
		s->part = NODE;
		return LINE_KNOWN;
	}
	if (scan(line, "pages free %n", &a)) {
		s->part = ZONE;
		return put(p, SPAN("free"), a);
	}
	if (is_pageset(line)) {
		s->part = PAGESETS;
		return LINE_KNOWN;
	}
	if (scan(line, "protection: (%*)"))
		return LINE_KNOWN;
	if (s->part == PAGESETS) {
		/* "node_unreclaimable:  0" and "start_pfn: 1" stand behind them */
		s->part = ZONE;
	}
	if (scan(line, "%w: %n", &a, &b) || scan(line, "%w %n", &a, &b))
		return put(p, a, b);
	return LINE_UNKNOWN;
}

PARSER(zoneinfo) = {
	.name = "zoneinfo", .state_size = sizeof(struct state), .line = zone_line, .series = true,
	.strict = true, .expects = "lines of /proc/zoneinfo",
};
