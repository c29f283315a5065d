/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A section is a title and the fields below it:
 *
 *	MEMORY MANAGEMENT
 *	M:	Name <address>
 *	L:	linux-mm@kvack.org
 *	S:	Maintained
 *	F:	mm/
 *	X:	mm/kasan/
 *
 * The file is part of the tree under test and may be hostile.
 */
#include <regex.h>
#include <string.h>

#include "report/maintainers.h"

#define LINE_MAX_BYTES 500

/* The pattern takes the path's beginning; * takes slashes, too, as in the script. */
static bool glob_start(const char *pattern, const char *path)
{
	const char *star = NULL, *retry = NULL;

	while (*pattern) {
		if (*pattern == '*') {
			star = ++pattern;
			retry = path;
		} else if (*path && (*pattern == '?' || *pattern == *path)) {
			pattern++;
			path++;
		} else if (star && *retry) {
			pattern = star;
			path = ++retry;
		} else {
			return false;
		}
	}
	return true;
}

static size_t slashes(const char *s)
{
	size_t n = 0;

	for (; *s; s++)
		n += *s == '/';
	return n;
}

bool maintainers_pattern(const char *pattern, const char *path)
{
	size_t n = strlen(pattern);

	if (!n)
		return false;
	if (pattern[n - 1] == '/')
		return glob_start(pattern, path);
	/* A folder may be written without its slash. */
	if (!strpbrk(pattern, "*?") && text_starts(path, pattern) && path[n] == '/')
		return true;
	return glob_start(pattern, path) && slashes(pattern) == slashes(path);
}

/* Expressions that could take for ever are not tried. */
static bool regex_matches(const char *expression, const char *path)
{
	regex_t re;
	bool found;

	if (strlen(expression) > 200 || strpbrk(expression, "{(") || strstr(expression, "**") ||
	    regcomp(&re, expression, REG_EXTENDED | REG_NOSUB))
		return false;
	found = !regexec(&re, path, 0, NULL, 0);
	regfree(&re);
	return found;
}

struct field {
	char letter;
	char *value;
};

struct section {
	char title[120];
	struct field *field;
	size_t n;
};

static void section_clear(struct section *s)
{
	for (size_t i = 0; i < s->n; i++)
		free(s->field[i].value);
	free(s->field);
	*s = (struct section){};
}

static bool has_file(const struct section *s, const char *path)
{
	bool in = false;

	for (size_t i = 0; i < s->n; i++) {
		const struct field *f = &s->field[i];

		if (f->letter == 'X' && maintainers_pattern(f->value, path))
			return false;
		in = in || (f->letter == 'F' && maintainers_pattern(f->value, path)) ||
		     (f->letter == 'N' && regex_matches(f->value, path));
	}
	return in;
}

/* "THE REST": all files. And sections that nobody looks after. */
static bool names_no_people(const struct section *s)
{
	for (size_t i = 0; i < s->n; i++) {
		const struct field *f = &s->field[i];

		if (f->letter == 'F' && (!strcmp(f->value, "*") || !strcmp(f->value, "*/")))
			return true;
		if (f->letter == 'S' && (!strcasecmp(f->value, "Orphan") ||
					 !strcasecmp(f->value, "Obsolete")))
			return true;
	}
	return false;
}

static void add_list(const struct section *s, const char *value, struct recipients *out)
{
	_free_ char *reason = text_format("list of %s", s->title);

	if (!strstr(value, "subscribers-only"))
		recipients_add_person(out, RECIPIENT_LIST, value, strcspn(value, " \t"), reason);
}

static void add_section(const struct section *s, struct recipients *out)
{
	bool people = !names_no_people(s);

	for (size_t i = 0; i < s->n; i++) {
		const struct field *f = &s->field[i];
		bool reviewer = f->letter == 'R';
		_free_ char *reason = text_format("%s of %s", reviewer ? "reviewer" : "maintainer",
						  s->title);

		if (f->letter == 'L')
			add_list(s, f->value, out);
		else if (people && (reviewer || f->letter == 'M'))
			recipients_add_person(out, reviewer ? RECIPIENT_REVIEWER :
					      RECIPIENT_MAINTAINER, f->value, strlen(f->value),
					      reason);
	}
}

static void finish(struct section *s, const char *const *files, size_t n_files,
		   struct recipients *out)
{
	bool in = false;

	for (size_t i = 0; i < n_files && !in && s->n; i++)
		in = has_file(s, files[i]);
	if (in)
		add_section(s, out);
	section_clear(s);
}

static void take_field(struct section *s, const char *line)
{
	const char *value = line + 2 + strspn(line + 2, " \t");
	size_t n = strlen(value);

	while (n && (value[n - 1] == ' ' || value[n - 1] == '\t' || value[n - 1] == '\r'))
		n--;
	GROW(s->field, s->n);
	s->field[s->n].letter = line[0];
	s->field[s->n].value = strndup(value, n);
	if (!s->field[s->n++].value)
		abort();
}

static bool is_field(const char *line)
{
	return line[0] >= 'A' && line[0] <= 'Z' && line[1] == ':';
}

void maintainers_add(const char *text, size_t n, const char *const *files, size_t n_files,
		     struct recipients *out)
{
	struct section s = {};

	while (n) {
		const char *end = memchr(text, '\n', n);
		size_t len = end ? (size_t)(end - text) : n;
		char line[LINE_MAX_BYTES];

		snprintf(line, sizeof(line), "%.*s", (int)(len < sizeof(line) ? len :
			 sizeof(line) - 1), text);
		if (is_field(line)) {
			take_field(&s, line);
		} else {
			if (s.n)
				finish(&s, files, n_files, out);
			snprintf(s.title, sizeof(s.title), "%.*s", (int)sizeof(s.title) - 1, line);
		}
		len += end != NULL;
		text += len;
		n -= len;
	}
	finish(&s, files, n_files, out);
}
