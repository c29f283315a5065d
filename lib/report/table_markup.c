/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <string.h>

#include "report/table_markup.h"

void markup_put(struct text *out, const char *s)
{
	_text_ struct text t = {};

	text_put_visible(&t, s, strlen(s), true);
	for (s = text_str(&t); *s; s++) {
		switch (*s) {
		case '&':
			text_puts(out, "&amp;");
			break;
		case '<':
			text_puts(out, "&lt;");
			break;
		case '>':
			text_puts(out, "&gt;");
			break;
		case '"':
			text_puts(out, "&quot;");
			break;
		case '\'':
			text_puts(out, "&#39;");
			break;
		default:
			text_putc(out, *s);
		}
	}
}

void markdown_put(struct text *out, const char *s)
{
	_text_ struct text t = {};

	text_put_visible(&t, s, strlen(s), true);
	for (s = text_str(&t); *s; s++) {
		if (strchr("\\`*_{}[]<>#|~!", *s))
			text_putc(out, '\\');
		text_putc(out, *s);
	}
}

/* A spreadsheet takes a field that begins like a formula for one: a quote prevents it. */
void csv_put(struct text *out, const char *s)
{
	_text_ struct text t = {};

	if (*s && strchr("=+@", *s))
		text_putc(&t, '\'');
	text_put_visible(&t, s, strlen(s), true);
	if (!strpbrk(text_str(&t), ",\"\n")) {
		text_puts(out, text_str(&t));
		return;
	}
	text_putc(out, '"');
	for (s = text_str(&t); *s; s++) {
		if (*s == '"')
			text_putc(out, '"');
		text_putc(out, *s);
	}
	text_putc(out, '"');
}
