/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * time -v: "	User time (seconds): 0.01", one block a command.  A block's name is
 * the text in front, in lower case, without the unit in brackets.
 */
#include <ctype.h>
#include <string.h>

#include "parser/parse.h"

struct state {
	struct spread elapsed;
};

/* "1:02:03", "0:01.50", "2.5" to seconds. */
static bool clock_secs(struct span s, double *out)
{
	double total = 0, v;
	const char *end = s.p + s.n;

	for (const char *p = s.p;;) {
		const char *colon = memchr(p, ':', (size_t)(end - p));
		const char *stop = colon ? colon : end;

		if (!span_number((struct span){ p, (size_t)(stop - p) }, &v) || v < 0)
			return false;
		total = total * 60 + v;
		if (!colon)
			break;
		p = colon + 1;
	}
	*out = total;
	return true;
}

/* "Major (requiring I/O) page faults" to "major_page_faults" */
static void name_make(struct span s, char *out, size_t room)
{
	size_t n = 0;
	bool inside = false, gap = false;

	for (size_t i = 0; i < s.n && n + 2 < room; i++) {
		char c = s.p[i];

		inside = inside ? c != ')' : c == '(';
		if (inside || c == ')' || c == ' ' || c == '\t') {
			gap = n > 0;
			continue;
		}
		if (gap)
			out[n++] = '_';
		gap = false;
		out[n++] = (char)tolower((unsigned char)c);
	}
	out[n] = '\0';
}

static int time_line(struct parse *p, char *line, struct err *e)
{
	static const char elapsed[] = "Elapsed (wall clock) time (h:mm:ss or m:ss): %w";
	struct state *s = p->state;
	struct span what, value;
	char name[80];
	double v;

	if (scan(line, elapsed, &value)) {
		if (!clock_secs(value, &v))
			return LINE_UNKNOWN;
		emit_number(p, v, "elapsed_time");
		spread_add(&s->elapsed, v);
		return LINE_KNOWN;
	}
	if (scan(line, "Command being timed: %*") || scan(line, "Command exited with %*") ||
	    scan(line, "Command terminated by %*"))
		return LINE_KNOWN;
	if (scan(line, "Percent of CPU this job got: %s", &value)) {
		if (span_ends(value, "%"))
			value.n--;
		if (span_number(value, &v))
			emit_as(p, value, "percent_of_cpu_this_job_got");
		else
			emit_null(p, "time could not tell", "percent_of_cpu_this_job_got");
		return LINE_KNOWN;
	}
	if (line[0] != '\t' || !scan(line, "%s: %n", &what, &value))
		return LINE_UNKNOWN;
	name_make(what, name, sizeof(name));
	emit_as(p, value, "%s", name);
	return LINE_KNOWN;
}

static int time_end(struct parse *p, struct err *e)
{
	struct state *s = p->state;

	if (s->elapsed.n)
		emit_number(p, spread_max(&s->elapsed), "elapsed_time.max");
	return 0;
}

static void time_release(void *state)
{
	spread_clear(&((struct state *)state)->elapsed);
}

PARSER(time) = {
	.name = "time", .state_size = sizeof(struct state), .line = time_line, .end = time_end,
	.release = time_release, .strict = true, .expects = "the output of time -v",
};
