/* SPDX-License-Identifier: GPL-2.0-or-later */
/* /proc/softirqs: of each CPU and of all. */
#include <string.h>

#include "parser/percpu.h"

struct state {
	struct percpu cpus;
};

static int softirq_line(struct parse *p, char *line, struct err *e)
{
	struct state *s = p->state;
	char *name = line + strspn(line, " \t"), *colon = strchr(name, ':');

	if (sample_time(p, line) || percpu_header(&s->cpus, line))
		return LINE_KNOWN;
	if (!colon || colon == name)
		return LINE_UNKNOWN;
	*colon = '\0';
	return percpu_row(p, &s->cpus, colon + 1, name) ? LINE_KNOWN : LINE_UNKNOWN;
}

static void softirq_release(void *state)
{
	percpu_release(&((struct state *)state)->cpus);
}

PARSER(softirqs) = {
	.name = "softirqs", .state_size = sizeof(struct state), .line = softirq_line,
	.release = softirq_release, .series = true, .strict = true,
	.expects = "the header and rows of /proc/softirqs",
};
