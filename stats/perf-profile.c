/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * perf report with call chains folded:
 *
 *	# Samples: 8K of event 'cycles:pp'
 *	    82.61%     0.42%  [kernel.kallsyms]    [k] cpu_startup_entry
 *	81.41% cpu_startup_entry;start_secondary
 *
 * A function's own share and that with its callees count from 0.06 %, a chain of
 * the innermost five functions from 0.51 %; chains that are the same by then are
 * added up.  Sorted by name.
 */
#include <string.h>

#include "parser/parse.h"

#define CHAIN_DEPTH 5
#define ROWS_MAX 200000

struct row {
	char *name;
	double share;
	size_t order;
};

struct state {
	char event[64];
	struct row *row;
	size_t n;
};

static int event_line(struct state *s, struct span event)
{
	if (event.n >= sizeof(s->event))
		return LINE_UNKNOWN;
	memcpy(s->event, event.p, event.n);
	s->event[event.n] = '\0';
	for (char *c = s->event; *c; c++)
		if (*c == ':')
			*c = '-';
	return LINE_KNOWN;
}

/* The compiler's copies of a function (".isra.9", ".constprop.0") are that function. */
static size_t plain_length(struct span name)
{
	static const char *const copies[] = { ".isra.", ".constprop.", ".part.", ".cold." };

	for (size_t i = 0; i < COUNT(copies); i++) {
		const char *at = memmem(name.p, name.n, copies[i], strlen(copies[i]));

		if (at && at > name.p)
			name.n = (size_t)(at - name.p);
	}
	return name.n;
}

static int row_add(struct state *s, char *name, double share)
{
	if (s->n == ROWS_MAX) {
		free(name);
		return LINE_UNKNOWN;
	}
	GROW(s->row, s->n);
	s->row[s->n] = (struct row){ name, share, s->n };
	s->n++;
	return LINE_KNOWN;
}

static int function_line(struct state *s, struct span children, struct span self, struct span name)
{
	double c, o;

	name = span_trim(name);
	name.n = plain_length(name);
	if (!span_number(children, &c) || !span_number(self, &o) || !name.n)
		return LINE_UNKNOWN;
	row_add(s, text_format("children.%s.%.*s", s->event, SPANF(name)), c);
	return row_add(s, text_format("self.%s.%.*s", s->event, SPANF(name)), o);
}

static int chain_line(struct state *s, struct span share, struct span chain)
{
	struct span f[CHAIN_DEPTH];
	_text_ struct text name = {};
	double v;
	size_t n;

	if (!span_number(share, &v) || memchr(chain.p, ' ', chain.n))
		return LINE_UNKNOWN;
	n = split_at(chain.p, ';', f, CHAIN_DEPTH);
	text_printf(&name, "calltrace.%s", s->event);
	for (size_t i = 0; i < n; i++) {
		struct span g = span_trim(f[i]);

		text_printf(&name, ".%.*s", (int)plain_length(g), g.p);
	}
	return row_add(s, text_steal(&name), v);
}

static int profile_line(struct parse *p, char *line, struct err *e)
{
	struct state *s = p->state;
	struct span a, b, c, d;

	if (*line == '#') {
		if (scan(line, "# Samples: %* of event '%w'%*", &a))
			return event_line(s, a);
		return LINE_KNOWN;
	}
	if (!*s->event)
		return LINE_UNKNOWN;
	if (scan(line, "%n%% %n%% %w %*[%w] %s", &a, &b, &c, &d, &c))
		return function_line(s, a, b, c);
	if (scan(line, "%n%% %s", &a, &b))
		return chain_line(s, a, b);
	return LINE_UNKNOWN;
}

static int by_name(const void *a, const void *b)
{
	const struct row *x = a, *y = b;
	int r = strcmp(x->name, y->name);

	return r ? r : (x->order > y->order) - (x->order < y->order);
}

static int profile_end(struct parse *p, struct err *e)
{
	struct state *s = p->state;

	if (s->n)
		qsort(s->row, s->n, sizeof(*s->row), by_name);
	for (size_t i = 0; i < s->n;) {
		const char *name = s->row[i].name;
		double sum = 0, least = text_starts(name, "calltrace.") ? 0.505 : 0.055;
		_free_ char *shown = NULL;

		for (; i < s->n && !strcmp(s->row[i].name, name); i++)
			sum += s->row[i].share;
		if (sum <= least)
			continue;
		shown = text_format("%.2f", sum);
		emit_as(p, span_of(shown), "%s", name);
	}
	return 0;
}

static void profile_release(void *state)
{
	struct state *s = state;

	for (size_t i = 0; i < s->n; i++)
		free(s->row[i].name);
	free(s->row);
}

PARSER(perf_profile) = {
	.name = "perf-profile", .state_size = sizeof(struct state), .line = profile_line,
	.end = profile_end, .release = profile_release,
	.expects = "perf report with a line '# Samples: N of event NAME'",
};
