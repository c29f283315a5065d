/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a plain scalar of YAML 1.1 is. LKP's names of jobs hold the values as
 * its loader prints them, so that `010` shows as 8 and `1.50` as 1.5; the same
 * rules here give the same names.
 */
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "job/node.h"

static const struct {
	const char *word;
	enum node_kind kind;
	const char *text;
} words[] = {
	{ "~", NODE_NULL, NULL }, { "null", NODE_NULL, NULL },
	{ "yes", NODE_BOOL, "true" }, { "true", NODE_BOOL, "true" }, { "on", NODE_BOOL, "true" },
	{ "no", NODE_BOOL, "false" }, { "false", NODE_BOOL, "false" },
	{ "off", NODE_BOOL, "false" },
};

/* The digits of @s without separators; false if something else is in it. */
static bool digits(const char *s, int base, char *out, size_t room)
{
	size_t n = 0;

	for (; *s; s++) {
		int d = isdigit((unsigned char)*s) ? *s - '0' :
			isxdigit((unsigned char)*s) ? tolower((unsigned char)*s) - 'a' + 10 : 99;

		if ((*s == '_' || *s == ',') && n)
			continue;
		if (d >= base || n + 1 >= room)
			return false;
		out[n++] = *s;
	}
	out[n] = '\0';
	return n > 0;
}

static bool integer(const char *s, struct text *out)
{
	char only[24];
	bool minus = *s == '-';
	const char *p = s + (*s == '-' || *s == '+');
	int base = 10;
	unsigned long long n;

	if (*p == '0' && p[1]) {
		base = p[1] == 'x' ? 16 : p[1] == 'b' ? 2 : 8;
		p += base == 8 ? 1 : 2;
	}
	if (!digits(p, base, only, sizeof(only)) || strlen(only) > 18)
		return false;
	n = strtoull(only, NULL, base);
	text_printf(out, "%s%llu", minus && n ? "-" : "", n);
	return true;
}

/* "1:30" is ninety, as in YAML 1.1. */
static bool sexagesimal(const char *s, struct text *out)
{
	bool minus = *s == '-';
	const char *p = s + (*s == '-' || *s == '+');
	unsigned long long n = 0, part = 0;
	int parts = 0, len = 0;

	if (!isdigit((unsigned char)*p))
		return false;
	for (;; p++) {
		if (isdigit((unsigned char)*p)) {
			part = part * 10 + (unsigned)(*p - '0');
			if (++len > (parts ? 2 : 9) || (parts && part > 59))
				return false;
		} else if ((*p == ':' || !*p) && len) {
			n = n * 60 + part;
			if (!*p)
				break;
			if (++parts > 2)
				return false;
			part = 0;
			len = 0;
		} else if (*p != '_') {
			return false;
		}
	}
	if (!parts)
		return false;
	text_printf(out, "%s%llu", minus ? "-" : "", n);
	return true;
}

static bool real(const char *s, struct text *out)
{
	char only[40], shown[40];
	const char *p = s + (*s == '-' || *s == '+');
	size_t n = 0;
	bool dot = false, digit = false;
	double v;

	if (p > s && *s == '-')
		only[n++] = '-';
	for (; *p && n + 1 < sizeof(only); p++) {
		if (isdigit((unsigned char)*p) || (*p == '.' && !dot)) {
			dot |= *p == '.';
			digit |= *p != '.';
			only[n++] = *p;
		} else if ((*p == 'e' || *p == 'E') && dot && digit && (p[1] == '+' || p[1] == '-') &&
			   isdigit((unsigned char)p[2])) {
			only[n++] = 'e';
			only[n++] = *++p;
			dot = true;
		} else if ((*p != '_' && *p != ',') || !digit || dot) {
			return false;
		}
	}
	only[n < sizeof(only) ? n : sizeof(only) - 1] = '\0';
	if (*p || !dot || !digit)
		return false;
	v = strtod(only, NULL);
	if (!isfinite(v) || (v != 0 && (fabs(v) < 1e-4 || fabs(v) >= 1e15)))
		return false;	/* stays as written */
	for (int precision = 1; precision <= 17; precision++) {
		snprintf(shown, sizeof(shown), "%.*g", precision, v);
		if (strtod(shown, NULL) == v && !strchr(shown, 'e'))
			break;
	}
	text_printf(out, "%s%s", shown, strchr(shown, '.') ? "" : ".0");
	return true;
}

enum node_kind scalar_kind(const char *plain, struct text *out)
{
	if (!*plain)
		return NODE_NULL;
	for (size_t i = 0; i < COUNT(words); i++) {
		if (strcasecmp(plain, words[i].word))
			continue;
		if (words[i].text)
			text_puts(out, words[i].text);
		return words[i].kind;
	}
	if (strchr("+-.0123456789", *plain)) {
		if (integer(plain, out) || sexagesimal(plain, out))
			return NODE_INT;
		if (real(plain, out))
			return NODE_FLOAT;
	}
	text_puts(out, plain);
	return NODE_TEXT;
}
