/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Every few seconds schbench prints the percentiles of all samples so far, at the
 * end of a round once more, followed by those of its request rate.
 *
 * LKP averages all these tables, though each holds the samples of the one before.
 * Our own mode takes the last table of each round, and the mean over rounds.
 */
#include <string.h>

#include "parser/parse.h"

static const char *const kinds[] = { "wakeup", "request" };

struct state {
	struct group all[COUNT(kinds)], last[COUNT(kinds)], round[COUNT(kinds)];
	struct group *now, *now_last;	/* the table being read, or NULL */
	struct spread rps;
	bool open;			/* a round has tables and has not ended */
};

/* "99.0th" is 99%, "99.9th" is 99.9% */
static void percentile_name(struct span s, char out[16])
{
	size_t n = s.n < 8 ? s.n : 8;

	memcpy(out, s.p, n);
	if (n > 2 && !memcmp(out + n - 2, ".0", 2))
		n -= 2;
	strcpy(out + n, "%");
}

static void sample(struct state *s, const char *name, struct span number)
{
	double v;

	if (!span_number(number, &v))
		return;
	group_add(s->now, name, v);
	group_add(s->now_last, name, v);
}

static void round_end(struct state *s)
{
	for (size_t k = 0; s->open && k < COUNT(kinds); k++)
		for (size_t i = 0; i < s->last[k].n; i++)
			group_add(&s->round[k], s->last[k].row[i].name,
				  s->last[k].row[i].values.v[0]);
	s->open = false;
	s->now = s->now_last = NULL;
}

static void table_begin(struct state *s, size_t kind)
{
	s->now = &s->all[kind];
	s->now_last = &s->last[kind];
	group_clear(s->now_last);
	s->open = true;
}

static int sch_line(struct parse *p, char *line, struct err *e)
{
	struct state *s = p->state;
	struct span a, b;
	char name[16];
	double v;

	if (scan(line, "Wakeup Latencies percentiles%*") || scan(line, "Latency percentiles%*"))
		table_begin(s, 0);
	else if (scan(line, "Request Latencies percentiles%*"))
		table_begin(s, 1);
	else if (scan(line, "RPS percentiles%*"))
		round_end(s);
	else if (scan(line, "average rps: %n", &a) && span_number(a, &v))
		spread_add(&s->rps, v);
	else if (s->now && scan(line, "min=%n, max=%n", &a, &b)) {
		sample(s, "min", a);
		sample(s, "max", b);
	} else if (s->now &&
		   (scan(line, "%nth: %n %*", &a, &b) || scan(line, "* %nth: %n %*", &a, &b))) {
		percentile_name(a, name);
		sample(s, name, b);
	} else {
		return LINE_UNKNOWN;
	}
	return LINE_KNOWN;
}

static double deviation_percent(const struct spread *v, size_t freedom)
{
	double mean = spread_mean(v);

	return mean != 0 ? spread_deviation(v, mean, freedom) / mean * 100 : 0;
}

static void print_lkp(struct parse *p, const struct group *all, const struct group *round,
		      const char *kind)
{
	for (size_t i = 0; i < all->n; i++) {
		const struct spread *v = &all->row[i].values;

		emit_float(p, spread_round(spread_mean(v), 2), "%s_latency_%s_us", kind,
			   all->row[i].name);
		emit_float(p, spread_round(deviation_percent(v, 0), 2), "%s_latency_%s_us_stddev%%",
			   kind, all->row[i].name);
	}
	for (size_t i = 0; i < round->n; i++) {
		const struct spread *v = &round->row[i].values;

		if (!text_ends(round->row[i].name, "%"))
			continue;
		emit_number(p, spread_max(v), "%s_end_latency_%s_us_max", kind, round->row[i].name);
		emit_float(p, spread_round(deviation_percent(v, 0), 2),
			   "%s_end_latency_%s_us_stddev%%", kind, round->row[i].name);
	}
}

static void print_own(struct parse *p, const struct group *round, const char *kind)
{
	for (size_t i = 0; i < round->n; i++) {
		const struct spread *v = &round->row[i].values;

		emit_number(p, spread_mean(v), "%s_latency_%s_us", kind, round->row[i].name);
		if (v->n > 1)
			emit_number(p, deviation_percent(v, 1), "%s_latency_%s_us_spread_rounds%%",
				    kind, round->row[i].name);
	}
}

static int sch_end(struct parse *p, struct err *e)
{
	struct state *s = p->state;

	round_end(s);
	for (size_t k = 0; k < COUNT(kinds); k++) {
		if (p->lkp)
			print_lkp(p, &s->all[k], &s->round[k], kinds[k]);
		else
			print_own(p, &s->round[k], kinds[k]);
	}
	if (!p->lkp && s->rps.n)
		emit_number(p, spread_mean(&s->rps), "average_rps");
	return 0;
}

static void sch_release(void *state)
{
	struct state *s = state;

	for (size_t k = 0; k < COUNT(kinds); k++) {
		group_clear(&s->all[k]);
		group_clear(&s->last[k]);
		group_clear(&s->round[k]);
	}
	spread_clear(&s->rps);
}

PARSER(schbench) = {
	.name = "schbench", .state_size = sizeof(struct state), .line = sch_line, .end = sch_end,
	.release = sch_release, .expects = "a table 'Wakeup Latencies percentiles'",
};
