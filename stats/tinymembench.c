/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 *	 standard memcpy                                      :  24135.2 MB/s (0.7%)
 *	block size : single random read / dual random read, [MADV_NOHUGEPAGE]
 *	     65536 :    1.3 ns          /     1.9 ns
 *
 * A spread of 0.1 % and below is not printed by the program.  LKP leaves out the
 * rows in C and three of four block sizes; our own mode takes all.
 */
#include <string.h>

#include "parser/parse.h"

struct state {
	const char *pages;		/* "nohugepage" or "hugepage" in the latency tables */
	bool began;			/* LKP's first row was seen */
};

/* "SSE2 2-pass copy (32 bytes step)" to "SSE2_2_pass_copy_32_bytes_step" */
static void name_make(struct span s, char *out, size_t room)
{
	size_t n = 0;

	for (size_t i = 0; i < s.n && n + 2 < room; i++) {
		char c = s.p[i];

		if (c == '(' || c == ')')
			continue;
		out[n++] = c == ' ' || c == '-' ? '_' : c;
	}
	out[n] = '\0';
}

static int bandwidth(struct parse *p, struct span what, struct span rate, struct span spread)
{
	struct state *s = p->state;
	char name[120];

	name_make(span_trim(what), name, sizeof(name));
	s->began = s->began || text_starts(name, "standard_");
	if (p->lkp && (!s->began || text_starts(name, "C_")))
		return LINE_KNOWN;
	emit_as(p, rate, "%s_MBpS", name);
	if (spread.n || p->lkp)
		emit_as(p, spread, "%s_MBpS_stddev", name);
	else
		emit_null(p, "0.1 % or less", "%s_MBpS_stddev", name);
	return LINE_KNOWN;
}

static bool power_of_four(struct span size)
{
	uint64_t v;

	return span_u64(size, &v) && v && !(v & (v - 1)) && v & 0x5555555555555555;
}

static int latency(struct parse *p, struct span size, struct span one, struct span two)
{
	struct state *s = p->state;
	uint64_t bytes;

	if (!s->pages || !span_u64(size, &bytes))
		return LINE_UNKNOWN;
	if (p->lkp && (!power_of_four(size) || bytes > 1048576))
		return LINE_KNOWN;
	emit_as(p, one, "single_random_read_%.*s_block_%s", SPANF(size), s->pages);
	emit_as(p, two, "dual_random_read_%.*s_block_%s", SPANF(size), s->pages);
	return LINE_KNOWN;
}

static int tiny_line(struct parse *p, char *line, struct err *e)
{
	struct state *s = p->state;
	struct span what, a, b, none = { "", 0 };

	if (scan(line, "%s: %n MB/s (%n%%)", &what, &a, &b))
		return bandwidth(p, what, a, b);
	if (scan(line, "%s: %n MB/s", &what, &a))
		return bandwidth(p, what, a, none);
	if (scan(line, "%n : %n ns / %n ns", &what, &a, &b))
		return latency(p, what, a, b);
	if (!scan(line, "block size : single random read / dual random read%s", &what))
		return LINE_UNKNOWN;
	s->pages = memmem(what.p, what.n, "NOHUGE", 6) ? "nohugepage" : "hugepage";
	return LINE_KNOWN;
}

PARSER(tinymembench) = {
	.name = "tinymembench", .state_size = sizeof(struct state), .line = tiny_line,
	.expects = "a line 'standard memcpy : N MB/s'",
};
