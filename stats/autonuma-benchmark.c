/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A case's name on a line, its seconds on the next; cases repeat. */
#include <string.h>

#include "parser/parse.h"

struct state {
	char name[80];
	struct group times;
};

static int autonuma_line(struct parse *p, char *line, struct err *e)
{
	struct state *s = p->state;
	struct span w;
	double v;

	if (*s->name && scan(line, "%n", &w) && span_number(w, &v)) {
		group_add(&s->times, s->name, v);
		*s->name = '\0';
		return LINE_KNOWN;
	}
	*s->name = '\0';
	if (!scan(line, "%w", &w) || !span_starts(w, "numa") || w.n >= sizeof(s->name))
		return LINE_UNKNOWN;
	memcpy(s->name, w.p, w.n);
	s->name[w.n] = '\0';
	return LINE_KNOWN;
}

static int autonuma_end(struct parse *p, struct err *e)
{
	struct state *s = p->state;

	for (size_t i = 0; i < s->times.n; i++) {
		double mean = spread_mean(&s->times.row[i].values);

		emit_float(p, p->lkp ? spread_round(mean, 2) : mean, "%s.seconds",
			   s->times.row[i].name);
	}
	return 0;
}

static void autonuma_release(void *state)
{
	group_clear(&((struct state *)state)->times);
}

PARSER(autonuma_benchmark) = {
	.name = "autonuma-benchmark", .state_size = sizeof(struct state), .line = autonuma_line,
	.end = autonuma_end, .release = autonuma_release,
	.expects = "a case's name (numa01 ...) and its seconds on the next line",
};
