/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * kirk: "ftrace_regression01: pass | tainted  (1.585s)", words in colour.
 * runltp's log: "abort01   PASS   0".
 */
#include "parser/parse.h"

static const struct {
	const char *word, *result;
} words[] = {
	{ "pass", "pass" }, { "fail", "fail" }, { "skip", "skip" }, { "broken", "broken" },
	{ "timeout", "timeout" }, { "PASS", "pass" }, { "FAIL", "fail" }, { "CONF", "skip" },
	{ "BROK", "broken" }, { "WARN", "warn" },
};

static int ltp_line(struct parse *p, char *line, struct err *e)
{
	struct span name, word, rest;

	line_strip_color(line);
	if (!scan(line, "%w: %w %s(%*)", &name, &word, &rest) &&
	    !scan(line, "%w %w %n", &name, &word, &rest))
		return LINE_UNKNOWN;
	for (size_t i = 0; i < COUNT(words); i++) {
		if (!span_is(word, words[i].word))
			continue;
		emit_number(p, 1, "%.*s.%s", SPANF(name), words[i].result);
		return LINE_KNOWN;
	}
	return LINE_UNKNOWN;
}

PARSER(ltp) = { .name = "ltp", .line = ltp_line, .expects = "a line 'NAME: pass (N s)'" };
