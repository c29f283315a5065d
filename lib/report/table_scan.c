/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "report/table_scan.h"

#define EXACT_DIGITS	15	/* so many fit a double, and */
#define EXACT_POWER	22	/* powers of ten up to this do: one rounding (Clinger 1990) */

struct scan {
	const char *start, *p, *end;
	struct err *e;
};

static int scan_err(const struct scan *s, const char *what)
{
	size_t line = 1;

	for (const char *p = s->start; p < s->p; p++)
		line += *p == '\n';
	return err_set(s->e, EINVAL, "line %zu: %s", line, what);
}

static char peek(struct scan *s)
{
	while (s->p < s->end && (*s->p == ' ' || *s->p == '\n' || *s->p == '\t' || *s->p == '\r'))
		s->p++;
	return s->p < s->end ? *s->p : '\0';
}

static bool take(struct scan *s, char c)
{
	if (peek(s) != c)
		return false;
	s->p++;
	return true;
}

/* The string between quotes. Escapes and odd bytes are left to the library. */
static int scan_string(struct scan *s, char **out)
{
	const char *from = s->p;
	bool plain = true;
	json_t *whole;

	for (s->p++; s->p < s->end && *s->p != '"'; s->p++) {
		plain &= *s->p != '\\' && (unsigned char)*s->p >= 0x20 && (unsigned char)*s->p < 0x80;
		if (*s->p == '\\' && s->p + 1 < s->end)
			s->p++;
	}
	if (s->p >= s->end)
		return scan_err(s, "a string does not end");
	s->p++;
	if (!out && plain)
		return 0;
	if (plain) {
		size_t n = (size_t)(s->p - from) - 2;

		*out = mem_zero(n + 1, 1);
		memcpy(*out, from + 1, n);
		return 0;
	}
	whole = json_loadb(from, (size_t)(s->p - from), JSON_DECODE_ANY, NULL);
	if (!whole)
		return scan_err(s, "a bad string");
	if (out)
		*out = text_copy(json_string_value(whole));
	json_decref(whole);
	return 0;
}

static bool is_digit(const struct scan *s)
{
	return s->p < s->end && *s->p >= '0' && *s->p <= '9';
}

static size_t digits(struct scan *s, uint64_t *m, int *significant)
{
	size_t n = 0;

	for (; is_digit(s); s->p++, n++) {
		if (*significant <= EXACT_DIGITS)
			*m = *m * 10 + (uint64_t)(*s->p - '0');
		*significant += *m != 0;
	}
	return n;
}

static double exact(uint64_t m, int power)
{
	static const double tens[] = {
		1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14,
		1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22,
	};

	return power < 0 ? (double)m / tens[-power] : (double)m * tens[power];
}

static int convert(struct scan *s, const char *from, double *out)
{
	_free_ char *copy = text_format("%.*s", (int)(s->p - from), from);

	*out = strtod(copy, NULL);
	return isfinite(*out) ? 0 : scan_err(s, "a number beyond range");
}

static int scan_number(struct scan *s, double *out)
{
	const char *from = s->p;
	bool minus = *s->p == '-';
	int significant = 0, power = 0;
	uint64_t m = 0;
	bool zero;

	s->p += minus;
	zero = s->p < s->end && *s->p == '0';
	if (s->p - from > 300 || digits(s, &m, &significant) > (zero ? 1 : SIZE_MAX) ||
	    s->p == from + minus)
		return scan_err(s, "a bad number");
	if (s->p < s->end && *s->p == '.') {
		s->p++;
		power = -(int)digits(s, &m, &significant);
		if (!power)
			return scan_err(s, "a bad number");
	}
	if (s->p < s->end && (*s->p == 'e' || *s->p == 'E')) {
		s->p++;
		s->p += s->p < s->end && (*s->p == '+' || *s->p == '-');
		if (!is_digit(s))
			return scan_err(s, "a bad number");
		while (is_digit(s))
			s->p++;
		return convert(s, from, out);
	}
	if (significant > EXACT_DIGITS || power < -EXACT_POWER)
		return convert(s, from, out);
	*out = minus ? -exact(m, power) : exact(m, power);
	return 0;
}

static int scan_word(struct scan *s)
{
	static const char *const words[] = { "null", "true", "false" };

	for (size_t i = 0; i < COUNT(words); i++) {
		size_t n = strlen(words[i]);

		if ((size_t)(s->end - s->p) >= n && !memcmp(s->p, words[i], n)) {
			s->p += n;
			return 0;
		}
	}
	return scan_err(s, "neither a number nor a string");
}

static int scan_value(struct scan *s, struct scan_array *a)
{
	char c = peek(s);

	GROW(a->v, a->n);
	a->v[a->n] = NAN;
	if (c == '-' || (c >= '0' && c <= '9'))
		return scan_number(s, &a->v[a->n++]);
	a->n++;
	a->numbers = false;
	return c == '"' ? scan_string(s, NULL) : scan_word(s);
}

static int scan_array(struct scan *s, struct scan_array *a)
{
	if (!take(s, '['))
		return scan_err(s, "no array");
	if (take(s, ']'))
		return 0;
	do {
		if (scan_value(s, a) < 0)
			return -s->e->code;
	} while (take(s, ','));
	return take(s, ']') ? 0 : scan_err(s, "an array does not end");
}

static int scan_member(struct scan *s, scan_fn each, void *arg)
{
	_free_ char *name = NULL;
	_free_ double *v = NULL;
	struct scan_array a = { .numbers = true };
	int r;

	if (peek(s) != '"')
		return scan_err(s, "no name");
	if (scan_string(s, &name) < 0)
		return -s->e->code;
	if (!take(s, ':'))
		return scan_err(s, "no colon after a name");
	r = scan_array(s, &a);
	v = a.v;
	if (r < 0)
		return r;
	a.name = steal(name);
	a.v = steal(v);
	each(arg, &a);
	return 0;
}

int scan_arrays(const char *text, size_t n, scan_fn each, void *arg, struct err *e)
{
	struct scan s = { text, text, text + n, e };

	if (!take(&s, '{'))
		return scan_err(&s, "not an object of arrays");
	if (!take(&s, '}')) {
		do {
			if (scan_member(&s, each, arg) < 0)
				return -e->code;
		} while (take(&s, ','));
		if (!take(&s, '}'))
			return scan_err(&s, "the object does not end");
	}
	peek(&s);
	return s.p == s.end ? 0 : scan_err(&s, "something after the end");
}
