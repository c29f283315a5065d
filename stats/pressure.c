/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * /proc/pressure/cpu, memory, io and irq, each behind its path:
 *
 *	some avg10=0.00 avg60=0.00 avg300=0.00 total=12345
 */
#include <string.h>

#include "parser/sample.h"

struct state {
	char resource[24];
};

static int pressure_line(struct parse *p, char *line, struct err *e)
{
	struct state *s = p->state;
	struct span f[8], name, value;
	size_t n;

	if (sample_time(p, line))
		return LINE_KNOWN;
	if (scan(line, "%*/pressure/%w", &name) && name.n < sizeof(s->resource)) {
		snprintf(s->resource, sizeof(s->resource), "%.*s", SPANF(name));
		return LINE_KNOWN;
	}
	n = split_blanks(line, f, COUNT(f));
	if (!*s->resource || n < 2 || !(span_is(f[0], "some") || span_is(f[0], "full")))
		return LINE_UNKNOWN;
	for (size_t i = 1; i < n; i++) {
		_free_ char *pair = text_format("%.*s", SPANF(f[i]));

		if (!scan(pair, "%w=%n", &name, &value))
			return LINE_UNKNOWN;
		emit_as(p, value, "%s.%.*s.%.*s", s->resource, SPANF(f[0]), SPANF(name));
	}
	return LINE_KNOWN;
}

PARSER(pressure) = {
	.name = "pressure", .state_size = sizeof(struct state), .line = pressure_line,
	.series = true, .strict = true,
	.expects = "the path of a pressure file and lines 'some avg10=N ...'",
};
