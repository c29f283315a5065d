/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <ctype.h>
#include <string.h>

#include "parser/selftest.h"

static void put(struct parse *p, struct selftest *t, const char *prefix, struct span name,
		const char *result)
{
	_text_ struct text full = {};

	text_puts(&full, prefix);
	verdict_name(name, &full);
	if (full.len)
		verdict_put(p, &t->seen, text_str(&full), result);
}

/* The word in front of @at, in lower case. */
static struct span word_before(char *line, char *at)
{
	char *from = at;

	while (from > line && (isalnum((unsigned char)from[-1]) || from[-1] == '_'))
		from--;
	for (char *c = from; c < at; c++)
		*c = (char)tolower((unsigned char)*c);
	return (struct span){ from, (size_t)(at - from) };
}

/* "test_hexdump: all 1184 tests passed" */
static bool counted(struct parse *p, struct selftest *t, const char *line)
{
	_free_ char *copy = NULL;
	struct span name, n;
	char *end, *colon;

	if (scan(line, "%*test_meminit: all %n tests in %w passed", &n, &name)) {
		put(p, t, "test_meminit.", name, "pass");
		return true;
	}
	if (!strstr(line, " tests passed"))
		return false;
	copy = text_copy(line);
	end = strstr(copy, " tests passed");
	if (end == copy || !isdigit((unsigned char)end[-1]))
		return false;
	*end = '\0';
	colon = strrchr(copy, ':');
	if (!colon || colon[1] != ' ' || colon == copy)
		return false;
	put(p, t, "", word_before(copy, colon), "pass");
	return true;
}

static bool announced(struct parse *p, struct selftest *t, const char *line)
{
	const char *at = strstr(line, "Testing ");
	struct span name;

	if (!at)
		return false;
	if (scan(at, "Testing %s: PASSED", &name)) {
		put(p, t, "", name, "pass");
		return true;
	}
	if (!scan(at, "Testing %s: OK", &name))
		return false;
	put(p, t, t->with_tracer ? "function_tracer." : "", name, "pass");
	if (span_is(name, "ftrace filter"))
		t->with_tracer = false;
	return true;
}

bool selftest_line(struct parse *p, struct selftest *t, const char *line)
{
	struct span word, name;

	if (t->over)
		return false;
	if (strstr(line, "Kernel tests: Boot OK") || strstr(line, "run-job /lkp")) {
		t->over = true;
		return false;
	}
	if (strstr(line, "Running tests again, along with the function tracer"))
		t->with_tracer = true;
	if (scan(line, "%*### dt-test ### %w %s", &word, &name) &&
	    (span_is(word, "pass") || span_is(word, "PASS") || span_is(word, "fail") ||
	     span_is(word, "FAIL"))) {
		put(p, t, "of-unittest.", name, *word.p == 'p' || *word.p == 'P' ? "pass" : "fail");
		return true;
	}
	return announced(p, t, line) || counted(p, t, line);
}

void selftest_release(struct selftest *t)
{
	verdicts_release(&t->seen);
}
