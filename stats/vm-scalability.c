/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Each process of a case prints one line a round; a round begins with a line that
 * names the case ("./case-anon-cow-rand").  A round's throughput is the sum over
 * its processes.  Cases that truncate what they faulted print two such lines; the
 * fault is a phase of its own.
 *
 * LKP's stddev% is, with one round, the spread between processes times their
 * number, and with several the spread between rounds.  Our own mode keeps the two
 * apart: spread_processes% and spread_rounds%, with n - 1.
 */
#include <math.h>

#include "parser/parse.h"

struct phase {
	struct spread now;		/* rates of the processes of this round, KB/s */
	struct spread sum, median;	/* of the rounds: sum, and median times processes */
	struct spread inner;		/* spread within each round, % */
	double lkp_stddev, lkp_median_stddev;	/* of the last round, in LKP's way */
};

struct state {
	struct phase phase[2];		/* all else, faulting */
	struct spread free_secs;
	double kb;
};

static const char *const suffix[] = { "", "_fault" };

static void phase_round(struct parse *p, struct phase *ph)
{
	double n = (double)ph->now.n, mean = spread_mean(&ph->now);
	double median = spread_median(&ph->now);

	if (!ph->now.n)
		return;
	emit_verbatim(p, "# %.0f ", n);
	if (p->lkp)
		put_ruby_float(&p->out, mean);
	emit_verbatim(p, "\n");
	spread_add(&ph->sum, mean * n);
	spread_add(&ph->median, median * n);
	if (n > 1 && mean > 0)
		spread_add(&ph->inner, spread_deviation(&ph->now, mean, 1) / mean * 100);
	ph->lkp_stddev = spread_deviation(&ph->now, mean, 0) * n / mean * 100;
	ph->lkp_median_stddev = spread_deviation(&ph->now, median, 0) * n / median * 100;
	spread_clear(&ph->now);
}

static void round_end(struct parse *p)
{
	struct state *s = p->state;

	for (size_t i = 0; i < COUNT(s->phase); i++)
		phase_round(p, &s->phase[i]);
}

static bool rate_of(const char *line, double *bytes, double *secs, bool *fault)
{
	struct span b, word, to, from, t;
	double x, y;

	*fault = false;
	if (scan(line, "%n bytes %w in %n-%n seconds", &b, &word, &to, &from)) {
		if (!span_number(to, &x) || !span_number(from, &y))
			return false;
		*secs = x - y;
		*fault = span_is(word, "faulted");
	} else if (scan(line, "%n bytes / %n usecs = %n KB/s", &b, &t, &word)) {
		if (!span_number(t, &x))
			return false;
		*secs = x / 1e6;
	} else if (!scan(line, "%n bytes (%*) copied, %n s, %*", &b, &t) || !span_number(t, secs)) {
		return false;
	}
	return span_number(b, bytes);
}

static int vm_line(struct parse *p, char *line, struct err *e)
{
	struct state *s = p->state;
	double bytes, secs;
	struct span w;
	bool fault;

	if (scan(line, "%*./case-%*")) {
		round_end(p);
		return LINE_KNOWN;
	}
	if (scan(line, "%n usecs to free memory", &w) && span_number(w, &secs)) {
		spread_add(&s->free_secs, secs / 1e6);
		return LINE_KNOWN;
	}
	if (!rate_of(line, &bytes, &secs, &fault))
		return LINE_UNKNOWN;
	if (!(secs > 0)) {
		emit_invalid(p, "a process says that it took no time");
		return LINE_KNOWN;
	}
	spread_add(&s->phase[fault].now, bytes / secs / 1024);
	if (!fault)
		s->kb += bytes / 1024;
	return LINE_KNOWN;
}

/* LKP's format: whole numbers, six digits for percentages. */
static void print_lkp(struct parse *p, const struct phase *ph, const char *sfx, bool first,
		      double kb)
{
	double mean = spread_mean(&ph->sum), median = spread_mean(&ph->median);
	double dev = spread_deviation(&ph->sum, mean, 0) / mean * 100;
	double mdev = spread_deviation(&ph->median, median, 0) / median * 100;

	if (ph->sum.n == 1) {
		dev = ph->lkp_stddev;
		mdev = ph->lkp_median_stddev;
	}
	emit_number(p, trunc(mean), "throughput%s", sfx);
	emit_verbatim(p, "stddev%s%%:   %g\n", sfx, dev);
	emit_number(p, trunc(median), "median%s", sfx);
	emit_verbatim(p, "median%s_stddev%%: %g\n", sfx, mdev);
	if (first)
		emit_verbatim(p, "workload: %.2f\n", kb);
}

static void print_own(struct parse *p, const struct phase *ph, const char *sfx)
{
	double mean = spread_mean(&ph->sum);

	emit_number(p, mean, "throughput%s", sfx);
	emit_number(p, spread_mean(&ph->median), "median%s", sfx);
	if (ph->inner.n)
		emit_number(p, spread_mean(&ph->inner), "spread_processes%s%%", sfx);
	if (ph->sum.n > 1)
		emit_number(p, spread_deviation(&ph->sum, mean, 1) / mean * 100,
			    "spread_rounds%s%%", sfx);
}

static int vm_end(struct parse *p, struct err *e)
{
	struct state *s = p->state;
	bool first = true;

	round_end(p);
	for (size_t i = 0; i < COUNT(s->phase); i++) {
		/* A case that only faults has that as its throughput. */
		const struct phase *ph = &s->phase[i];
		const char *sfx = first ? "" : suffix[i];

		if (!ph->sum.n)
			continue;
		if (p->lkp)
			print_lkp(p, ph, sfx, first, s->kb);
		else
			print_own(p, ph, sfx);
		first = false;
	}
	if (p->lkp || first)
		return 0;
	emit_number(p, s->kb, "workload");
	if (s->free_secs.n)
		emit_number(p, spread_mean(&s->free_secs), "free_time");
	return 0;
}

static void vm_release(void *state)
{
	struct state *s = state;

	for (size_t i = 0; i < COUNT(s->phase); i++) {
		spread_clear(&s->phase[i].now);
		spread_clear(&s->phase[i].sum);
		spread_clear(&s->phase[i].median);
		spread_clear(&s->phase[i].inner);
	}
	spread_clear(&s->free_secs);
}

PARSER(vm_scalability) = {
	.name = "vm-scalability",
	.state_size = sizeof(struct state),
	.line = vm_line,
	.end = vm_end,
	.release = vm_release,
	.expects = "a line 'N bytes / N usecs = N KB/s'",
};
