/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 *	stress-ng: metrc: [5237] udp-flood  9904436  70.10  8559.15  188.07  141291.91  1132.29
 *	stress-ng: metrc: [5237] miscellaneous metrics:
 *	stress-ng: metrc: [5237] udp-flood  1097.62 sendto calls per sec (geometric mean of ...)
 *	stress-ng: fail:  [5778] stress-ng-vm: ...
 *
 * The program exits with 0 though it says that its counters are corrupted or that
 * nothing was done: our own mode makes the run invalid then.
 */
#include <string.h>

#include "parser/parse.h"

struct state {
	bool misc;		/* behind "miscellaneous metrics:" */
	bool invalid;
	struct group failed, ran;	/* stressors */
};

static void distrust(struct parse *p, struct span why)
{
	struct state *s = p->state;
	_free_ char *text = text_format("stress-ng: %.*s", SPANF(why));

	if (!s->invalid)
		emit_invalid(p, text);
	s->invalid = true;
}

/* "stress-ng-vm: text", "stress-ng: sigaction ...", "atomic instance 2 ..." */
static int failure(struct parse *p, struct span rest)
{
	struct state *s = p->state;
	_free_ char *name = NULL;
	struct span w;

	if (scan(rest.p, "metrics-check: %s", &w)) {
		distrust(p, w);
		return LINE_KNOWN;
	}
	if (scan(rest.p, "stress-ng: %w %*", &w) || scan(rest.p, "stress-ng-%w: %*", &w) ||
	    scan(rest.p, "%w: %*", &w) || scan(rest.p, "%w %*", &w)) {
		name = text_format("%.*s", SPANF(w));
		if (!group_get(&s->failed, name)->n)
			emit_number(p, 1, "%s.fail", name);
		group_add(&s->failed, name, 1);
		return LINE_KNOWN;
	}
	return LINE_UNKNOWN;
}

static int counters(struct parse *p, const struct span *f)
{
	double ops = 0;
	_free_ char *name = text_format("%.*s", SPANF(f[0]));
	struct state *s = p->state;

	if (p->lkp)
		emit_number(p, 1, "%s.pass", name);
	if (span_number(f[1], &ops) && ops == 0 && !p->lkp) {
		distrust(p, SPAN("a stressor did not one operation"));
		emit_null(p, "no operation was done", "%s.ops_per_sec", name);
		return LINE_KNOWN;
	}
	group_get(&s->ran, name);
	emit_as(p, f[1], "%s.ops", name);
	emit_as(p, f[5], "%s.ops_per_sec", name);
	return LINE_KNOWN;
}

static int figure(struct parse *p, struct span name, struct span value, struct span what)
{
	const char *bracket = memchr(what.p, '(', what.n);

	if (bracket)
		what.n = (size_t)(bracket - what.p);
	what = span_trim(what);
	if (p->lkp)
		emit_number(p, 1, "%.*s.%.*s.pass", SPANF(name), SPANF(what));
	emit_as(p, value, "%.*s.%.*s", SPANF(name), SPANF(what));
	return LINE_KNOWN;
}

static int report(struct parse *p, struct span rest)
{
	struct state *s = p->state;
	struct span f[7], what;
	double v;
	size_t n;

	if (scan(rest.p, "miscellaneous metrics:")) {
		s->misc = true;
		return LINE_KNOWN;
	}
	if (scan(rest.p, "for a %* run time:")) {
		s->misc = false;
		return LINE_KNOWN;
	}
	if (scan(rest.p, "metrics untrustworthy: %n%*", &what) && span_number(what, &v)) {
		if (v > 0)
			distrust(p, SPAN("metrics untrustworthy"));
		return LINE_KNOWN;
	}
	n = split_blanks(rest.p, f, 7);
	if (s->misc && n >= 3 && span_number(f[1], &v)) {
		what = (struct span){ f[1].p + f[1].n, strlen(f[1].p + f[1].n) };
		return figure(p, f[0], f[1], what);
	}
	if (n < 7 || span_number(f[0], &v))
		return LINE_UNKNOWN;
	for (size_t i = 1; i < 7; i++)
		if (!span_number(f[i], &v))
			return LINE_UNKNOWN;
	return counters(p, f);
}

static int stress_line(struct parse *p, char *line, struct err *e)
{
	struct span level, pid, rest;

	if (!scan(line, "stress-ng: %w: [%n] %s", &level, &pid, &rest))
		return LINE_UNKNOWN;
	if (span_is(level, "fail"))
		return failure(p, rest);
	if (span_is(level, "warn") && scan(rest.p, "metrics-check: %s", &rest)) {
		distrust(p, rest);
		return LINE_KNOWN;
	}
	if (span_is(level, "info") || span_is(level, "metrc"))
		return report(p, rest);
	return LINE_UNKNOWN;
}

/* LKP says "pass" of what has a row; a failure may be told before or behind it. */
static int stress_end(struct parse *p, struct err *e)
{
	struct state *s = p->state;

	for (size_t i = 0; !p->lkp && i < s->ran.n; i++)
		if (!group_get(&s->failed, s->ran.row[i].name)->n)
			emit_number(p, 1, "%s.pass", s->ran.row[i].name);
	return 0;
}

static void stress_release(void *state)
{
	struct state *s = state;

	group_clear(&s->failed);
	group_clear(&s->ran);
}

PARSER(stress_ng) = {
	.name = "stress-ng",
	.state_size = sizeof(struct state),
	.line = stress_line,
	.end = stress_end,
	.release = stress_release,
	.expects = "a table of stressors (--metrics-brief)",
};
