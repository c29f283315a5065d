/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * /proc/slabinfo, with its columns by the names in the header:
 *
 *	# name  <active_objs> <num_objs> ... : tunables <limit> ... : slabdata <active_slabs> ...
 */
#include <string.h>

#include "parser/sample.h"

#define COLUMNS_MAX 24

/* The rest are the cache's shape and do not change. */
static const char *const taken[] = { "active_objs", "num_objs", "active_slabs", "num_slabs" };

struct state {
	const char *column[COLUMNS_MAX];	/* NULL: not taken */
	size_t n;
};

static int header(struct state *s, const char *line)
{
	struct span f[COLUMNS_MAX];
	size_t n = split_blanks(line, f, COLUMNS_MAX);

	s->n = 0;
	/* f[0] is '#', so that columns are one further left in rows */
	for (size_t i = 1; i < n; i++) {
		s->column[s->n] = NULL;
		for (size_t k = 0; k < COUNT(taken); k++)
			if (f[i].n == strlen(taken[k]) + 2 &&
			    !memcmp(f[i].p + 1, taken[k], f[i].n - 2))
				s->column[s->n] = taken[k];
		s->n++;
	}
	return LINE_KNOWN;
}

static int slab_line(struct parse *p, char *line, struct err *e)
{
	struct state *s = p->state;
	struct span f[COLUMNS_MAX];
	size_t n;
	double v;

	if (sample_time(p, line) || scan(line, "slabinfo - version: %*"))
		return LINE_KNOWN;
	if (scan(line, "# name %*<active_objs>%*"))
		return header(s, line);
	n = split_blanks(line, f, COLUMNS_MAX);
	if (!s->n || n < 2 || n > s->n)
		return LINE_UNKNOWN;
	for (size_t i = 1; i < n; i++)
		if (s->column[i] && !span_number(f[i], &v))
			return LINE_UNKNOWN;
	for (size_t i = 1; i < n; i++)
		if (s->column[i])
			emit_as(p, f[i], "%.*s.%s", SPANF(f[0]), s->column[i]);
	return LINE_KNOWN;
}

PARSER(slabinfo) = {
	.name = "slabinfo", .state_size = sizeof(struct state), .line = slab_line, .series = true,
	.strict = true, .expects = "the header and rows of /proc/slabinfo",
};
