/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <string.h>
#include <strings.h>

#include "kernel/patchmail_mime.h"

#define HEADER_MOST	4000

size_t mime_line(const char *p, const char *end)
{
	const char *nl = memchr(p, '\n', (size_t)(end - p));

	return (size_t)(nl ? nl + 1 - p : end - p);
}

static bool is_blank(const char *p, size_t n)
{
	return n == 0 || *p == '\n' || (n > 1 && *p == '\r' && p[1] == '\n');
}

/* "Name:" with letters, digits and dashes; 0 if it is none, else the name's length. */
static size_t header_name(const char *p, size_t n)
{
	size_t i = 0;

	while (i < n && i < 80 && ((p[i] | 32) >= 'a' ? (p[i] | 32) <= 'z' :
				   (p[i] >= '0' && p[i] <= '9') || p[i] == '-'))
		i++;
	return i && i < n && p[i] == ':' ? i : 0;
}

size_t mime_body(const char *bytes, size_t n)
{
	const char *p = bytes, *end = bytes + n;
	bool any = false;

	if (n >= 5 && !memcmp(p, "From ", 5))
		p += mime_line(p, end);
	while (p < end) {
		size_t len = mime_line(p, end);

		if (is_blank(p, len))
			return any ? (size_t)(p + len - bytes) : 0;
		if (!header_name(p, len) && !(any && (*p == ' ' || *p == '\t')))
			return 0;
		any = true;
		p += len;
	}
	return any ? n : 0;
}

char *mime_header(const char *bytes, size_t n, const char *name)
{
	const char *p = bytes, *end = bytes + mime_body(bytes, n);
	_text_ struct text value = {};
	size_t want = strlen(name);
	bool in = false;

	for (size_t len; p < end && value.len < HEADER_MOST; p += len) {
		size_t from = 0, to;

		len = to = mime_line(p, end);
		if (*p != ' ' && *p != '\t') {
			if (in)
				break;
			from = header_name(p, len);
			in = from == want && !strncasecmp(p, name, want);
			from += from ? 1 : 0;
		}
		while (in && to > from && strchr("\r\n", p[to - 1]))
			to--;
		for (size_t i = from; in && i < to; i++)
			text_putc(&value, p[i] && p[i] != '\t' ? p[i] : ' ');
	}
	if (value.len) {
		const char *v = value.p + strspn(value.p, " ");

		return text_copy(v);
	}
	return text_copy("");
}

/* A parameter of a header ("charset=utf-8"); false if it is not there or too long. */
static bool parameter(const char *header, const char *name, char *out, size_t size)
{
	size_t n = strlen(name);

	for (const char *p = header; (p = strchr(p, ';'));) {
		const char *v, *stop;

		p += 1 + strspn(p + 1, " ");
		if (strncasecmp(p, name, n) || p[n] != '=')
			continue;
		v = p + n + 1;
		stop = *v == '"' ? strchr(++v, '"') : v + strcspn(v, "; ");
		if (!stop || stop == v || (size_t)(stop - v) >= size)
			return false;
		snprintf(out, size, "%.*s", (int)(stop - v), v);
		return true;
	}
	return false;
}

static int hex_digit(char c)
{
	return c >= '0' && c <= '9' ? c - '0' : (c | 32) >= 'a' && (c | 32) <= 'f' ?
	       (c | 32) - 'a' + 10 : -1;
}

/* A malformed escape stays as it is, as RFC 2045 6.7 advises. */
static void undo_quoted_printable(const char *p, size_t n, struct text *out)
{
	const char *end = p + n;

	while (p < end) {
		size_t left = (size_t)(end - p);

		if (*p != '=') {
			text_putc(out, *p++);
		} else if (left > 1 && p[1] == '\n') {
			p += 2;
		} else if (left > 2 && p[1] == '\r' && p[2] == '\n') {
			p += 3;
		} else if (left > 2 && hex_digit(p[1]) >= 0 && hex_digit(p[2]) >= 0) {
			text_putc(out, (char)(hex_digit(p[1]) << 4 | hex_digit(p[2])));
			p += 3;
		} else {
			text_putc(out, *p++);
		}
	}
}

