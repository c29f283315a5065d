/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 *	nvme/006 (tr=loop bd=device) (create an NVMeOF target)       [passed]
 *
 * The bracket in front of the description holds what the case was run with: for
 * nvme the block device's kind alone tells the runs apart.
 */
#include <string.h>

#include "parser/parse.h"

static const struct {
	const char *word, *result;
} words[] = {
	{ "passed", "pass" }, { "failed", "fail" }, { "not run", "skip" },
};

/* What to add to the case's name for "(x=0 y=1) (description)"; "" for nothing. */
static void variant(struct span id, struct span text, char *out, size_t room)
{
	struct span conditions, rest, bd;
	_free_ char *copy = text_format("%.*s", SPANF(text));

	*out = '\0';
	if (!scan(copy, "(%s) (%s", &conditions, &rest) || memchr(conditions.p, '(', conditions.n))
		return;
	if (span_starts(id, "nvme/")) {
		copy[conditions.p + conditions.n - copy] = '\0';
		if (scan(conditions.p, "%*bd=%w", &bd) || scan(conditions.p, "%*bd=%w %*", &bd))
			snprintf(out, room, ".%.*s", SPANF(bd));
		return;
	}
	snprintf(out, room, ".%.*s", SPANF(conditions));
}

/* "=> nullb0 (report zone)": the device it ran on stands in front */
static int blk_line(struct parse *p, char *line, struct err *e)
{
	struct span id, text, word;
	char with[120];

	if (*line == ' ' || !scan(line, "%w %s[%s]", &id, &text, &word) || !memchr(id.p, '/', id.n))
		return LINE_UNKNOWN;
	for (size_t i = 0; i < COUNT(words); i++) {
		if (!span_is(word, words[i].word))
			continue;
		variant(id, text, with, sizeof(with));
		emit_number(p, 1, "%.*s%s.%s", SPANF(id), with, words[i].result);
		return LINE_KNOWN;
	}
	return LINE_UNKNOWN;
}

PARSER(blktests) = {
	.name = "blktests", .line = blk_line, .expects = "a line 'GROUP/NUMBER (WHAT) [passed]'",
};
