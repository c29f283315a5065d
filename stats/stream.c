/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A table of four kernels, repeated.  STREAM reports the best of its own
 * repetitions; the mean rate follows from its times and is what our own mode
 * judges by (NAME_mean_MBps).
 */
#include <ctype.h>
#include <string.h>

#include "parser/parse.h"

static const char *const kernels[] = { "copy", "scale", "add", "triad" };

struct state {
	struct spread best[COUNT(kernels)], mean[COUNT(kernels)];
	bool said_element, said_array, valid;
	size_t tables, validated;
};

static int kernel_row(struct state *s, const struct span *f)
{
	double best, average, least;

	if (!span_number(f[1], &best) || !span_number(f[2], &average) || !span_number(f[3], &least))
		return LINE_UNKNOWN;
	for (size_t i = 0; i < COUNT(kernels); i++) {
		if (f[0].n != strlen(kernels[i]) + 1 || strncasecmp(f[0].p, kernels[i], f[0].n - 1))
			continue;
		spread_add(&s->best[i], best);
		if (average > 0)
			spread_add(&s->mean[i], best * least / average);
		s->tables += i == 0;
		return LINE_KNOWN;
	}
	return LINE_UNKNOWN;
}

static int stream_line(struct parse *p, char *line, struct err *e)
{
	struct state *s = p->state;
	struct span f[6], v;

	if (scan(line, "This system uses %n bytes per array element.", &v)) {
		if (!s->said_element)
			emit_as(p, v, "element_size_byte");
		s->said_element = true;
		return LINE_KNOWN;
	}
	if (scan(line, "Array size = %n (elements), %*", &v)) {
		if (!s->said_array)
			emit_as(p, v, "array_size");
		s->said_array = true;
		return LINE_KNOWN;
	}
	if (scan(line, "Solution Validates%*")) {
		s->validated++;
		return LINE_KNOWN;
	}
	if (split_blanks(line, f, 6) == 5 && span_ends(f[0], ":"))
		return kernel_row(s, f);
	return LINE_UNKNOWN;
}

static int stream_end(struct parse *p, struct err *e)
{
	struct state *s = p->state;

	for (size_t i = 0; i < COUNT(kernels); i++) {
		double mean = spread_mean(&s->best[i]),
		       harmonic = spread_harmonic_mean(&s->best[i]);

		if (!s->best[i].n)
			continue;
		emit_float(p, p->lkp ? spread_round(mean, 2) : mean, "%s_bandwidth_MBps",
			   kernels[i]);
		if (p->lkp)
			emit_float(p, spread_round(harmonic, 2), "%s_bandwidth_MBps_harmonicMean",
				   kernels[i]);
		else if (s->mean[i].n)
			emit_number(p, spread_mean(&s->mean[i]), "%s_mean_MBps", kernels[i]);
	}
	if (s->validated < s->tables)
		emit_invalid(p, "STREAM's own check of its results did not pass");
	return 0;
}

static void stream_release(void *state)
{
	struct state *s = state;

	for (size_t i = 0; i < COUNT(kernels); i++) {
		spread_clear(&s->best[i]);
		spread_clear(&s->mean[i]);
	}
}

PARSER(stream) = {
	.name = "stream",
	.state_size = sizeof(struct state),
	.line = stream_line,
	.end = stream_end,
	.release = stream_release,
	.expects = "a table with a line 'Copy: N N N N'",
};
