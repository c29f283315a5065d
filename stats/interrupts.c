/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * /proc/interrupts: of each CPU and of all.
 *
 *	 LOC:     123   456   Local timer interrupts       LOC:Local_timer_interrupts
 *	  19:       0   126   IO-APIC   19-fasteoi  ens33  19:IO-APIC.19-fasteoi.ens33
 */
#include <ctype.h>
#include <string.h>

#include "parser/percpu.h"

struct state {
	struct percpu cpus;
	struct text name;
};

/* The words behind the numbers: a sentence for kinds, fields for numbered lines. */
static void name_make(struct text *t, struct span label, const char *words)
{
	bool numbered = isdigit((unsigned char)label.p[0]);
	struct span f[16];
	size_t n = split_blanks(words, f, COUNT(f));

	t->len = 0;
	text_put(t, label.p, label.n);
	for (size_t i = 0; i < n; i++) {
		text_putc(t, i ? numbered ? '.' : '_' : ':');
		text_put(t, f[i].p, f[i].n);
	}
}

static int interrupt_line(struct parse *p, char *line, struct err *e)
{
	struct state *s = p->state;
	const char *begin = line + strspn(line, " \t"), *colon = strchr(begin, ':'), *words;

	if (sample_time(p, line) || percpu_header(&s->cpus, line))
		return LINE_KNOWN;
	if (!colon || colon == begin || memchr(begin, ' ', (size_t)(colon - begin)))
		return LINE_UNKNOWN;
	words = percpu_skip(&s->cpus, colon + 1);
	if (!words)
		return LINE_UNKNOWN;
	name_make(&s->name, (struct span){ begin, (size_t)(colon - begin) }, words);
	return percpu_row(p, &s->cpus, colon + 1, text_str(&s->name)) ? LINE_KNOWN : LINE_UNKNOWN;
}

static void interrupt_release(void *state)
{
	struct state *s = state;

	percpu_release(&s->cpus);
	text_release(&s->name);
}

PARSER(interrupts) = {
	.name = "interrupts", .state_size = sizeof(struct state), .line = interrupt_line,
	.release = interrupt_release, .series = true, .strict = true,
	.expects = "the header and rows of /proc/interrupts",
};
