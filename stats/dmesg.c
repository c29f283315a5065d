/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The log of a boot from its serial console: what went wrong, and when. */
#include "parser/oops.h"

struct state {
	struct oops oops;
};

static int dmesg_line(struct parse *p, char *line, struct err *e)
{
	struct state *s = p->state;

	line_cut(line, OOPS_LINE_MAX);
	oops_line(&s->oops, line);
	return LINE_KNOWN;
}

static int dmesg_end(struct parse *p, struct err *e)
{
	struct state *s = p->state;

	oops_end(&s->oops);
	if (!p->n_lines)
		return 0;
	emit_number(p, 1, "boot_%s", s->oops.n ? "failures" : "successes");
	oops_print(p, &s->oops);
	return 0;
}

static void dmesg_release(void *state)
{
	oops_release(&((struct state *)state)->oops);
}

PARSER(dmesg) = {
	.name = "dmesg", .state_size = sizeof(struct state), .line = dmesg_line, .end = dmesg_end,
	.release = dmesg_release,
};
