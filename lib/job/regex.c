/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Patterns come from job files, so they are hostile: what makes a matcher
 * blow up (back references, counts of counts) is refused.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "job/syntax.h"

#define PATTERN_MAX 400
#define COUNT_MAX 100

static const struct {
	char letter;
	const char *plain, *in_brackets;
} classes[] = {
	{ 'd', "[0-9]", "0-9" }, { 'w', "[A-Za-z0-9_]", "A-Za-z0-9_" },
	{ 's', "[[:space:]]", "[:space:]" }, { 'h', "[0-9A-Fa-f]", "0-9A-Fa-f" },
	{ 'D', "[^0-9]", NULL }, { 'W', "[^A-Za-z0-9_]", NULL }, { 'S', "[^[:space:]]", NULL },
	{ 'A', "^", NULL }, { 'z', "$", NULL }, { 'Z', "$", NULL }, { 'b', "\\b", NULL },
	{ 'n', "\n", "\n" }, { 't', "\t", "\t" },
};

static const char *escape(char c, bool brackets, struct text *out)
{
	for (size_t i = 0; i < COUNT(classes); i++) {
		if (classes[i].letter != c)
			continue;
		if (brackets && !classes[i].in_brackets)
			return "this class within [] is not known";
		text_puts(out, brackets ? classes[i].in_brackets : classes[i].plain);
		return NULL;
	}
	if (isalnum((unsigned char)c))
		return "this escape is not known in patterns";
	if (brackets)
		text_putc(out, c);
	else if (strchr(".[]{}()*+?|^$\\", c))
		text_printf(out, "\\%c", c);
	else
		text_putc(out, c);
	return NULL;
}

/* "{2,5}" */
static const char *repeat(const char *s, size_t n, size_t *i, unsigned *all, struct text *out)
{
	size_t from = *i;

	for (; *i < n && s[*i] != '}'; ++*i) {
		if (*i > from && !isdigit((unsigned char)s[*i]) && s[*i] != ',')
			return "'{' is not a count; write '\\{'";
		if (isdigit((unsigned char)s[*i]) && *i > from &&
		    !isdigit((unsigned char)s[*i - 1]))
			*all += (unsigned)strtoul(s + *i, NULL, 10) % 100000;
	}
	if (*i >= n || *all > COUNT_MAX)
		return "too large a count in the pattern";
	text_put(out, s + from, *i - from + 1);
	return NULL;
}

static const char *translate(const char *s, size_t n, struct text *out)
{
	bool brackets = false;
	unsigned counts = 0;
	const char *why;

	for (size_t i = 0; i < n; i++) {
		if (s[i] == '\\') {
			if (++i >= n)
				return "a backslash at the end";
			why = escape(s[i], brackets, out);
			if (why)
				return why;
		} else if (brackets) {
			brackets = s[i] != ']';
			text_putc(out, s[i]);
		} else if (s[i] == '(' && i + 1 < n && s[i + 1] == '?') {
			if (i + 2 >= n || s[i + 2] != ':')
				return "'(?' is not known in patterns";
			text_putc(out, '(');
			i += 2;
		} else if (s[i] == '{' && i && s[i - 1] == ')') {
			return "a count of a group is not known in patterns";
		} else if (s[i] == '{') {
			why = repeat(s, n, &i, &counts, out);
			if (why)
				return why;
		} else if ((s[i] == '?' || s[i] == '+') && i && strchr("*+?}", s[i - 1]) &&
			   (i < 2 || s[i - 2] != '\\')) {
			continue;	/* lazy or greedy: the same for yes or no */
		} else {
			brackets = s[i] == '[';
			text_putc(out, s[i]);
		}
	}
	return brackets ? "'[' without ']'" : NULL;
}

int regex_translate(struct arena *a, const char *s, size_t n, const struct place_at *at,
		    const char **out, struct err *e)
{
	_text_ struct text t = {};
	const char *why = n > PATTERN_MAX ? "the pattern is too long" : translate(s, n, &t);

	if (why)
		return node_err(at, e, "%s", why);
	*out = arena_text_n(a, text_str(&t), t.len);
	return 0;
}
