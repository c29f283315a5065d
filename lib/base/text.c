/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdint.h>
#include <string.h>

#include "base/text.h"

void *mem_zero(size_t n, size_t size)
{
	void *p = calloc(n ? n : 1, size ? size : 1);

	if (!p)
		abort();
	return p;
}

/* Room is always the next power of two, so it needs not be remembered. */
void *mem_grow(void *v, size_t n, size_t size)
{
	if (n & (n - 1) || (n > 0 && n < 4))
		return v;
	v = reallocarray(v, n ? 2 * n < 4 ? 4 : 2 * n : 4, size);
	if (!v)
		abort();
	return v;
}

static void reserve(struct text *t, size_t more)
{
	size_t need = t->len + more + 1;

	if (need <= t->room)
		return;
	t->room = need < 2 * t->room ? 2 * t->room : need < 64 ? 64 : need;
	t->p = realloc(t->p, t->room);
	if (!t->p)
		abort();
}

void text_put(struct text *t, const void *bytes, size_t n)
{
	if (!n)
		return;
	reserve(t, n);
	memcpy(t->p + t->len, bytes, n);
	t->len += n;
	t->p[t->len] = '\0';
}

void text_puts(struct text *t, const char *s)
{
	text_put(t, s, strlen(s));
}

void text_putc(struct text *t, char c)
{
	text_put(t, &c, 1);
}

void text_vprintf(struct text *t, const char *fmt, va_list ap)
{
	va_list again;
	int n;

	va_copy(again, ap);
	n = vsnprintf(NULL, 0, fmt, again);
	va_end(again);
	if (n < 0)
		abort();
	reserve(t, (size_t)n);
	vsnprintf(t->p + t->len, (size_t)n + 1, fmt, ap);
	t->len += (size_t)n;
}

void text_printf(struct text *t, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	text_vprintf(t, fmt, ap);
	va_end(ap);
}

const char *text_str(const struct text *t)
{
	return t->p ? t->p : "";
}

char *text_steal(struct text *t)
{
	char *p = t->p ? t->p : text_copy("");

	*t = (struct text){};
	return p;
}

void text_release(struct text *t)
{
	free(t->p);
	*t = (struct text){};
}

char *text_format(const char *fmt, ...)
{
	struct text t = {};
	va_list ap;

	va_start(ap, fmt);
	text_vprintf(&t, fmt, ap);
	va_end(ap);
	return text_steal(&t);
}

char *text_copy(const char *s)
{
	char *p = s ? strdup(s) : NULL;

	if (s && !p)
		abort();
	return p;
}

bool text_starts(const char *s, const char *prefix)
{
	return !strncmp(s, prefix, strlen(prefix));
}

bool text_ends(const char *s, const char *suffix)
{
	size_t n = strlen(s), m = strlen(suffix);

	return n >= m && !strcmp(s + n - m, suffix);
}

/* Length of the valid UTF-8 character at @s that is no C1 control; 0 if none. */
static size_t utf8_char(const unsigned char *s, size_t n)
{
	static const uint32_t least[] = { 0, 0, 0x80, 0x800, 0x10000 };
	size_t len = s[0] < 0x80 ? 1 : s[0] >> 5 == 6 ? 2 : s[0] >> 4 == 14 ? 3 :
		     s[0] >> 3 == 30 ? 4 : 0;
	uint32_t c = len > 1 ? s[0] & (0x7fU >> len) : s[0];

	if (!len || len > n)
		return 0;
	for (size_t i = 1; i < len; i++) {
		if (s[i] >> 6 != 2)
			return 0;
		c = c << 6 | (s[i] & 0x3f);
	}
	if (c < least[len] || c > 0x10ffff || (c >= 0xd800 && c < 0xe000))
		return 0;
	/* Bidirectional controls reorder what a reader sees. */
	if ((c >= 0x80 && c < 0xa0) || (c >= 0x202a && c <= 0x202e) ||
	    (c >= 0x2066 && c <= 0x2069))
		return 0;
	return len;
}

void text_put_visible(struct text *t, const char *s, size_t n, bool one_line)
{
	const unsigned char *p = (const unsigned char *)s;

	while (n) {
		size_t len = utf8_char(p, n);
		bool layout = *p == '\n' || *p == '\t';

		if (!len || (len == 1 && (*p < 0x20 || *p == 0x7f) && !(layout && !one_line))) {
			text_printf(t, "\\x%02x", *p);
			len = 1;
		} else {
			text_put(t, p, len);
		}
		p += len;
		n -= len;
	}
}
