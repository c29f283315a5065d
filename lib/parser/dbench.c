/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "parser/dbench.h"

int dbench_line(struct parse *p, char *line, struct err *e)
{
	struct dbench *d = p->state;
	struct span rate, clients, procs, latency;
	double r, l;

	if (!scan(line, "Throughput %n MB/sec %n clients %n procs max_latency=%n ms", &rate,
		  &clients, &procs, &latency) ||
	    !span_number(rate, &r) || !span_number(latency, &l) ||
	    !span_number(clients, &d->clients) || !span_number(procs, &d->procs))
		return LINE_UNKNOWN;
	spread_add(&d->throughput, r);
	spread_add(&d->latency, l);
	return LINE_KNOWN;
}

static void put(struct parse *p, double v, const char *name)
{
	emit_float(p, p->lkp ? spread_round(v, 2) : v, "%s", name);
}

int dbench_end(struct parse *p, struct err *e)
{
	struct dbench *d = p->state;

	if (!d->throughput.n)
		return 0;
	put(p, spread_mean(&d->throughput), "throughput_MB/s");
	put(p, spread_harmonic_mean(&d->throughput), "throughput_MB/s_harmonic_mean");
	emit_number(p, d->clients, "clients");
	emit_number(p, d->procs, "procs");
	put(p, spread_mean(&d->latency), "max_latency");
	put(p, spread_harmonic_mean(&d->latency), "max_latency_harmonic_mean");
	return 0;
}

void dbench_release(void *state)
{
	struct dbench *d = state;

	spread_clear(&d->throughput);
	spread_clear(&d->latency);
}
