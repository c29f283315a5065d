/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <string.h>

#include "base/text.h"
#include "parser/group.h"

/* Names are few (cases, percentiles), so that a walk finds them soon enough. */
struct spread *group_get(struct group *g, const char *name)
{
	for (size_t i = g->n; i-- > 0;)
		if (!strcmp(g->row[i].name, name))
			return &g->row[i].values;
	GROW(g->row, g->n);
	g->row[g->n] = (struct group_row){ .name = text_copy(name) };
	return &g->row[g->n++].values;
}

void group_add(struct group *g, const char *name, double v)
{
	spread_add(group_get(g, name), v);
}

void group_clear(struct group *g)
{
	for (size_t i = 0; i < g->n; i++) {
		free(g->row[i].name);
		spread_clear(&g->row[i].values);
	}
	free(g->row);
	*g = (struct group){};
}
