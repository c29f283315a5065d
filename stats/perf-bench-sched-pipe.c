/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "parser/rule.h"

static const struct rule rules[] = {
	{ "Total time: %n [sec]", { "total_time_sec" } },
	{ "%n usecs/op", { "usecs_per_op" } },
	{ "%n ops/sec", { "ops_per_sec" } },
};

static int pipe_line(struct parse *p, char *line, struct err *e)
{
	return RULES_APPLY(p, rules, line);
}

PARSER(perf_bench_sched_pipe) = {
	.name = "perf-bench-sched-pipe", .line = pipe_line, .expects = "a line 'N ops/sec'",
};
