/* SPDX-License-Identifier: GPL-2.0-or-later */
/* /proc/meminfo, and from it the most memory that was in use. */
#include "parser/sample.h"

struct state {
	double total, most_used;
	bool any;
};

static void note_used(struct parse *p, struct span name, struct span value)
{
	struct state *s = p->state;
	double v;

	if (!span_number(value, &v))
		return;
	if (span_is(name, "MemTotal"))
		s->total = v;
	if (!span_is(name, "MemFree") || !s->total)
		return;
	if (!s->any || s->total - v > s->most_used)
		s->most_used = s->total - v;
	s->any = true;
}

static int meminfo_line(struct parse *p, char *line, struct err *e)
{
	struct span name, value;

	if (sample_time(p, line))
		return LINE_KNOWN;
	if (!scan(line, "%w: %n kB", &name, &value) && !scan(line, "%w: %n", &name, &value))
		return LINE_UNKNOWN;
	emit_plain(p, name, value);
	note_used(p, name, value);
	return LINE_KNOWN;
}

static int meminfo_end(struct parse *p, struct err *e)
{
	struct state *s = p->state;

	if (s->any)
		emit_number(p, s->most_used, "max_used_kB");
	return 0;
}

PARSER(meminfo) = {
	.name = "meminfo", .state_size = sizeof(struct state), .line = meminfo_line,
	.end = meminfo_end, .series = true, .strict = true,
	.expects = "lines 'NAME: NUMBER kB' of /proc/meminfo",
};
