/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The summary line; the lines of single runs begin with "[Run" and are passed over. */
#include "parser/rule.h"

static const struct rule rules[] = {
	{ "Averaged %n operations/sec (+- %n%%), total secs = %n", { "ops/s", "stddev%" } },
	{ "Wokeup %n of %n threads in %n ms (+-%n%%)",
	  { NULL, NULL, "wokeup_time_ms", "stddev%" } },
	{ "Requeued %n of %n threads in %n ms (+-%n%%)",
	  { NULL, NULL, "requeued_time_ms", "stddev%" } },
	{ "Avg per-thread latency (waking %n/%n threads) in %n ms (+-%n%%)",
	  { NULL, NULL, "avg_per_thread_latency_ms", "stddev%" } },
};

static int futex_line(struct parse *p, char *line, struct err *e)
{
	return RULES_APPLY(p, rules, line);
}

PARSER(perf_bench_futex) = {
	.name = "perf-bench-futex", .line = futex_line,
	.expects = "a summary such as 'Averaged N operations/sec (+- N%), total secs = N'",
};
