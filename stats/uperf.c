/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Two tables: traffic by network card, and throughput by host.  uperf scales
 * each figure (Kb/s, Mb/s), so that LKP's names change with the value; our own
 * mode prints bits per second under one name.
 */
#include "parser/parse.h"

struct state {
	enum { NONE, CARDS, HOSTS } table;
};

static const struct {
	const char *unit, *name;
	double factor;
} units[] = {
	{ "Kb/s", "Kbps", 1e3 },
	{ "Mb/s", "Mbps", 1e6 },
	{ "Gb/s", "Gbps", 1e9 },
	{ "b/s", "bps", 1 },
};

static bool put(struct parse *p, struct span rate, const char *table, struct span what,
		const char *way)
{
	for (size_t i = 0; i < COUNT(units); i++) {
		struct span n;
		double v;

		if (!span_ends(rate, units[i].unit))
			continue;
		n = (struct span){ rate.p, rate.n - span_of(units[i].unit).n };
		if (!span_number(n, &v))
			return false;
		if (p->lkp)
			emit_as(p, n, "%s_%.*s%s_%s", table, SPANF(what), way, units[i].name);
		else
			emit_number(p, v * units[i].factor, "%s_%.*s%s_bps", table, SPANF(what),
				    way);
		return true;
	}
	return false;
}

static int uperf_line(struct parse *p, char *line, struct err *e)
{
	struct state *s = p->state;
	struct span f[6];
	size_t n = split_blanks(line, f, 6);

	if (n >= 2 && span_is(f[0], "Nic") && span_is(f[1], "opkts/s"))
		s->table = CARDS;
	else if (n >= 2 && span_is(f[0], "Hostname") && span_is(f[1], "Time"))
		s->table = HOSTS;
	else if (s->table == CARDS && n == 5)
		return put(p, f[3], "Netstat", f[0], "_out") && put(p, f[4], "Netstat", f[0], "_in")
			       ? LINE_KNOWN
			       : LINE_UNKNOWN;
	else if (s->table == HOSTS && n == 6 && !span_starts(f[0], "Difference"))
		return put(p, f[3], "Runstat", f[0], "") ? LINE_KNOWN : LINE_UNKNOWN;
	else if (!n)
		s->table = NONE;
	else
		return LINE_UNKNOWN;
	return LINE_KNOWN;
}

PARSER(uperf) = {
	.name = "uperf", .state_size = sizeof(struct state), .line = uperf_line,
	.expects = "a table that begins with 'Hostname Time Data Throughput'",
};
