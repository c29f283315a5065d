/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * perf stat, with -x (separator ',', ';' or blank) or for people, with or without
 * intervals (-I):
 *
 *	1.017184940,4659960482,,cpu-cycles,2785208122,16.69,0.279,GHz
 *	time        value      unit event  run time   running%  figure, its unit
 *
 * LKP prints the rates of each interval (i.*), leaves the last one out, and then
 * divides the events before it by all of the time (ps.*).  Our own mode counts all
 * intervals, prints means, and says null for what was not counted or supported.
 *
 * Counts are whole numbers.  A text that has "3.391.685.408", "9189,95" or half an
 * event was written under another locale, and none of it is believed.
 */
#include <errno.h>
#include <string.h>

#include "parser/parse.h"

#define EVENTS_MAX 4096

struct event {
	char *name;
	const char *unit;		/* "s" if it is a time, else "" */
	double now, total;		/* in this interval, in all */
	size_t n_now, n;		/* times counted */
	double secs;			/* of the intervals in which it was counted */
	double running;			/* sum of running% */
	char why[32];			/* why it was not counted */
};

struct state {
	struct event *v;
	size_t n_v;
	struct group rates;		/* own mode: by name, one value an interval */
	struct group now_figures;	/* LKP: sums of perf's own figures by unit */
	double time, before;		/* of this interval, of the last */
	bool intervals;
};

static struct event *event_get(struct state *s, struct span name)
{
	for (size_t i = 0; i < s->n_v; i++)
		if (span_is(name, s->v[i].name))
			return &s->v[i];
	if (s->n_v == EVENTS_MAX || !name.n)
		return NULL;
	GROW(s->v, s->n_v);
	s->v[s->n_v] = (struct event){ .name = text_format("%.*s", SPANF(name)), .unit = "" };
	return &s->v[s->n_v++];
}

static double counted(const struct state *s, const char *name, bool now)
{
	for (size_t i = 0; i < s->n_v; i++) {
		const struct event *ev = &s->v[i];

		if (strcmp(ev->name, name) || !(now ? ev->n_now : ev->n))
			continue;
		/* Events that were counted for different times compare by rate only. */
		return now ? ev->now : ev->secs > 0 ? ev->total / ev->secs : ev->total;
	}
	return -1;
}

/* Names of one event in perf's and in older spelling. */
static double pick(const struct state *s, const char *const *names, bool now)
{
	double v = -1;

	for (; *names && v < 0; names++)
		v = counted(s, *names, now);
	return v;
}

#define NAMES(...) (const char *const[]){ __VA_ARGS__, NULL }

/* figure = factor * above / below, or of the sum of both if @share. */
static const struct {
	const char *name;
	const char *const *above, *const *below;
	double factor;
	bool share;
} ratios[] = {
	{ "ipc", NAMES("instructions"), NAMES("cpu-cycles", "cycles"), 1 },
	{ "cpi", NAMES("cpu-cycles", "cycles"), NAMES("instructions"), 1 },
	{ "cache-miss-rate%", NAMES("cache-misses"), NAMES("cache-references"), 100 },
	{ "cycles-between-cache-misses", NAMES("cpu-cycles", "cycles"), NAMES("cache-misses"), 1 },
	{ "MPKI", NAMES("cache-misses"), NAMES("instructions"), 1000 },
	{ "branch-miss-rate%", NAMES("branch-misses"), NAMES("branch-instructions", "branches"),
	  100 },
	{ "dTLB-load-miss-rate%", NAMES("dTLB-load-misses"), NAMES("dTLB-loads"), 100, true },
	{ "dTLB-store-miss-rate%", NAMES("dTLB-store-misses"), NAMES("dTLB-stores"), 100, true },
	{ "iTLB-load-miss-rate%", NAMES("iTLB-load-misses"), NAMES("iTLB-loads"), 100, true },
	{ "node-load-miss-rate%", NAMES("node-load-misses"), NAMES("node-loads"), 100, true },
	{ "node-store-miss-rate%", NAMES("node-store-misses"), NAMES("node-stores"), 100, true },
	{ "instructions-per-iTLB-miss", NAMES("instructions"), NAMES("iTLB-load-misses"), 1 },
};

