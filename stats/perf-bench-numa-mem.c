/* SPDX-License-Identifier: GPL-2.0-or-later */
/* " main,   6.801, secs,   runtime-max/thread": a value, its unit and what it is. */
#include "parser/parse.h"

static const struct {
	const char *what, *name;
} rows[] = {
	{ "NUMA-convergence-latency", "secs_latency" },
	{ "runtime-max/thread", "secs_slowest" },
	{ "runtime-min/thread", "secs_fastest" },
	{ "runtime-avg/thread", "secs_avg" },
	{ "spread-runtime/thread", "max_avg_diff" },
	{ "data/thread", "GB_per_thread" },
	{ "data-total", "GB_total" },
	{ "runtime/byte/thread", "nsecs_byte_thread" },
	{ "thread-speed", "GB_sec_thread" },
	{ "total-speed", "GB_sec_total" },
};

static int numa_mem_line(struct parse *p, char *line, struct err *e)
{
	struct span value, what;

	if (!scan(line, "main, %n, %*, %s", &value, &what))
		return LINE_UNKNOWN;
	for (size_t i = 0; i < COUNT(rows); i++) {
		if (span_is(span_trim(what), rows[i].what)) {
			emit_as(p, value, "%s", rows[i].name);
			return LINE_KNOWN;
		}
	}
	return LINE_UNKNOWN;
}

PARSER(perf_bench_numa_mem) = {
	.name = "perf-bench-numa-mem", .line = numa_mem_line,
	.expects = "a line 'main, N, GB/sec, total-speed'",
};
