/* SPDX-License-Identifier: GPL-2.0-or-later */
/* "# Running 'mem/memcpy' benchmark:", "# function 'default' (...)", "8.245310 GB/sec" */
#include <string.h>

#include "parser/parse.h"

struct state {
	char bench[40], function[80];
};

static bool keep(char *to, size_t room, struct span s)
{
	if (s.n >= room)
		return false;
	memcpy(to, s.p, s.n);
	to[s.n] = '\0';
	return true;
}

static int mem_line(struct parse *p, char *line, struct err *e)
{
	struct state *s = p->state;
	struct span w, unit;
	double v;

	if (scan(line, "# Running 'mem/%w' benchmark:", &w))
		return keep(s->bench, sizeof(s->bench), w) ? LINE_KNOWN : LINE_UNKNOWN;
	if (scan(line, "# function '%w' %*", &w))
		return keep(s->function, sizeof(s->function), w) ? LINE_KNOWN : LINE_UNKNOWN;
	if (!scan(line, "%n %w/sec", &w, &unit) || !*s->bench || !*s->function)
		return LINE_UNKNOWN;
	if (span_is(unit, "GB") || p->lkp) {
		emit_as(p, w, "%s.%s.GB_per_sec", s->bench, s->function);
	} else if (span_is(unit, "MB") && span_number(w, &v)) {
		/* perf counts in powers of two; slow machines print MB */
		emit_number(p, v / 1024, "%s.%s.GB_per_sec", s->bench, s->function);
	} else {
		return LINE_UNKNOWN;
	}
	return LINE_KNOWN;
}

PARSER(perf_bench_mem) = {
	.name = "perf-bench-mem", .state_size = sizeof(struct state), .line = mem_line,
	.expects = "a function's name and a line 'N GB/sec'",
};