/* In the order of LKP's multiplication, whose last digit is kept. */
static bool ratio(const struct state *s, size_t i, bool now, double *out)
{
	double a = pick(s, ratios[i].above, now), b = pick(s, ratios[i].below, now);

	if (a < 0 || b < 0)
		return false;
	if (ratios[i].share)
		b += a;
	if (b == 0)
		return false;
	*out = ratios[i].factor == 100 ? a * 100 / b : a / b * ratios[i].factor;
	return true;
}

static void put_ratios(struct parse *p, bool now, const char *prefix)
{
	struct state *s = p->state;

	for (size_t i = 0; i < COUNT(ratios); i++) {
		double v;

		if (!ratio(s, i, now, &v))
			continue;
		if (!now || p->lkp) {
			emit_float(p, v, "%s.%s", prefix, ratios[i].name);
		} else {
			_free_ char *name = text_format("%s.%s", prefix, ratios[i].name);

			group_add(&s->rates, name, v);
		}
	}
}

static void interval_lkp(struct parse *p, double secs)
{
	struct state *s = p->state;

	emit_verbatim(p, "time: ");
	put_ruby_float(&p->out, s->time);
	emit_verbatim(p, "\n");
	for (size_t i = 0; i < s->n_v; i++)
		if (s->v[i].n_now)
			emit_float(p, s->v[i].now / secs, "i.%s", s->v[i].name);
	put_ratios(p, true, "i");
	for (size_t i = 0; i < s->now_figures.n; i++)
		emit_float(p, spread_sum(&s->now_figures.row[i].values), "i.metric.%s",
			   s->now_figures.row[i].name);
}

static void interval_own(struct parse *p, double secs)
{
	struct state *s = p->state;

	for (size_t i = 0; i < s->n_v; i++) {
		_free_ char *name = text_format("i.%s", s->v[i].name);

		if (s->v[i].n_now)
			group_add(&s->rates, name, s->v[i].now / secs);
	}
	put_ratios(p, true, "i");
}

/* What was counted since the interval began goes into the totals. */
static void interval_end(struct parse *p)
{
	struct state *s = p->state;
	double secs = s->time - s->before;

	if (s->intervals && secs > 0) {
		if (p->lkp)
			interval_lkp(p, secs);
		else
			interval_own(p, secs);
	}
	for (size_t i = 0; i < s->n_v; i++) {
		struct event *ev = &s->v[i];

		ev->total += ev->now;
		if (!p->lkp && ev->n_now && s->intervals)
			ev->secs += secs;
		ev->n += ev->n_now;
		ev->now = 0;
		ev->n_now = 0;
	}
	group_clear(&s->now_figures);
	s->before = s->time;
}

struct reading {
	struct span time, value, unit, event, running, figure, figure_unit;
};

static int locale_refuse(struct span v, struct err *e)
{
	return err_set(e, EINVAL, "'%.*s' could be read two ways; run perf with LC_ALL=C",
		       (int)(v.n < 40 ? v.n : 40), v.p);
}

/* Times in seconds whatever perf's version counts in. */
static bool is_clock(const struct reading *r, double *value)
{
	bool clock = memmem(r->event.p, r->event.n, "-clock", 6);

	if (!clock && !span_is(r->event, "duration_time"))
		return false;
	if (span_is(r->unit, "msec"))
		*value /= 1e3;
	else if (span_is(r->unit, "usec"))
		*value /= 1e6;
	else
		*value /= 1e9;
	return true;
}

static bool whole_number(struct span s)
{
	return !memchr(s.p, '.', s.n);
}

