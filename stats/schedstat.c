/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * /proc/schedstat, of each CPU.  The lines of scheduling domains, whose fields change
 * from kernel to kernel, are passed over.
 */
#include "parser/sample.h"

/* Of "cpuN ..."; the second is zero for ever. */
static const char *const fields[] = {
	"yield", NULL, "schedule", "goidle", "ttwu", "ttwu_local", "run_ns", "wait_ns", "timeslices",
};

static int sched_line(struct parse *p, char *line, struct err *e)
{
	struct span f[COUNT(fields) + 1];
	uint64_t v;
	size_t n;

	if (sample_time(p, line) || scan(line, "version %*") || scan(line, "timestamp %*") ||
	    text_starts(line, "domain"))
		return LINE_KNOWN;
	n = split_blanks(line, f, COUNT(f));
	if (n != COUNT(f) || !span_starts(f[0], "cpu"))
		return LINE_UNKNOWN;
	for (size_t i = 1; i < n; i++)
		if (!span_u64(f[i], &v))
			return LINE_UNKNOWN;
	for (size_t i = 1; i < n; i++)
		if (fields[i - 1])
			emit_as(p, f[i], "%.*s.%s", SPANF(f[0]), fields[i - 1]);
	return LINE_KNOWN;
}

PARSER(schedstat) = {
	.name = "schedstat", .line = sched_line, .series = true, .strict = true,
	.expects = "lines of /proc/schedstat",
};