static int base64_digit(char c)
{
	static const char digits[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	const char *at = c ? strchr(digits, c) : NULL;

	return at ? (int)(at - digits) : -1;
}

/* Other characters are passed over; padding ends it. */
static void undo_base64(const char *p, size_t n, struct text *out)
{
	unsigned int bits = 0, have = 0;

	for (size_t i = 0; i < n && p[i] != '='; i++) {
		int d = base64_digit(p[i]);

		if (d < 0)
			continue;
		bits = (bits << 6 | (unsigned int)d) & 0xfffff;
		have += 6;
		if (have >= 8) {
			have -= 8;
			text_putc(out, (char)(bits >> have & 0xff));
		}
	}
}

/* Letters of a charset's name that need no quoting in a header. */
static bool is_token(const char *s)
{
	return !s[strspn(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.:")];
}

struct headers {
	char *type, *encoding, *disposition;
};

static void leaf(struct mime *m, const struct headers *h, const char *p, size_t n)
{
	bool mail = !strncasecmp(h->type, "message/rfc822", 14);
	char name[200] = "";
	struct mime_part *part;

	if (m->n == MIME_PARTS_MOST || !strncasecmp(h->type, "text/html", 9))
		return;
	if (!parameter(h->disposition, "filename", name, sizeof(name)))
		parameter(h->type, "name", name, sizeof(name));
	if (*h->type && strncasecmp(h->type, "text/", 5) && !mail && !strcasestr(h->type, "patch") &&
	    !strcasestr(h->type, "diff") && !strcasestr(name, ".patch") && !strcasestr(name, ".diff"))
		return;
	part = &m->part[m->n++];
	*part = (struct mime_part){ .mail = mail };
	part->attachment = *name || !strncasecmp(h->disposition, "attachment", 10);
	if (!parameter(h->type, "charset", part->charset, sizeof(part->charset)) ||
	    !is_token(part->charset))
		part->charset[0] = '\0';
	if (!strncasecmp(h->encoding, "quoted-printable", 16))
		undo_quoted_printable(p, n, &part->body);
	else if (!strncasecmp(h->encoding, "base64", 6))
		undo_base64(p, n, &part->body);
	else
		text_put(&part->body, p, n);
}

static void split(struct mime *m, const char *bytes, size_t n, int depth);

static bool is_delimiter(const char *p, size_t len, const char *boundary)
{
	size_t b = strlen(boundary);

	return len >= b + 2 && p[0] == '-' && p[1] == '-' && !memcmp(p + 2, boundary, b);
}

static void multipart(struct mime *m, const char *p, size_t n, const char *boundary, int depth)
{
	const char *end = p + n, *from = NULL;

	for (size_t len; p < end; p += len) {
		len = mime_line(p, end);
		if (!is_delimiter(p, len, boundary))
			continue;
		if (from)
			split(m, from, (size_t)(p - from), depth + 1);
		from = p + len;
		if (len >= strlen(boundary) + 4 && !memcmp(p + 2 + strlen(boundary), "--", 2))
			return;
	}
	if (from && from < end)
		split(m, from, (size_t)(end - from), depth + 1);
}

static void split(struct mime *m, const char *bytes, size_t n, int depth)
{
	size_t body = mime_body(bytes, n);
	_free_ char *type = mime_header(bytes, n, "Content-Type");
	_free_ char *encoding = mime_header(bytes, n, "Content-Transfer-Encoding");
	_free_ char *disposition = mime_header(bytes, n, "Content-Disposition");
	struct headers h = { type, encoding, disposition };
	char boundary[200];

	/* A part may have no headers: then an empty line comes first. */
	if (!body && depth && n && is_blank(bytes, n))
		body = mime_line(bytes, bytes + n);
	if (!strncasecmp(type, "multipart/", 10) && depth < MIME_DEPTH_MOST &&
	    parameter(type, "boundary", boundary, sizeof(boundary)))
		multipart(m, bytes + body, n - body, boundary, depth);
	else
		leaf(m, &h, bytes + body, n - body);
}

void mime_parse(struct mime *m, const char *bytes, size_t n)
{
	split(m, bytes, n, 0);
}

void mime_release(struct mime *m)
{
	for (size_t i = 0; i < m->n; i++)
		text_release(&m->part[i].body);
	m->n = 0;
}