static int count(struct parse *p, const struct reading *r, double value, struct err *e)
{
	struct state *s = p->state;
	/* LKP splits at blanks, so that a unit there stands for the name. */
	struct event *ev = event_get(s, r->event);
	double share;

	if (!ev)
		return LINE_UNKNOWN;
	if (!p->lkp && is_clock(r, &value))
		ev->unit = "s";
	else if (!p->lkp && !r->unit.n && !whole_number(r->value))
		return locale_refuse(r->value, e);
	ev->now += value;
	ev->n_now++;
	if (span_number(r->running, &share))
		ev->running += share;
	if (p->lkp && r->figure_unit.n && !memchr(r->figure_unit.p, ' ', r->figure_unit.n) &&
	    span_number(r->figure, &share)) {
		_free_ char *name = text_format("%.*s", SPANF(r->figure_unit));

		group_add(&s->now_figures, name, share);
	}
	return LINE_KNOWN;
}

static int take(struct parse *p, const struct reading *r, struct err *e)
{
	struct state *s = p->state;
	struct event *ev;
	double t, v;

	if (r->time.n) {
		if (!span_number(r->time, &t))
			return LINE_UNKNOWN;
		if (s->intervals && t != s->time)
			interval_end(p);
		s->intervals = true;
		s->time = t;
	}
	if (*r->value.p == '<') {
		ev = event_get(s, r->event);
		if (!ev)
			return LINE_UNKNOWN;
		snprintf(ev->why, sizeof(ev->why), "%.*s", (int)r->value.n - 2, r->value.p + 1);
		return LINE_KNOWN;
	}
	return span_number(r->value, &v) ? count(p, r, v, e) : LINE_UNKNOWN;
}

static bool is_value(struct span s)
{
	double v;

	return span_number(s, &v) || (s.n > 2 && *s.p == '<' && s.p[s.n - 1] == '>');
}

/* The fields behind -x; the time is there only with -I. */
static bool read_separated(const char *line, char sep, struct reading *r)
{
	struct span f[9];
	size_t n = split_at(line, sep, f, 9), at = 0;

	for (size_t i = 0; i < n; i++)
		f[i] = span_trim(f[i]);
	if (n < 5)
		return false;
	if (n >= 6 && is_value(f[1]) && *f[1].p && !is_value(f[2]) && is_value(f[0])) {
		r->time = f[0];
		at = 1;
	}
	if (n - at < 5 || !is_value(f[at]) || is_value(f[at + 1]) || !f[at + 2].n)
		return false;
	r->value = f[at];
	r->unit = f[at + 1];
	r->event = f[at + 2];
	r->running = f[at + 4];
	if (n - at >= 7) {
		r->figure = f[at + 5];
		r->figure_unit = f[at + 6];
	}
	return true;
}

/*
 * Separated by blanks, a missing unit leaves no field, and one that is there
 * stands where the event's name is looked for: LKP's "i.msec".
 */
static bool read_blanks(const char *line, struct reading *r)
{
	struct span f[9];
	size_t n = split_blanks(line, f, 9), unit;

	if (n < 5 || !is_value(f[0]) || !is_value(f[1]) || is_value(f[2]))
		return false;
	unit = !is_value(f[3]);
	if (n < 5 + unit || !is_value(f[3 + unit]) || !is_value(f[4 + unit]))
		return false;
	r->time = f[0];
	r->value = f[1];
	r->unit = unit ? f[2] : (struct span){ "", 0 };
	r->event = f[2 + unit];
	r->running = f[4 + unit];
	if (n > 6 + unit) {
		r->figure = f[5 + unit];
		r->figure_unit = (struct span){ f[6 + unit].p, strlen(f[6 + unit].p) };
	}
	return true;
}

