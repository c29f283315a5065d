/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <assert.h>
#include <stdalign.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include "base/text.h"
#include "job/arena.h"

#define BLOCK (64U << 10)

struct arena_block {
	struct arena_block *next;
	size_t used, size;
	alignas(max_align_t) char bytes[];
};

/* Large things get a block of their own, behind the one in use. */
static char *block_add(struct arena *a, size_t n)
{
	bool large = n > BLOCK / 4;
	struct arena_block *b = mem_zero(1, sizeof(*b) + (large ? n : BLOCK));

	b->size = large ? n : BLOCK;
	a->total += b->size;
	b->used = n;
	if (large && a->block) {
		b->next = a->block->next;
		a->block->next = b;
	} else {
		b->next = a->block;
		a->block = b;
	}
	return b->bytes;
}

static char *take(struct arena *a, size_t n, size_t align)
{
	struct arena_block *b = a->block;
	size_t from;

	assert(n < SIZE_MAX / 2);
	if (!b)
		return block_add(a, n);
	from = (b->used + align - 1) & ~(align - 1);
	if (from > b->size || n > b->size - from)
		return block_add(a, n);
	b->used = from + n;
	return b->bytes + from;
}

void *arena_get(struct arena *a, size_t n)
{
	return take(a, n, alignof(max_align_t));	/* blocks are zeroed when made */
}

char *arena_chars(struct arena *a, size_t n)
{
	return take(a, n, 1);
}

char *arena_text_n(struct arena *a, const char *s, size_t n)
{
	char *p = arena_chars(a, n + 1);

	memcpy(p, s, n);
	p[n] = '\0';
	return p;
}

char *arena_text(struct arena *a, const char *s)
{
	return s ? arena_text_n(a, s, strlen(s)) : NULL;
}

char *arena_format(struct arena *a, const char *fmt, ...)
{
	_text_ struct text t = {};
	va_list ap;

	va_start(ap, fmt);
	text_vprintf(&t, fmt, ap);
	va_end(ap);
	return arena_text_n(a, text_str(&t), t.len);
}

void *arena_grow(struct arena *a, void *v, size_t n, size_t size)
{
	void *more;

	/* Full at 0, 4, 8, 16 ...: the only sizes a vector is ever given. */
	if (n && (n < 4 || (n & (n - 1))))
		return v;
	more = arena_get(a, (n ? 2 * n : 4) * size);
	if (n)
		memcpy(more, v, n * size);
	return more;
}

void arena_release(struct arena *a)
{
	for (struct arena_block *b = a->block, *next; b; b = next) {
		next = b->next;
		free(b);
	}
	*a = (struct arena){};
}
