/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Rounds of "Time: SECONDS", each after the lines that say how many tasks pass
 * how many messages.  LKP's throughput is that of the best round, over all
 * instances though their parameters may differ, counted in KB/s.  In our own mode
 * throughput is messages per second, the mean over the rounds, and instances are
 * series of their own.
 */
#include <string.h>

#include "parser/parse.h"

#define INSTANCES_MAX 4096

struct instance {
	unsigned int id;
	double tasks, messages, bytes;
	struct spread secs, rate;	/* rate: messages per second */
};

struct state {
	struct instance *v;
	size_t n, now;			/* now: index, of the instance that prints */
	double tasks, messages, bytes;	/* as last printed by any */
};

static size_t instance_get(struct state *s, unsigned int id)
{
	for (size_t i = 0; i < s->n; i++)
		if (s->v[i].id == id)
			return i;
	GROW(s->v, s->n);
	s->v[s->n] = (struct instance){ .id = id };
	return s->n++;
}

static int round_add(struct parse *p, struct instance *x, struct span time)
{
	double secs, work = x->tasks * x->messages;

	if (!span_number(time, &secs))
		return LINE_UNKNOWN;
	if (!(secs > 0) || !(work > 0)) {
		emit_invalid(p, "a round without time or without messages");
		return LINE_KNOWN;
	}
	spread_add(&x->secs, secs);
	spread_add(&x->rate, work / secs);
	return LINE_KNOWN;
}

static int hack_line(struct parse *p, char *line, struct err *e)
{
	struct state *s = p->state;
	struct span a, b, c;
	struct instance *x;
	double id = 0;

	if (scan(line, "Instance: %n", &a) && span_number(a, &id)) {
		if (id < 0 || id > 1e9 || s->n >= INSTANCES_MAX)
			return LINE_UNKNOWN;
		s->now = instance_get(s, (unsigned int)id);
		return LINE_KNOWN;
	}
	if (!s->n)
		s->now = instance_get(s, 1);
	x = &s->v[s->now];
	if (scan(line,
		 "Running in %* mode with %n groups using %n file descriptors each (== %n tasks)",
		 &a, &b, &c) &&
	    span_number(c, &x->tasks)) {
		s->tasks = x->tasks;
		return LINE_KNOWN;
	}
	if ((scan(line, "Each sender will pass %n messages of %n bytes", &a, &b) ||
	     scan(line, "Each sender passed %n messages of %n bytes in average", &a, &b)) &&
	    span_number(a, &x->messages) && span_number(b, &x->bytes)) {
		s->messages = x->messages;
		s->bytes = x->bytes;
		return LINE_KNOWN;
	}
	return scan(line, "Time: %n", &a) ? round_add(p, x, a) : LINE_UNKNOWN;
}

static void print_lkp(struct parse *p, double kb, const struct spread *secs, const char *sfx)
{
	emit_float(p, kb / spread_min(secs), "throughput%s", sfx);
	if (!*sfx)
		emit_float(p, kb / spread_min(secs), "throughput_best");
	emit_float(p, spread_round(kb / spread_mean(secs), 2), "throughput_avg%s", sfx);
	emit_float(p, kb / spread_max(secs), "throughput_worst%s", sfx);
}

static double kb_of(double tasks, double messages, double bytes)
{
	return (double)((uint64_t)(tasks * messages * bytes) >> 10);
}

static int end_lkp(struct parse *p, struct state *s)
{
	_spread_ struct spread all = {};

	for (size_t i = 0; i < s->n; i++)
		for (size_t k = 0; k < s->v[i].secs.n; k++)
			spread_add(&all, s->v[i].secs.v[k]);
	if (!all.n)
		return 0;
	print_lkp(p, kb_of(s->tasks, s->messages, s->bytes), &all, "");
	for (size_t i = 0; s->n > 1 && i < s->n; i++) {
		const struct instance *x = &s->v[i];
		_free_ char *sfx = text_format(".instance%u", x->id);

		if (x->secs.n)
			print_lkp(p, kb_of(x->tasks, x->messages, x->bytes), &x->secs, sfx);
	}
	return 0;
}

static int hack_end(struct parse *p, struct err *e)
{
	struct state *s = p->state;

	if (p->lkp)
		return end_lkp(p, s);
	for (size_t i = 0; i < s->n; i++) {
		const struct instance *x = &s->v[i];
		_free_ char *sfx = s->n > 1 ? text_format(".instance%u", x->id) : text_copy("");
		double mean = spread_mean(&x->rate);

		if (!x->rate.n)
			continue;
		emit_number(p, mean, "throughput%s", sfx);
		emit_number(p, spread_max(&x->rate), "throughput_best%s", sfx);
		emit_number(p, spread_min(&x->rate), "throughput_worst%s", sfx);
		emit_number(p, spread_mean(&x->secs), "time%s", sfx);
		if (x->rate.n > 1)
			emit_number(p, spread_deviation(&x->rate, mean, 1) / mean * 100,
				    "spread_rounds%%%s", sfx);
	}
	return 0;
}

static void hack_release(void *state)
{
	struct state *s = state;

	for (size_t i = 0; i < s->n; i++) {
		spread_clear(&s->v[i].secs);
		spread_clear(&s->v[i].rate);
	}
	free(s->v);
}

PARSER(hackbench) = {
	.name = "hackbench", .state_size = sizeof(struct state), .line = hack_line, .end = hack_end,
	.release = hack_release, .expects = "lines 'Running in ... mode' and 'Time: N'",
};
