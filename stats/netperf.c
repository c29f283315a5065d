/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Each instance prints the name of its test, a header and rows of numbers, whose
 * columns depend on the kind of test.
 */
#include <string.h>

#include "parser/parse.h"

enum kind { NONE, STREAM, DATAGRAM, TRANSACTIONS };

struct state {
	enum kind kind;
	bool sent;			/* datagrams: the sender's row was there */
	const char *unit;
	struct spread rate, received;
	double secs, message_bytes;
};

static int header(struct state *s, const char *line)
{
	bool rr = strstr(line, "REQUEST/RESPONSE") || strstr(line, "CONNECT/");

	s->kind = rr ? TRANSACTIONS : strstr(line, "UDP") ? DATAGRAM : STREAM;
	s->unit = rr ? "tps" : "Mbps";
	s->sent = false;
	return LINE_KNOWN;
}

/* Where a row has what it took, the size of a message and the rate. */
static const struct {
	size_t least, secs, size, rate;
} columns[] = {
	[STREAM] = { 5, 3, 2, 4 },
	[DATAGRAM] = { 6, 2, 1, 5 },
	[TRANSACTIONS] = { 6, 4, 2, 5 },
};

static int row(struct state *s, const double *v, size_t n)
{
	if (s->kind == DATAGRAM && s->sent && n >= 4) {
		spread_add(&s->received, v[3]);
		s->sent = false;
		return LINE_KNOWN;
	}
	if (n < columns[s->kind].least)
		return LINE_KNOWN;
	s->secs = v[columns[s->kind].secs];
	s->message_bytes = v[columns[s->kind].size];
	spread_add(&s->rate, v[columns[s->kind].rate]);
	s->sent = s->kind == DATAGRAM;
	return LINE_KNOWN;
}

static int net_line(struct parse *p, char *line, struct err *e)
{
	struct state *s = p->state;
	struct span f[12];
	double v[12];
	size_t n;

	if (scan(line, "%* TEST%*from %*") || scan(line, "%* TEST from %*") ||
	    scan(line, "%* TEST to %*"))
		return header(s, line);
	if (!s->kind)
		return LINE_UNKNOWN;
	n = split_blanks(line, f, 12);
	for (size_t i = 0; i < n; i++)
		if (!span_number(f[i], &v[i]))
			return LINE_UNKNOWN;
	return n >= 2 ? row(s, v, n) : LINE_UNKNOWN;
}

static void put(struct parse *p, const char *what, const char *sfx, const struct spread *v,
		double figure)
{
	struct state *s = p->state;

	if (v->n)
		emit_float(p, figure, "Throughput%s%s_%s", what, sfx, s->unit);
	else if (p->lkp)
		emit_number(p, 0, "Throughput%s%s_%s", what, sfx, s->unit);
}

static int net_end(struct parse *p, struct err *e)
{
	struct state *s = p->state;
	double mean = spread_mean(&s->rate), sum = spread_sum(&s->rate);
	double mean_in = spread_mean(&s->received), sum_in = spread_sum(&s->received);
	const struct spread *both = p->lkp ? &s->rate : &s->received;

	if (!s->rate.n)
		return 0;
	put(p, "", "", &s->rate, mean);
	put(p, "Recv", "", &s->received, mean_in);
	put(p, "Both", "", both, mean + mean_in);
	put(p, "", "_total", &s->rate, sum);
	put(p, "Recv", "_total", &s->received, sum_in);
	put(p, "Both", "_total", both, sum + sum_in);
	if (s->kind == TRANSACTIONS)
		emit_float(p, sum * s->secs, "workload");
	else if (s->message_bytes > 0)
		emit_float(p, sum * s->secs * 1e6 / 8 / s->message_bytes, "workload");
	return 0;
}

static void net_release(void *state)
{
	struct state *s = state;

	spread_clear(&s->rate);
	spread_clear(&s->received);
}

PARSER(netperf) = {
	.name = "netperf", .state_size = sizeof(struct state), .line = net_line, .end = net_end,
	.release = net_release, .expects = "a line 'NAME TEST from ...' and a row of numbers",
};
