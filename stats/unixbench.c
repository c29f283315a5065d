/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 *	Benchmark Run: Mon Jan 08 2024 07:40:42 - 07:46:52
 *	File Write 1024 bufsize 2000 maxblocks      3121976.0 KBps  (30.0 s, 7 samples)
 *	System Benchmarks Index Score (Partial Only)                         4231.4
 *
 * LKP knows runs of one test only: throughput is its rate, workload that times the
 * length of the run.  Our own mode names the tests when there are several.
 */
#include <string.h>

#include "parser/parse.h"

struct state {
	struct group rates;		/* "Test name", with ".copies.N" if N > 1 */
	double copies, secs, score;
	bool scored;
};

static bool day_secs(struct span s, double *out)
{
	struct span f[4];
	double h, m, sec;
	char text[16];

	if (s.n >= sizeof(text))
		return false;
	memcpy(text, s.p, s.n);
	text[s.n] = '\0';
	if (split_at(text, ':', f, 4) != 3 || !span_number(f[0], &h) || !span_number(f[1], &m) ||
	    !span_number(f[2], &sec))
		return false;
	*out = h * 3600 + m * 60 + sec;
	return true;
}

static int run_line(struct state *s, struct span from, struct span to)
{
	double a, b;

	if (!day_secs(from, &a) || !day_secs(to, &b))
		return LINE_UNKNOWN;
	s->secs = b - a + (b < a ? 86400 : 0);
	return LINE_KNOWN;
}

static int result(struct state *s, struct span left, struct span unit)
{
	_text_ struct text name = {};
	struct span f[24];
	double v;
	size_t n;

	text_put(&name, left.p, left.n);
	n = split_blanks(text_str(&name), f, 24);
	if (n < 2 || !span_number(f[n - 1], &v))
		return LINE_UNKNOWN;
	/* The name is all in front of the number. */
	name.len = (size_t)(f[n - 2].p + f[n - 2].n - name.p);
	name.p[name.len] = '\0';
	if (s->copies > 1)
		text_printf(&name, ".copies.%.0f", s->copies);
	group_add(&s->rates, text_str(&name), v);
	return LINE_KNOWN;
}

static int unix_line(struct parse *p, char *line, struct err *e)
{
	struct state *s = p->state;
	struct span a, b, c;

	if (scan(line, "Benchmark Run: %w %w %n %n %s", &a, &b, &c, &c, &c) &&
	    scan(c.p, "%w - %w", &a, &b))
		return run_line(s, a, b);
	if (scan(line, "%n CPUs in system; running %n parallel cop%*", &a, &b) &&
	    span_number(b, &s->copies))
		return LINE_KNOWN;
	if (scan(line, "System Benchmarks Index Score%*  %n", &a) && span_number(a, &s->score)) {
		s->scored = true;
		return LINE_KNOWN;
	}
	if (scan(line, "%s (%n s, %n samples)", &a, &b, &c)) {
		a = span_trim(a);
		while (a.n && a.p[a.n - 1] != ' ')
			a.n--;
		return result(s, span_trim(a), b);
	}
	return LINE_UNKNOWN;
}

static int unix_end(struct parse *p, struct err *e)
{
	struct state *s = p->state;

	if (s->scored)
		emit_float(p, s->score, "score");
	if (s->rates.n == 1 || (p->lkp && s->rates.n)) {
		const struct spread *v = &s->rates.row[s->rates.n - 1].values;

		emit_float(p, v->v[v->n - 1], "throughput");
		emit_float(p, v->v[v->n - 1] * s->secs, "workload");
		if (p->lkp)
			emit_number(p, 1, "test.pass");
		return 0;
	}
	for (size_t i = 0; i < s->rates.n; i++)
		emit_number(p, spread_mean(&s->rates.row[i].values), "%s", s->rates.row[i].name);
	return 0;
}

static void unix_release(void *state)
{
	group_clear(&((struct state *)state)->rates);
}

PARSER(unixbench) = {
	.name = "unixbench", .state_size = sizeof(struct state), .line = unix_line,
	.end = unix_end, .release = unix_release,
	.expects = "a line 'NAME N UNIT (N s, N samples)'",
};
