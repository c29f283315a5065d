/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <string.h>

#include "base/log.h"
#include "parser/json.h"

static size_t lines_before(const struct text *t, size_t at)
{
	size_t n = 1;

	for (size_t i = 0; i < at && i < t->len; i++)
		n += t->p[i] == '\n';
	return n;
}

/* To the next line that begins with a brace; the lines passed are unknown. */
static void skip_noise(struct parse *p, const struct text *t, size_t *at)
{
	while (*at < t->len) {
		const char *line = t->p + *at, *nl = memchr(line, '\n', t->len - *at);
		size_t n = nl ? (size_t)(nl - line) : t->len - *at, blanks = 0;

		while (blanks < n && strchr(" \t\r", line[blanks]) && line[blanks])
			blanks++;
		if (blanks < n && line[blanks] == '{') {
			*at += blanks;
			return;
		}
		if (blanks < n) {
			if (!p->n_unknown++)
				p->first_unknown = lines_before(t, *at);
		}
		*at += n + (nl != NULL);
	}
}

int json_next(struct parse *p, const struct text *t, size_t *at, json_t **out, struct err *e)
{
	json_error_t why;
	size_t n;

	skip_noise(p, t, at);
	if (*at >= t->len)
		return 0;
	for (n = t->len - *at; strchr(" \t\r\n", t->p[*at + n - 1]); n--)
		;
	p->line_no = lines_before(t, *at);
	*out = json_loadb(t->p + *at, n, JSON_DISABLE_EOF_CHECK | JSON_REJECT_DUPLICATES,
			  &why);
	if (!*out && json_error_code(&why) == json_error_duplicate_key) {
		if (p->out_fd >= 0)
			log_line("%s: line %llu: %s; the last one counts", p->parser->name,
				 (unsigned long long)p->line_no + (unsigned int)why.line - 1,
				 why.text);
		*out = json_loadb(t->p + *at, n, JSON_DISABLE_EOF_CHECK, &why);
	}
	if (!*out) {
		_text_ struct text shown = {};

		text_put_visible(&shown, why.text, strlen(why.text), true);
		return err_set(e, EBADMSG, "line %llu: JSON that begins in line %llu: %s",
			       (unsigned long long)p->line_no + (unsigned int)why.line - 1,
			       (unsigned long long)p->line_no, text_str(&shown));
	}
	*at += (size_t)why.position;
	return 1;
}

void emit_json(struct parse *p, const json_t *v, const char *fmt, ...)
{
	_text_ struct text name = {};
	va_list ap;

	if (!json_is_number(v))
		return;
	va_start(ap, fmt);
	text_vprintf(&name, fmt, ap);
	va_end(ap);
	if (json_is_integer(v)) {
		_free_ char *n = text_format("%" JSON_INTEGER_FORMAT, json_integer_value(v));

		emit_as(p, span_of(n), "%s", text_str(&name));
	} else {
		emit_float(p, json_real_value(v), "%s", text_str(&name));
	}
}

json_t *json_path(const json_t *j, ...)
{
	json_t *v = (json_t *)j;
	const char *key;
	va_list ap;

	va_start(ap, j);
	while (v && (key = va_arg(ap, const char *)))
		v = json_object_get(v, key);
	va_end(ap);
	return v;
}
