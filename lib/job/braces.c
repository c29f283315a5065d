/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <string.h>

#include "job/braces.h"
#include "job/expr.h"

static bool blank(char c)
{
	return c == ' ' || c == '\n' || c == '\r' || c == '\t';
}

/* At the beginning of a value: after "key: " or "- ", perhaps on the next line. */
static bool starts_value(const char *text, const char *at)
{
	const char *p = at;

	while (p > text && blank(p[-1]))
		p--;
	return p > text && p < at && (p[-1] == ':' || p[-1] == '-');
}

static bool in_comment(const char *text, const char *at)
{
	const char *p = at;

	for (; p > text && p[-1] != '\n'; p--)
		if (p[-1] == '#' && (p - 1 == text || blank(p[-2])))
			return true;
	return false;
}

/* What follows the expression in its line, without a comment. */
static const char *tail_end(const char *from)
{
	const char *p = from, *end;

	while (*p && *p != '\n' && !(*p == '#' && blank(p[-1])))
		p++;
	for (end = p; end > from && blank(end[-1]); end--)
		;
	return end;
}

static void quote(struct text *out, const char *from, const char *end)
{
	text_putc(out, '"');
	for (; from < end; from++) {
		if (*from == '\n')
			text_puts(out, "\\n");
		else if (*from == '"' || *from == '\\')
			text_printf(out, "\\%c", *from);
		else
			text_putc(out, *from == '\t' ? ' ' : *from);
	}
	text_putc(out, '"');
}

static int unclosed(const struct source *s, const char *text, const char *at, struct err *e)
{
	struct place_at here = { .column = 1 };
	size_t line = 0;

	for (const char *p = text; p < at; p++) {
		line += *p == '\n';
		here.column = *p == '\n' ? 1 : here.column + 1;
	}
	here.file = s->lines[line].file;
	here.line = s->lines[line].line;
	here.column -= s->lines[line].shift < here.column ? s->lines[line].shift : 0;
	return node_err(&here, e, "'{{' without '}}'");
}

int braces_quote(struct source *s, struct err *e)
{
	_text_ struct text out = {};
	const char *text = text_str(&s->bytes), *from = text, *at;

	for (const char *p = text; *p;) {
		const char *end, *stop;

		at = p++;
		if (at[0] != '{' || at[1] != '{' || !starts_value(text, at))
			continue;
		if (in_comment(text, at)) {
			p += strcspn(p, "\n");
			continue;
		}
		end = strstr(at, "}}");
		if (!end || end - at > EXPRESSION_MAX)
			return unclosed(s, text, at, e);
		stop = tail_end(end + 2);
		text_put(&out, from, (size_t)(at - from));
		quote(&out, at, stop);
		for (const char *q = at; q < stop; q++)
			if (*q == '\n')
				text_putc(&out, '\n');
		from = p = stop + strcspn(stop, "\n");
	}
	text_puts(&out, from);
	text_release(&s->bytes);
	s->bytes = (struct text){ out.p, out.len, out.room };
	out = (struct text){};
	return 0;
}
