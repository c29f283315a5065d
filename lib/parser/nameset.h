/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A set of names, for "was this printed already?". */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* Beyond this many, names are taken for new and not kept: no text fills the memory. */
#define NAMESET_MAX (1U << 18)

struct nameset {
	char **slot;		/* open addressing; NULL is free */
	size_t n, room;		/* room: a power of two, more than twice n */
};

/* True if it was not there; it is now. */
bool nameset_add(struct nameset *s, const char *name);
void nameset_clear(struct nameset *s);
