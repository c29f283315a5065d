/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "parser/numastat.h"

static bool table_header(struct numastat *s, const char *line)
{
	struct span f[NUMASTAT_NODES_MAX];
	size_t n = split_blanks(line, f, NUMASTAT_NODES_MAX);
	unsigned int nodes[NUMASTAT_NODES_MAX];

	if (*line != ' ' || !n)
		return false;
	for (size_t i = 0; i < n; i++) {
		_free_ char *word = text_format("%.*s", SPANF(f[i]));

		if (!sample_node(word, &nodes[i]))
			return false;
	}
	for (size_t i = 0; i < n; i++)
		s->column[i] = nodes[i];
	s->n = n;
	return true;
}

int numastat_line(struct parse *p, char *line, struct err *e)
{
	struct numastat *s = p->state;
	struct span f[NUMASTAT_NODES_MAX + 1];
	size_t n;
	double v;

	if (sample_time(p, line) || table_header(s, line))
		return LINE_KNOWN;
	if (sample_node(line, &s->node)) {
		s->any = true;
		s->n = 0;
		return LINE_KNOWN;
	}
	n = split_blanks(line, f, NUMASTAT_NODES_MAX + 1);
	if (n < 2 || (s->n ? n != s->n + 1 : n != 2 || !s->any))
		return LINE_UNKNOWN;
	for (size_t i = 1; i < n; i++)
		if (!span_number(f[i], &v))
			return LINE_UNKNOWN;
	for (size_t i = 1; i < n; i++)
		emit_as(p, f[i], "node%u.%.*s", s->n ? s->column[i - 1] : s->node, SPANF(f[0]));
	return LINE_KNOWN;
}
