/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * vmstat's columns by the names in its header; a last column beyond them is the
 * time, headed by a time zone's name.  The first row is the average since boot
 * and no sample of the run: our own mode drops it.
 */
#include <string.h>
#include <time.h>

#include "parser/parse.h"

#define COLUMNS_MAX 32

static const struct {
	const char *column, *name;
} known[] = {
	{ "r", "procs.r" }, { "b", "procs.b" },
	{ "swpd", "memory.swpd" }, { "free", "memory.free" }, { "buff", "memory.buff" },
	{ "cache", "memory.cache" }, { "inact", "memory.inact" }, { "active", "memory.active" },
	{ "si", "swap.si" }, { "so", "swap.so" },
	{ "bi", "io.bi" }, { "bo", "io.bo" },
	{ "in", "system.in" }, { "cs", "system.cs" },
	{ "us", "cpu.us" }, { "sy", "cpu.sy" }, { "id", "cpu.id" }, { "wa", "cpu.wa" },
	{ "st", "cpu.st" }, { "gu", "cpu.gu" },
};

struct state {
	const char *name[COLUMNS_MAX];	/* of the columns that are known, from the left */
	size_t n;
	bool later;			/* a row was seen */
};

static const char *name_of(struct span column)
{
	for (size_t i = 0; i < COUNT(known); i++)
		if (span_is(column, known[i].column))
			return known[i].name;
	return NULL;
}

static int header(struct state *s, const struct span *f, size_t n)
{
	s->n = 0;
	while (s->n < n && name_of(f[s->n])) {
		s->name[s->n] = name_of(f[s->n]);
		s->n++;
	}
	/* One more is the time zone. */
	return s->n + 1 >= n ? LINE_KNOWN : LINE_UNKNOWN;
}

static void put_time(struct parse *p, struct span day, struct span clock)
{
	_free_ char *both = text_format("%.*s %.*s", SPANF(day), SPANF(clock)), *secs = NULL;
	struct tm tm = {};
	const char *end = strptime(both, "%Y-%m-%d %H:%M:%S", &tm);

	if (!end || *end)
		return;
	secs = text_format("%lld", (long long)timegm(&tm));
	emit_time(p, span_of(secs));
}

static int vmstat_line(struct parse *p, char *line, struct err *e)
{
	struct state *s = p->state;
	struct span f[COLUMNS_MAX];
	size_t n = split_blanks(line, f, COLUMNS_MAX);
	double v;

	if (n && (span_starts(f[0], "procs") || span_starts(f[0], "--procs")))
		return LINE_KNOWN;
	if (n > 2 && span_is(f[0], "r") && span_is(f[1], "b"))
		return header(s, f, n);
	if (!s->n || n < s->n)
		return LINE_UNKNOWN;
	for (size_t i = 0; i < s->n; i++)
		if (!span_number(f[i], &v))
			return LINE_UNKNOWN;
	if (!s->later && !p->lkp) {
		s->later = true;
		return LINE_KNOWN;
	}
	if (n >= s->n + 2)
		put_time(p, f[s->n], f[s->n + 1]);
	for (size_t i = 0; i < s->n; i++)
		emit_plain(p, span_of(s->name[i]), f[i]);
	return LINE_KNOWN;
}

PARSER(vmstat) = {
	.name = "vmstat", .state_size = sizeof(struct state), .line = vmstat_line, .series = true,
	.strict = true, .expects = "vmstat's header and two rows at least",
};
