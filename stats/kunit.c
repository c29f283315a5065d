/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * KTAP in the kernel log: the results of a suite stand deeper than the suite's.
 *
 *	[   33.264089]     # Subtest: hw_breakpoint
 *	[   33.269128]     ok 1 test_one_cpu
 *	[   33.326500] ok 1 hw_breakpoint
 */
#include <string.h>

#include "parser/parse.h"

#define DEPTH_MAX 8

struct state {
	char *suite[DEPTH_MAX];		/* by depth of their results */
};

/* Behind "[   33.264089] " or "[   33.264089][  T123] ". */
static const char *behind_stamp(const char *line)
{
	const char *text = line;

	while (*text == '[' && strchr(text, ']'))
		text = strchr(text, ']') + 1;
	return text > line && *text == ' ' ? text + 1 : text;
}

static void suite_set(struct state *s, size_t depth, struct span name)
{
	free(s->suite[depth]);
	s->suite[depth] = text_format("%.*s", SPANF(name));
	for (size_t i = depth + 1; i < DEPTH_MAX; i++) {
		free(s->suite[i]);
		s->suite[i] = NULL;
	}
}

static int result(struct parse *p, size_t depth, struct span name, const char *word)
{
	struct state *s = p->state;
	_text_ struct text full = {};
	const char *skip = memmem(name.p, name.n, "# SKIP", 6), *hash;

	if (skip) {
		name.n = (size_t)(skip - name.p);
		word = "skip";
	} else {
		/* "ok 1 name # time=1ms" */
		hash = memmem(name.p, name.n, " # ", 3);
		if (hash)
			name.n = (size_t)(hash - name.p);
	}
	name = span_trim(name);
	for (size_t i = 1; i <= depth; i++)
		if (s->suite[i])
			text_printf(&full, "%s.", s->suite[i]);
	emit_number(p, 1, "%s%.*s.%s", text_str(&full), SPANF(name), word);
	return LINE_KNOWN;
}

static int kunit_line(struct parse *p, char *line, struct err *e)
{
	struct state *s = p->state;
	const char *text = behind_stamp(line);
	size_t depth = strspn(text, " ") / 4;
	struct span n, name;

	if (depth >= DEPTH_MAX)
		return LINE_UNKNOWN;
	if (depth && scan(text, "# Subtest: %s", &name)) {
		suite_set(s, depth, name);
		return LINE_KNOWN;
	}
	if (scan(text, "ok %n - %s", &n, &name) || scan(text, "ok %n %s", &n, &name))
		return result(p, depth, name, "pass");
	if (scan(text, "not ok %n - %s", &n, &name) || scan(text, "not ok %n %s", &n, &name))
		return result(p, depth, name, "fail");
	return LINE_UNKNOWN;
}

static void kunit_release(void *state)
{
	struct state *s = state;

	for (size_t i = 0; i < DEPTH_MAX; i++)
		free(s->suite[i]);
}

PARSER(kunit) = {
	.name = "kunit", .state_size = sizeof(struct state), .line = kunit_line,
	.release = kunit_release, .expects = "KTAP: a line 'ok N NAME'",
};