/* "    13      context-switches          #    0.001 K/sec" */
static int read_people(const char *line, struct reading *r, struct err *e)
{
	const char *hash = strchr(line, '#');
	_free_ char *left = strndup(line, hash ? (size_t)(hash - line) : strlen(line));
	struct span f[6];
	size_t n = split_blanks(left, f, 6), at = 0;
	double v;

	/* The spans must be of the line itself. */
	for (size_t i = 0; i < n; i++)
		f[i].p = line + (f[i].p - left);
	if (n >= 3 && span_number(f[0], &v) && memchr(f[0].p, '.', f[0].n) &&
	    (strchr("0123456789", *f[1].p) || *f[1].p == '<'))
		r->time = f[at++];
	if (n - at < 2)
		return LINE_UNKNOWN;
	if (*f[at].p == '<' && n - at >= 3) {
		r->value = (struct span){ f[at].p, (size_t)(f[at + 1].p + f[at + 1].n - f[at].p) };
		at++;
	} else {
		r->value = f[at];
		/* Digits with points or commas that make no number. */
		if (f[at].n == strspn(f[at].p, "0123456789.,") && !span_number(f[at], &v))
			return locale_refuse(f[at], e);
		if (!span_number(f[at], &v))
			return LINE_UNKNOWN;
	}
	if (++at >= n)
		return LINE_UNKNOWN;
	if (span_is(f[at], "msec") && at + 1 < n)
		r->unit = f[at++];
	r->event = f[at];
	if (at + 1 < n && span_is(f[at + 1], "(msec)"))
		r->unit = SPAN("msec");
	return LINE_KNOWN;
}

static int stat_line(struct parse *p, char *line, struct err *e)
{
	struct reading r = { .unit = { "", 0 }, .running = { "", 0 }, .figure_unit = { "", 0 } };
	struct span secs;

	if (*line == '#' || scan(line, "Performance counter stats for %*") ||
	    scan(line, "%n seconds %w %*", &secs, &secs) ||
	    scan(line, "%n seconds %w", &secs, &secs))
		return LINE_KNOWN;
	if (read_separated(line, ',', &r) || read_separated(line, ';', &r))
		return take(p, &r, e);
	if (read_blanks(line, &r)) {
		if (p->lkp && r.unit.n)
			r.event = r.unit;
		return take(p, &r, e);
	}
	if (!p->lkp) {
		int got = read_people(line, &r, e);

		return got == LINE_KNOWN ? take(p, &r, e) : got;
	}
	return LINE_UNKNOWN;
}

static void put_events(struct parse *p)
{
	struct state *s = p->state;

	for (size_t i = 0; i < s->rates.n; i++)
		emit_number(p, spread_mean(&s->rates.row[i].values), "%s", s->rates.row[i].name);
	for (size_t i = 0; i < s->n_v; i++) {
		const struct event *ev = &s->v[i];

		if (!ev->n) {
			emit_null(p, ev->why, "total.%s", ev->name);
			continue;
		}
		if (ev->secs > 0)
			emit_number(p, ev->total / ev->secs, "ps.%s", ev->name);
		emit_number(p, ev->total, "total.%s", ev->name);
		if (ev->running > 0 && ev->running / (double)ev->n < 99.995)
			emit_number(p, ev->running / (double)ev->n, "running.%s", ev->name);
	}
}

static int stat_end(struct parse *p, struct err *e)
{
	struct state *s = p->state;

	if (p->lkp && s->n_v && s->time > 0) {
		for (size_t i = 0; i < s->n_v; i++)
			if (s->v[i].n)
				emit_float(p, s->v[i].total / s->time, "ps.%s", s->v[i].name);
		if (counted(s, "instructions", false) >= 0)
			emit_float(p, counted(s, "instructions", false), "total.instructions");
	} else if (!p->lkp) {
		interval_end(p);
		put_events(p);
	}
	put_ratios(p, false, "overall");
	return 0;
}

static void stat_release(void *state)
{
	struct state *s = state;

	for (size_t i = 0; i < s->n_v; i++)
		free(s->v[i].name);
	free(s->v);
	group_clear(&s->rates);
	group_clear(&s->now_figures);
}

PARSER(perf_stat) = {
	.name = "perf-stat", .state_size = sizeof(struct state), .line = stat_line, .end = stat_end,
	.release = stat_release, .expects = "lines 'TIME,VALUE,UNIT,EVENT,...' of perf stat -x",
};
