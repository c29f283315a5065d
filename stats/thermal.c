/* SPDX-License-Identifier: GPL-2.0-or-later */
/* thermal_zoneN/temp, each behind its path: thousandths of a degree, printed in degrees. */
#include "parser/sample.h"

struct state {
	unsigned int zone;
	bool any;
};

static int thermal_line(struct parse *p, char *line, struct err *e)
{
	struct state *s = p->state;
	struct span n, rest;
	uint64_t v;
	double t;

	if (sample_time(p, line))
		return LINE_KNOWN;
	if (scan(line, "%*/thermal_zone%w/%s", &n, &rest) && span_u64(n, &v) && v < 1U << 20) {
		s->zone = (unsigned int)v;
		s->any = true;
		return LINE_KNOWN;
	}
	if (!s->any || !scan(line, "%n", &n) || !span_number(n, &t))
		return LINE_UNKNOWN;
	emit_number(p, t / 1000, "zone%u", s->zone);
	return LINE_KNOWN;
}

PARSER(thermal) = {
	.name = "thermal", .state_size = sizeof(struct state), .line = thermal_line, .series = true,
	.strict = true, .expects = "the path of a zone's temperature and the number",
};
