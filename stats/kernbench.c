/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "parser/rule.h"

static const struct rule rules[] = {
	{ "Elapsed Time %n (%n)", { "elapsed_time", "elapsed_time_stddev" } },
	{ "User Time %n (%n)", { "user_time", "user_time_stddev" } },
	{ "System Time %n (%n)", { "system_time", "system_time_stddev" } },
	{ "Percent CPU %n (%n)", { "percent_cpu", "percent_cpu_stddev" } },
	{ "Context Switches %n (%n)", { "context_switches", "context_switches_stddev" } },
	{ "Sleeps %n (%n)", { "sleeps", "sleeps_stddev" } },
};

static int kernbench_line(struct parse *p, char *line, struct err *e)
{
	return RULES_APPLY(p, rules, line);
}

PARSER(kernbench) = {
	.name = "kernbench", .line = kernbench_line, .expects = "a line 'Elapsed Time N (N)'",
};
