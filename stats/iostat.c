/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * iostat -x with columns by the names in its header, a '%' in front dropped.  The
 * first report is the average since boot and no sample of the run: our own mode
 * drops it.
 */
#include <string.h>

#include "parser/sample.h"

#define COLUMNS_MAX 32

struct state {
	char column[COLUMNS_MAX][16];
	size_t n;
	bool cpu;			/* the next row is that of the CPUs */
	unsigned int reports;		/* tables of devices that have begun */
};

static void header(struct state *s, const struct span *f, size_t n)
{
	s->n = n;
	for (size_t i = 0; i < n; i++) {
		size_t skip = f[i].n && *f[i].p == '%';

		snprintf(s->column[i], sizeof(s->column[i]), "%.*s", (int)(f[i].n - skip),
			 f[i].p + skip);
	}
}

/* The CPU's table stands in front of the devices' of the same report. */
static bool dropped(const struct parse *p, bool cpu)
{
	const struct state *s = p->state;

	return !p->lkp && s->reports + cpu < 2;
}

static int row(struct parse *p, struct span device, const struct span *f, size_t n, bool cpu)
{
	struct state *s = p->state;
	double v;

	if (n != s->n)
		return LINE_UNKNOWN;
	for (size_t i = 0; i < n; i++)
		if (!span_number(f[i], &v))
			return LINE_UNKNOWN;
	for (size_t i = 0; !dropped(p, cpu) && i < n; i++)
		emit_as(p, f[i], "%.*s.%s", SPANF(device), s->column[i]);
	return LINE_KNOWN;
}

static int iostat_line(struct parse *p, char *line, struct err *e)
{
	struct state *s = p->state;
	struct span f[COLUMNS_MAX + 1];
	size_t n = split_blanks(line, f, COUNT(f));
	double v;

	if (sample_time(p, line) || (n && span_is(f[0], "Linux")))
		return LINE_KNOWN;
	if (n > 1 && span_is(f[0], "avg-cpu:")) {
		header(s, f + 1, n - 1);
		s->cpu = true;
		return LINE_KNOWN;
	}
	if (n > 2 && (span_is(f[0], "Device") || span_is(f[0], "Device:"))) {
		header(s, f + 1, n - 1);
		s->cpu = false;
		s->reports++;
		return LINE_KNOWN;
	}
	if (!s->n || n < 2)
		return LINE_UNKNOWN;
	if (s->cpu && span_number(f[0], &v))
		return row(p, SPAN("cpu"), f, n, true);
	return row(p, f[0], f + 1, n - 1, false);
}

PARSER(iostat) = {
	.name = "iostat", .state_size = sizeof(struct state), .line = iostat_line, .series = true,
	.expects = "two reports of iostat -x at least",
};
