/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <string.h>

#include "parser/sample.h"

bool sample_time(struct parse *p, const char *line)
{
	struct span t;

	if (strncmp(line, "time:", 5) || !scan(line, "time: %n", &t))
		return false;
	emit_time(p, t);
	return true;
}

static bool node_number(struct span s, unsigned int *node)
{
	uint64_t v;

	if (!span_u64(s, &v) || v > 65535)
		return false;
	*node = (unsigned int)v;
	return true;
}

bool sample_node(const char *line, unsigned int *node)
{
	struct span n, rest;

	if (*line == '/')
		return scan(line, "%*/node%w/%s", &n, &rest) && node_number(n, node);
	if (scan(line, "node%n", &n) || scan(line, "node%n:", &n) || scan(line, "Node %n", &n) ||
	    scan(line, "Node %n:", &n))
		return node_number(n, node);
	return false;
}

bool sample_pair(const char *line, struct span *name, struct span *value)
{
	const char *gap = line + strcspn(line, " \t"), *v = gap + strspn(gap, " \t");
	size_t n = strcspn(v, " \t");

	if (gap == line || gap[-1] == ':' || !n || v[n + strspn(v + n, " \t")])
		return false;
	*name = (struct span){ line, (size_t)(gap - line) };
	*value = (struct span){ v, n };
	return (*v >= '0' && *v <= '9') || *v == '-';
}
