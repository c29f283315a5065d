/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A header of column names, then rows; the row of the whole machine has "-" for
 * its CPU, or is the only one.  Rows of single CPUs are passed over.
 */
#include <string.h>

#include "parser/parse.h"

#define COLUMNS_MAX 200

/* Columns that say which row it is, not what was measured. */
static const char *const places[] = {
	"Package", "Die", "Node", "Core", "CPU", "APIC", "X2APIC", "usec", "Time_Of_Day_Seconds",
	"pk",	   "cor",
};

struct state {
	char *header;			/* the column names live in it */
	struct span column[COLUMNS_MAX];
	size_t n, cpu;			/* cpu: its column; n if there is none */
};

static bool is_place(struct span column)
{
	for (size_t i = 0; i < COUNT(places); i++)
		if (span_is(column, places[i]))
			return true;
	return false;
}

static int header(struct state *s, const char *line)
{
	free(s->header);
	s->header = text_copy(line);
	s->n = split_blanks(s->header, s->column, COLUMNS_MAX);
	s->cpu = s->n;
	for (size_t i = 0; i < s->n; i++)
		if (span_is(s->column[i], "CPU"))
			s->cpu = i;
	return LINE_KNOWN;
}

static int turbo_line(struct parse *p, char *line, struct err *e)
{
	struct state *s = p->state;
	struct span f[COLUMNS_MAX];
	size_t n = split_blanks(line, f, COLUMNS_MAX);
	double v;

	for (size_t i = 0; i < n; i++)
		if (span_is(f[i], "Avg_MHz"))
			return header(s, line);
	/* Rows of CPUs leave their last columns out. */
	if (!s->n || !n || n > s->n)
		return LINE_UNKNOWN;
	if (s->cpu < s->n && (s->cpu >= n || !span_is(f[s->cpu], "-")))
		return LINE_KNOWN;
	for (size_t i = 0; i < n; i++)
		if (!is_place(s->column[i]) && span_number(f[i], &v))
			emit_as(p, f[i], "%.*s", SPANF(s->column[i]));
	return LINE_KNOWN;
}

static void turbo_release(void *state)
{
	free(((struct state *)state)->header);
}

PARSER(turbostat) = {
	.name = "turbostat", .state_size = sizeof(struct state), .line = turbo_line,
	.release = turbo_release, .series = true, .expects = "a header with Avg_MHz and rows",
};
