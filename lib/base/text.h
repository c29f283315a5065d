/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Growing text.  A `struct text` starts as {} and is released by _text_;
 * text_str() is always a C string.  Out of memory aborts, so that the callers
 * need no error path for it.
 */
#pragma once

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/attr.h"

struct text {
	char *p;		/* NULL while empty */
	size_t len, room;
};

void text_put(struct text *t, const void *bytes, size_t n);
void text_puts(struct text *t, const char *s);
void text_putc(struct text *t, char c);
void text_printf(struct text *t, const char *fmt, ...) _printf_(2, 3);
void text_vprintf(struct text *t, const char *fmt, va_list ap) _printf_(2, 0);

/* Borrowed; "" while empty. */
const char *text_str(const struct text *t);

/* Hands the string on ("" if empty, never NULL); @t is {} again. */
char *text_steal(struct text *t);

void text_release(struct text *t);
#define _text_ _cleanup_(text_release)

/* Like asprintf(), but aborts when memory is out. */
char *text_format(const char *fmt, ...) _printf_(1, 2);

/* strdup() that aborts; NULL gives NULL. */
char *text_copy(const char *s);

bool text_starts(const char *s, const char *prefix);
bool text_ends(const char *s, const char *suffix);

/*
 * For a terminal: control characters and invalid UTF-8 become \xHH, so that
 * hostile text (a commit's subject, a program's output) moves no cursor.
 * Newlines and tabs too, if @one_line.
 */
void text_put_visible(struct text *t, const char *s, size_t n, bool one_line);

/*
 * Memory that must be there: calloc and reallocarray that abort.
 * GROW(v, n): makes room for one more in a vector of @n elements (doubling).
 */
void *mem_zero(size_t n, size_t size);
void *mem_grow(void *v, size_t n, size_t size);
#define GROW(v, n) ((v) = mem_grow((v), (n), sizeof(*(v))))
