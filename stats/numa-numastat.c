/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where allocations came from: the numastat files of the nodes, or the table of the
 * program numastat ("              node0    node1", "numa_hit   12   13").
 */
#include "parser/sample.h"

#define NODES_MAX 256

struct state {
	unsigned int column[NODES_MAX];	/* the nodes of the table */
	size_t n;			/* 0: files */
	unsigned int node;
	bool any;
};

static bool table_header(struct state *s, const char *line)
{
	struct span f[NODES_MAX];
	size_t n = split_blanks(line, f, NODES_MAX);
	unsigned int nodes[NODES_MAX];

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

static int numa_line(struct parse *p, char *line, struct err *e)
{
	struct state *s = p->state;
	struct span f[NODES_MAX + 1];
	size_t n;
	double v;

	if (sample_time(p, line) || table_header(s, line))
		return LINE_KNOWN;
	if (sample_node(line, &s->node)) {
		s->any = true;
		s->n = 0;
		return LINE_KNOWN;
	}
	n = split_blanks(line, f, NODES_MAX + 1);
	if (n < 2 || (s->n ? n != s->n + 1 : n != 2 || !s->any))
		return LINE_UNKNOWN;
	for (size_t i = 1; i < n; i++)
		if (!span_number(f[i], &v))
			return LINE_UNKNOWN;
	for (size_t i = 1; i < n; i++)
		emit_as(p, f[i], "node%u.%.*s", s->n ? s->column[i - 1] : s->node, SPANF(f[0]));
	return LINE_KNOWN;
}

PARSER(numa_numastat) = {
	.name = "numa-numastat", .state_size = sizeof(struct state), .line = numa_line,
	.series = true, .strict = true,
	.expects = "the path of a node's numastat and lines 'NAME NUMBER'",
};
