/* SPDX-License-Identifier: GPL-2.0-or-later */
/* "PASS apic-split (56 tests)", the word in colour. */
#include "parser/parse.h"

static const struct {
	const char *word, *result;
} words[] = {
	{ "PASS", "pass" }, { "FAIL", "fail" }, { "SKIP", "skip" },
};

static int kvm_line(struct parse *p, char *line, struct err *e)
{
	struct span f[2];

	line_strip_color(line);
	if (split_blanks(line, f, 2) < 2)
		return LINE_UNKNOWN;
	for (size_t i = 0; i < COUNT(words); i++) {
		if (!span_is(f[0], words[i].word))
			continue;
		emit_number(p, 1, "%.*s.%s", SPANF(f[1]), words[i].result);
		return LINE_KNOWN;
	}
	return LINE_UNKNOWN;
}

PARSER(kvm_unit_tests) = {
	.name = "kvm-unit-tests", .line = kvm_line, .expects = "a line 'PASS NAME'",
};
