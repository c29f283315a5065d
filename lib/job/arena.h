/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Memory that is released as a whole. A file's nodes, and the thousands of
 * jobs made from them, live and die together; freeing them one by one would
 * cost more than making them.
 */
#pragma once

#include <stddef.h>

#include "base/attr.h"

struct arena_block;

struct arena {
	struct arena_block *block;	/* the one in use, linked to the full ones */
	size_t total;			/* bytes of all blocks */
};

/* Zeroed, aligned for any type. */
void *arena_get(struct arena *a, size_t n);

/* Without alignment and not zeroed: for characters. */
char *arena_chars(struct arena *a, size_t n);

char *arena_text(struct arena *a, const char *s);
char *arena_text_n(struct arena *a, const char *s, size_t n);
char *arena_format(struct arena *a, const char *fmt, ...) _printf_(2, 3);

/* Room for one more in a vector of @n elements that lives in @a; the old one stays. */
void *arena_grow(struct arena *a, void *v, size_t n, size_t size);
#define ARENA_GROW(a, v, n) ((v) = arena_grow((a), (v), (n), sizeof(*(v))))

void arena_release(struct arena *a);
#define _arena_ _cleanup_(arena_release)
