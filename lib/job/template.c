/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <string.h>

#include "job/template.h"

#define NEST_MAX 16

struct branch {
	bool taken;	/* one of its branches was */
	bool on;	/* this one is */
};

struct filler {
	struct arena *a;
	const struct expr_scope *scope;
	struct text *out;
	struct place_at at;
	struct branch nest[NEST_MAX];
	unsigned depth;
};

bool template_is(const char *text)
{
	return *text == '%' || strstr(text, "\n%") || strstr(text, "<%");
}

static bool on(const struct filler *f)
{
	for (unsigned i = 0; i < f->depth; i++)
		if (!f->nest[i].on)
			return false;
	return true;
}

static int ask(struct filler *f, const char *s, size_t n, const struct node **out,
	       struct err *e)
{
	const struct expr *x;

	if (expr_parse(f->a, s, n, &f->at, &x, e) < 0)
		return -e->code;
	return expr_eval(f->a, x, f->scope, out, e);
}

/* The word at the start of @s, and what follows it. */
static bool word(const char *s, size_t n, const char *w, const char **rest)
{
	size_t len = strlen(w);

	*rest = s + len;
	return n >= len && !memcmp(s, w, len) && (n == len || s[len] == ' ');
}

static int open_branch(struct filler *f, bool yes, struct err *e)
{
	if (f->depth == NEST_MAX)
		return node_err(&f->at, e, "'%%' nested deeper than %d", NEST_MAX);
	f->nest[f->depth++] = (struct branch){ yes, yes };
	return 0;
}

static int command(struct filler *f, const char *s, size_t n, struct err *e)
{
	const struct node *v = NULL;
	struct branch *b = f->depth ? &f->nest[f->depth - 1] : NULL;
	const char *end = s + n, *rest;
	bool negate = word(s, n, "unless", &rest);

	if (negate || word(s, n, "if", &rest)) {
		if (ask(f, rest, (size_t)(end - rest), &v, e) < 0)
			return -e->code;
		return open_branch(f, expr_true(v) != negate, e);
	}
	if (b && word(s, n, "elsif", &rest)) {
		if (ask(f, rest, (size_t)(end - rest), &v, e) < 0)
			return -e->code;
		b->on = !b->taken && expr_true(v);
		b->taken |= b->on;
		return 0;
	}
	if (b && word(s, n, "else", &rest)) {
		b->on = !b->taken;
		b->taken = true;
		return 0;
	}
	if (b && word(s, n, "end", &rest)) {
		f->depth--;
		return 0;
	}
	return node_err(&f->at, e, "'%% %.*s' is not known in includes", n > 60 ? 60 : (int)n, s);
}

/* One line of text; `<%= %>` may go over several. Returns how much was used. */
static int line(struct filler *f, const char *s, size_t *used, struct err *e)
{
	size_t n = strcspn(s, "\n");
	const char *open = memmem(s, n, "<%", 2), *close;
	const struct node *v;

	if (!open) {
		if (on(f))
			text_put(f->out, s, n);
		*used = n;
		return 0;
	}
	close = strstr(open, "%>");
	if (open[2] != '=' || !close)
		return node_err(&f->at, e, close ? "only '<%%= %%>' is known in includes" :
						   "'<%%' without '%%>'");
	if (ask(f, open + 3, (size_t)(close - open - 3), &v, e) < 0)
		return -e->code;
	if (on(f)) {
		text_put(f->out, s, (size_t)(open - s));
		expr_print(v, f->out);
	}
	for (const char *p = open; p < close; p++) {
		f->at.line += *p == '\n';
		if (*p == '\n')
			text_putc(f->out, '\n');
	}
	*used = (size_t)(close + 2 - s);
	return 0;
}

int template_fill(struct arena *a, const char *text, const char *file,
		  const struct expr_scope *scope, struct text *out, struct err *e)
{
	struct filler f = { a, scope, out, { file, 1, 1 } };

	for (const char *s = text; *s;) {
		size_t n = strcspn(s, "\n"), used = n;

		if (*s == '%' && n > 1) {
			size_t skip = 1 + strspn(s + 1, " ");

			if (command(&f, s + skip, n - skip, e) < 0)
				return -e->code;
		} else if (line(&f, s, &used, e) < 0) {
			return -e->code;
		}
		s += used;
		if (*s == '\n') {
			text_putc(out, '\n');
			f.at.line++;
			s++;
		}
	}
	if (f.depth)
		return node_err(&f.at, e, "'%% if' without '%% end'");
	return 0;
}
