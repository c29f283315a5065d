/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 *	generic/040      23s
 *	generic/042       [expunged]
 *	btrfs/217       [not run] FSTRIM not supported
 *	btrfs/213       _check_dmesg: something found in dmesg (see ...)
 *
 * What else follows a case's name is not its result (a message in between).
 */
#include <string.h>

#include "parser/parse.h"

static const struct {
	const char *text, *result;
} results[] = {
	{ "[not run]", "skip" },
	{ "[notrun]", "skip" },
	{ "[expunged]", "expunged" },
	{ "[failed", "fail" },
	{ "- output mismatch", "fail" },
	{ "_check_dmesg: something found in dmesg", "fail" },
	{ "_check_generic_filesystem: filesystem on", "fail" },
	{ "_check_btrfs_filesystem: filesystem on", "fail" },
	{ "_check_xfs_filesystem: filesystem on", "fail" },
	{ "_check_udf_filesystem: filesystem on", "fail" },
};

/* "generic" and "040" of "generic/040" */
static bool is_case(struct span s, struct span *group, struct span *number)
{
	const char *slash = memchr(s.p, '/', s.n);
	uint64_t v;

	if (!slash || slash == s.p)
		return false;
	*group = (struct span){ s.p, (size_t)(slash - s.p) };
	*number = (struct span){ slash + 1, s.n - group->n - 1 };
	for (size_t i = 0; i < group->n; i++)
		if (!((group->p[i] >= 'a' && group->p[i] <= 'z') || group->p[i] == '-' ||
		      (i && group->p[i] >= '0' && group->p[i] <= '9')))
			return false;
	return span_u64(*number, &v);
}

static int xfs_line(struct parse *p, char *line, struct err *e)
{
	struct span id, rest, group, number, secs;
	const char *past = NULL;

	if (*line == ' ' || *line == '\t' || !scan(line, "%w %s", &id, &rest) ||
	    !is_case(id, &group, &number))
		return LINE_UNKNOWN;
	/* "5s ...  4s": what it took before, and now */
	for (const char *at = rest.p; (at = strstr(at, "...")); at += 3)
		past = at + 3;
	if (scan(past ? past : rest.p, "%ns", &secs)) {
		emit_number(p, 1, "%.*s.%.*s.pass", SPANF(group), SPANF(number));
		if (!p->lkp)
			emit_as(p, secs, "%.*s.%.*s.seconds", SPANF(group), SPANF(number));
		return LINE_KNOWN;
	}
	if (past)
		rest = span_trim(span_of(past));
	for (size_t i = 0; i < COUNT(results); i++) {
		if (!span_starts(span_trim(rest), results[i].text))
			continue;
		emit_number(p, 1, "%.*s.%.*s.%s", SPANF(group), SPANF(number), results[i].result);
		return LINE_KNOWN;
	}
	return LINE_UNKNOWN;
}

PARSER(xfstests) = {
	.name = "xfstests", .line = xfs_line, .expects = "a line 'GROUP/NUMBER Ns'",
};
