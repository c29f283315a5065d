/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <string.h>

#include "base/file.h"
#include "base/record.h"

static int hex(char c)
{
	return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 :
	       c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

/* Undoes the escapes in place; false if one is malformed or gives a NUL. */
static bool unescape(char *s)
{
	char *to = s;

	while (*s) {
		if (*s != '\\') {
			*to++ = *s++;
		} else if (s[1] == 'n' || s[1] == 't' || s[1] == '\\') {
			*to++ = s[1] == 'n' ? '\n' : s[1] == 't' ? '\t' : '\\';
			s += 2;
		} else if (s[1] == 'x' && hex(s[2]) >= 0 && hex(s[3]) >= 0 &&
			   (hex(s[2]) || hex(s[3]))) {
			*to++ = (char)(hex(s[2]) << 4 | hex(s[3]));
			s += 4;
		} else {
			return false;
		}
	}
	*to = '\0';
	return true;
}

void record_put_line(struct text *out, const char *key, const char *value)
{
	assert(*key && !strpbrk(key, " \n") && *key != '#');
	text_puts(out, key);
	text_putc(out, ' ');
	for (const unsigned char *p = (const unsigned char *)value; *p; p++) {
		if (*p == '\n' || *p == '\t' || *p == '\\')
			text_printf(out, "\\%c", *p == '\n' ? 'n' : *p == '\t' ? 't' : '\\');
		else if (*p < 0x20 || *p == 0x7f)
			text_printf(out, "\\x%02x", *p);
		else
			text_putc(out, (char)*p);
	}
	text_putc(out, '\n');
}

static void append(struct record *r, char *key, char *value)
{
	GROW(r->line, r->n);
	r->line[r->n++] = (struct record_line){ key, value };
}

void record_add(struct record *r, const char *key, const char *value)
{
	assert(*key && !strpbrk(key, " \n") && *key != '#');
	append(r, text_copy(key), text_copy(value));
}

void record_addf(struct record *r, const char *key, const char *fmt, ...)
{
	_text_ struct text t = {};
	va_list ap;

	va_start(ap, fmt);
	text_vprintf(&t, fmt, ap);
	va_end(ap);
	record_add(r, key, text_str(&t));
}

void record_add_u64(struct record *r, const char *key, uint64_t value)
{
	record_addf(r, key, "%" PRIu64, value);
}

int record_parse(struct record *r, const char *text, size_t n, const char *name, struct err *e)
{
	const char *end = text + n;
	unsigned int line = 1;

	for (const char *p = text, *nl; p < end; p = nl + 1, line++) {
		_free_ char *copy = NULL;
		char *space;

		nl = memchr(p, '\n', (size_t)(end - p));
		if (!nl)
			nl = end;
		if (nl == p || *p == '#')
			continue;
		if (memchr(p, '\0', (size_t)(nl - p)))
			return err_set(e, EINVAL, "%s: line %u: a NUL byte", name, line);
		copy = text_format("%.*s", (int)(nl - p), p);
		space = strchr(copy, ' ');
		if (!space || space == copy)
			return err_set(e, EINVAL, "%s: line %u: not 'key value'", name, line);
		*space++ = '\0';
		if (!unescape(space))
			return err_set(e, EINVAL, "%s: line %u: bad escape", name, line);
		record_add(r, copy, space);
	}
	return 0;
}

int record_read(struct record *r, int dir, const char *path, struct err *e)
{
	_text_ struct text t = {};
	int k = file_read(dir, path, RECORD_MAX_BYTES, &t, e);

	return k < 0 ? k : record_parse(r, text_str(&t), t.len, path, e);
}

void record_print(const struct record *r, struct text *out)
{
	for (size_t i = 0; i < r->n; i++)
		record_put_line(out, r->line[i].key, r->line[i].value);
}

int record_write(const struct record *r, int dir, const char *path, struct err *e)
{
	_text_ struct text t = {};

	record_print(r, &t);
	return file_write(dir, path, text_str(&t), t.len, e);
}

const char *record_get(const struct record *r, const char *key)
{
	for (size_t i = 0; i < r->n; i++)
		if (!strcmp(r->line[i].key, key))
			return r->line[i].value;
	return NULL;
}

int record_get_u64(const struct record *r, const char *key, uint64_t *out, struct err *e)
{
	const char *v = record_get(r, key);
	char *end;

	if (!v)
		return err_set(e, ENOENT, "no '%s'", key);
	errno = 0;
	*out = strtoull(v, &end, 10);
	if (errno || end == v || *end || *v == '-')
		return err_set(e, EINVAL, "%s: '%s' is not a number", key, v);
	return 0;
}

void record_release(struct record *r)
{
	for (size_t i = 0; i < r->n; i++) {
		free(r->line[i].key);
		free(r->line[i].value);
	}
	free(r->line);
	*r = (struct record){};
}
