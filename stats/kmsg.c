/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The kernel log as read inside of the running system: errors that are no oops
 * (those are dmesg's), and what sanitizers of programs reported.
 */
#include <string.h>

#include "parser/oops.h"
#include "parser/selftest.h"

#define LEAK_FRAMES 6

struct state {
	struct oops oops;
	struct selftest selftest;
	struct group boot, runtime, leaks;	/* printed after the errors; names are the lines */
	struct text leak;			/* the leak being read */
	unsigned int frames;
};

/* Levels 0 to 3 in the two forms that dmesg writes them. */
static bool is_error_level(const char *line)
{
	static const char *const levels[] = { "err   ", "crit  ", "alert ", "emerg " };

	if (line[0] == '<' && line[1] >= '0' && line[1] <= '3' && line[2] == '>')
		return true;
	for (size_t i = 0; i < COUNT(levels); i++)
		if (text_starts(line, "kern  :") && text_starts(line + 7, levels[i]) &&
		    text_starts(line + 13, ": "))
			return true;
	return false;
}

/* Printed at error level though nothing is wrong. */
static bool is_harmless(const char *line)
{
	static const char *const texts[] = {
		"Raw EDID:", " ff ff ff ff ", "bad: scheduling from the idle thread!",
	};

	for (size_t i = 0; i < COUNT(texts); i++)
		if (strstr(line, texts[i]))
			return true;
	return false;
}

static void leak_end(struct state *s)
{
	if (s->leak.len)
		group_get(&s->leaks, text_str(&s->leak));
	s->leak.len = 0;
}

/* "Indirect leak of 7 byte(s) in 1 object(s) allocated from:" and six frames. */
static void leak_line(struct state *s, const char *line)
{
	struct span n, function;

	if (strstr(line, "Direct leak of ") && strstr(line, "allocated from:")) {
		leak_end(s);
		text_puts(&s->leak, "sanitizer.direct_leak");
		s->frames = 0;
	} else if (strstr(line, "Indirect leak of ") && strstr(line, "allocated from:")) {
		leak_end(s);
		text_puts(&s->leak, "sanitizer.indirect_leak");
		s->frames = 0;
	} else if (s->leak.len && s->frames < LEAK_FRAMES &&
		   scan(line, "%* #%n 0x%* in %w %*", &n, &function)) {
		text_printf(&s->leak, "/%.*s", SPANF(function));
		s->frames++;
	}
}

static void runtime_line(struct state *s, const char *line)
{
	const char *at = strstr(line, " runtime error:"), *from = at;
	_free_ char *named = NULL;

	if (!at)
		return;
	while (from > line && from[-1] != ' ')
		from--;
	named = text_format("sanitizer.%s", from);
	group_get(&s->runtime, named);
}

static int kmsg_line(struct parse *p, char *line, struct err *e)
{
	struct state *s = p->state;

	line_cut(line, OOPS_LINE_MAX);
	line_strip_color(line);
	oops_time(&s->oops, line);
	selftest_line(p, &s->selftest, line);
	if (s->runtime.n + s->leaks.n + s->boot.n < 10000) {
		if (strstr(line, "Kernel tests: Boot OK"))
			group_get(&s->boot, line);
		runtime_line(s, line);
		leak_line(s, line);
	}
	if ((is_error_level(line) || strstr(line, "segfault at")) && !is_harmless(line) &&
	    !oops_is(&s->oops, line))
		oops_add(&s->oops, line, line);
	return LINE_KNOWN;
}

static void add_all(struct oops *o, const struct group *g)
{
	for (size_t i = 0; i < g->n; i++)
		oops_add(o, g->row[i].name, g->row[i].name);
}

static int kmsg_end(struct parse *p, struct err *e)
{
	struct state *s = p->state;

	leak_end(s);
	add_all(&s->oops, &s->boot);
	add_all(&s->oops, &s->runtime);
	add_all(&s->oops, &s->leaks);
	oops_print(p, &s->oops);
	return 0;
}

static void kmsg_release(void *state)
{
	struct state *s = state;

	oops_release(&s->oops);
	selftest_release(&s->selftest);
	group_clear(&s->boot);
	group_clear(&s->runtime);
	group_clear(&s->leaks);
	text_release(&s->leak);
}

PARSER(kmsg) = {
	.name = "kmsg", .state_size = sizeof(struct state), .line = kmsg_line, .end = kmsg_end,
	.release = kmsg_release,
};
