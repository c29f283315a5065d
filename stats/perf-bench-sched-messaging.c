/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "parser/rule.h"

static const struct rule rules[] = {
	{ "Total time: %n [sec]", { "total_time_sec" } },
};

static int messaging_line(struct parse *p, char *line, struct err *e)
{
	return RULES_APPLY(p, rules, line);
}

PARSER(perf_bench_sched_messaging) = {
	.name = "perf-bench-sched-messaging", .line = messaging_line,
	.expects = "a line 'Total time: N [sec]'",
};
