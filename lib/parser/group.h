/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Values by name, in the order in which the names were first seen. */
#pragma once

#include "parser/spread.h"

struct group_row {
	char *name;
	struct spread values;
};

struct group {
	struct group_row *row;
	size_t n;
};

/* The values of @name, which is added if new. */
struct spread *group_get(struct group *g, const char *name);
void group_add(struct group *g, const char *name, double v);
void group_clear(struct group *g);
