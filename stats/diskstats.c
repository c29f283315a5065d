/* SPDX-License-Identifier: GPL-2.0-or-later */
/* /proc/diskstats; kernels before 4.18 and 5.5 have fewer fields. */
#include "parser/sample.h"

static const char *const fields[] = {
	"read_ios", "read_merges", "read_sectors", "read_ticks",
	"write_ios", "write_merges", "write_sectors", "write_ticks",
	"in_flight", "io_ticks", "time_in_queue",
	"discard_ios", "discard_merges", "discard_sectors", "discard_ticks",
	"flush_ios", "flush_ticks",
};

#define LEAST_FIELDS 11

static int disk_line(struct parse *p, char *line, struct err *e)
{
	struct span f[COUNT(fields) + 3];
	size_t n;
	double v;

	if (sample_time(p, line))
		return LINE_KNOWN;
	n = split_blanks(line, f, COUNT(f));
	if (n < 3 + LEAST_FIELDS)
		return LINE_UNKNOWN;
	for (size_t i = 3; i < n; i++)
		if (!span_number(f[i], &v))
			return LINE_UNKNOWN;
	for (size_t i = 3; i < n; i++)
		emit_as(p, f[i], "%s.%.*s", fields[i - 3], SPANF(f[2]));
	return LINE_KNOWN;
}

PARSER(diskstats) = {
	.name = "diskstats", .line = disk_line, .series = true, .strict = true,
	.expects = "lines of /proc/diskstats",
};
