/* SPDX-License-Identifier: GPL-2.0-or-later */
/* "# Executed N getppid() calls", then the figures of that call. */
#include <string.h>

#include "parser/parse.h"

struct state {
	char call[64];
};

static const struct {
	const char *template, *name;
} rows[] = {
	{ "Total time: %n [sec]", "total_time_sec" },
	{ "%n usecs/op", "usecs_per_op" },
	{ "%n ops/sec", "ops_per_sec" },
};

static int syscall_line(struct parse *p, char *line, struct err *e)
{
	struct state *s = p->state;
	struct span call, v;

	if (scan(line, "# Executed %*() calls") && scan(line, "# Executed %w %w(%*", &v, &call) &&
	    call.n < sizeof(s->call)) {
		memcpy(s->call, call.p, call.n);
		s->call[call.n] = '\0';
		return LINE_KNOWN;
	}
	for (size_t i = 0; i < COUNT(rows); i++) {
		if (!scan(line, rows[i].template, &v))
			continue;
		emit_as(p, v, "%s%s%s", s->call, *s->call ? "." : "", rows[i].name);
		return LINE_KNOWN;
	}
	return LINE_UNKNOWN;
}

PARSER(perf_bench_syscall) = {
	.name = "perf-bench-syscall", .state_size = sizeof(struct state), .line = syscall_line,
	.expects = "a line '# Executed N CALL() calls' and its figures",
};
