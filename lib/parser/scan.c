/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <assert.h>
#include <stdarg.h>
#include <string.h>

#include "metric/line.h"
#include "parser/scan.h"

static bool blank(char c)
{
	return c == ' ' || c == '\t';
}

/* What is longer is no number and no word; keeps hostile lines cheap. */
#define TOKEN_MAX 4096
#define DIGITS_MAX 400

static size_t digits_at(const char *s)
{
	size_t n = 0;

	while (n < DIGITS_MAX && s[n] >= '0' && s[n] <= '9')
		n++;
	return n;
}

/* "1,234", "9189,95" and "1.234.567": nobody can know what is meant. */
static bool grouped(const char *s)
{
	return (*s == '.' || *s == ',') && digits_at(s + 1);
}

static size_t number_at(const char *s)
{
	size_t n = *s == '-' || *s == '+', whole = digits_at(s + n), part = 0, sign;

	n += whole;
	if (s[n] == '.') {
		part = digits_at(s + n + 1);
		if (part || whole)
			n += part + (part > 0);
	}
	if (!whole && !part)
		return 0;
	if (s[n] == 'e' || s[n] == 'E') {
		sign = s[n + 1] == '-' || s[n + 1] == '+';
		if (digits_at(s + n + 1 + sign))
			n += 1 + sign + digits_at(s + n + 1 + sign);
	}
	return grouped(s + n) ? 0 : n;
}

static size_t word_at(const char *s, char stop)
{
	size_t n = 0;

	while (s[n] && !blank(s[n]) && (blank(stop) || !stop || stop == '%' || s[n] != stop))
		if (++n > TOKEN_MAX)
			return 0;
	return n;
}

/*
 * Matches a piece of the template that has no %s or %*, at @s.  Returns the end
 * in the line or NULL; adds what it took to @out.
 */
static const char *piece(const char *s, const char *t, const char *end, struct span *out,
			 size_t *n_out)
{
	while (t < end) {
		size_t n;

		if (blank(*t)) {
			while (blank(*s))
				s++;
			t++;
			continue;
		}
		if (*t != '%' || t[1] == '%') {
			if (*s != *t)
				return NULL;
			s++;
			t += *t == '%' ? 2 : 1;
			continue;
		}
		assert(t[1] == 'n' || t[1] == 'w');
		n = t[1] == 'n' ? number_at(s) : word_at(s, t[2]);
		if (!n)
			return NULL;
		assert(*n_out < SCAN_MAX);
		out[(*n_out)++] = (struct span){ s, n };
		s += n;
		t += 2;
	}
	return s;
}

static const char *gap_find(const char *t)
{
	for (; *t; t++) {
		if (*t != '%')
			continue;
		if (t[1] == 's' || t[1] == '*')
			return t;
		t++;
	}
	return t;
}

static bool at_end(const char *s)
{
	while (blank(*s))
		s++;
	return !*s;
}

/*
 * The template is pieces with gaps between; each gap takes as little as lets
 * the next piece match, and is not tried again: enough for lines, and linear.
 */
bool scan_spans(const char *line, const char *t, struct span *out)
{
	const char *gap = gap_find(t), *s = line;
	size_t n = 0;

	while (blank(*s))
		s++;
	s = piece(s, t, gap, out, &n);
	while (s && *gap) {
		bool kept = gap[1] == 's';
		const char *from = s, *next = gap + 2, *stop = gap_find(next), *end = NULL;
		size_t mine = n, first;

		n += kept;
		first = n;
		if (next == stop && !*stop) {
			s = from + strlen(from);
			end = s;
		}
		for (; !end; s++) {
			n = first;
			end = piece(s, next, stop, out, &n);
			if (end && !*stop && !at_end(end))
				end = NULL;
			if (end || !*s)
				break;
		}
		if (!end)
			return false;
		assert(mine < SCAN_MAX);
		if (kept)
			out[mine] = (struct span){ from, (size_t)(s - from) };
		s = end;
		gap = stop;
	}
	return s && at_end(s);
}

bool scan(const char *line, const char *template, ...)
{
	struct span got[SCAN_MAX];
	size_t n = 0;
	va_list ap;

	if (!scan_spans(line, template, got))
		return false;
	va_start(ap, template);
	for (const char *t = template; *t; t++)
		if (*t == '%' && *++t != '%' && *t != '*')
			*va_arg(ap, struct span *) = got[n++];
	va_end(ap);
	return true;
}

size_t split_blanks(const char *line, struct span *field, size_t max)
{
	size_t n = 0;

	for (const char *s = line; n < max; n++) {
		while (blank(*s))
			s++;
		if (!*s)
			break;
		field[n] = (struct span){ s, strcspn(s, " \t") };
		s += field[n].n;
	}
	return n;
}

size_t split_at(const char *line, char sep, struct span *field, size_t max)
{
	size_t n = 0;

	for (const char *s = line; n < max; n++) {
		const char *end = strchrnul(s, sep);

		field[n] = (struct span){ s, (size_t)(end - s) };
		if (!*end)
			return n + 1;
		s = end + 1;
	}
	return n;
}

void line_strip_color(char *line)
{
	char *to = line;

	for (const char *s = line; *s; s++) {
		size_t n = *s == '\033' && s[1] == '[' ? 2 + strspn(s + 2, "0123456789;") : 0;

		if (n && (s[n] == 'm' || s[n] == 'K'))
			s += n;
		else
			*to++ = *s;
	}
	*to = '\0';
}

void line_cut(char *line, size_t max)
{
	if (strnlen(line, max + 1) > max)
		line[max] = '\0';
}

struct span span_of(const char *s)
{
	return (struct span){ s, strlen(s) };
}

bool span_is(struct span s, const char *text)
{
	return strlen(text) == s.n && !memcmp(s.p, text, s.n);
}

bool span_starts(struct span s, const char *text)
{
	size_t n = strlen(text);

	return n <= s.n && !memcmp(s.p, text, n);
}

bool span_ends(struct span s, const char *text)
{
	size_t n = strlen(text);

	return n <= s.n && !memcmp(s.p + s.n - n, text, n);
}

struct span span_trim(struct span s)
{
	while (s.n && blank(*s.p)) {
		s.p++;
		s.n--;
	}
	while (s.n && blank(s.p[s.n - 1]))
		s.n--;
	return s;
}

bool span_number(struct span s, double *out)
{
	return metric_number(s.p, s.n, out);
}

bool span_u64(struct span s, uint64_t *out)
{
	uint64_t v = 0;

	if (!s.n)
		return false;
	for (size_t i = 0; i < s.n; i++)
		if (s.p[i] < '0' || s.p[i] > '9' || __builtin_mul_overflow(v, 10, &v) ||
		    __builtin_add_overflow(v, (uint64_t)(s.p[i] - '0'), &v))
			return false;
	*out = v;
	return true;
}
