/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * /proc/stat: CPU time by state, of all CPUs ("cpu") and each ("cpu0"), and the
 * kernel's totals.  Of single interrupts /proc/interrupts has the names.
 */
#include <string.h>

#include "parser/sample.h"

static const char *const states[] = {
	"user", "nice",	   "system", "idle",  "iowait",
	"irq",	"softirq", "steal",  "guest", "guest_nice",
};

static const char *const softirqs[] = {
	"total",    "HI",      "TIMER", "NET_TX",  "NET_RX", "BLOCK",
	"IRQ_POLL", "TASKLET", "SCHED", "HRTIMER", "RCU",
};

static int named(struct parse *p, const struct span *f, size_t n, const char *const *names,
		 size_t n_names)
{
	double v;

	for (size_t i = 1; i < n; i++)
		if (!span_number(f[i], &v))
			return LINE_UNKNOWN;
	for (size_t i = 1; i < n && i <= n_names; i++)
		emit_as(p, f[i], "%.*s.%s", SPANF(f[0]), names[i - 1]);
	return n > 1 ? LINE_KNOWN : LINE_UNKNOWN;
}

static int stat_line(struct parse *p, char *line, struct err *e)
{
	struct span f[COUNT(softirqs) + 1], name, value;
	size_t n;

	if (sample_time(p, line))
		return LINE_KNOWN;
	n = split_blanks(line, f, COUNT(f));
	if (n && span_starts(f[0], "cpu"))
		return named(p, f, n, states, COUNT(states));
	if (n && span_is(f[0], "softirq"))
		return named(p, f, n, softirqs, COUNT(softirqs));
	if (n > 1 && span_is(f[0], "intr")) {
		emit_as(p, f[1], "intr");
		return LINE_KNOWN;
	}
	if (!sample_pair(line, &name, &value))
		return LINE_UNKNOWN;
	emit_plain(p, name, value);
	return LINE_KNOWN;
}

PARSER(proc_stat) = {
	.name = "proc-stat", .line = stat_line, .series = true, .strict = true,
	.expects = "lines of /proc/stat",
};
