/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <ctype.h>
#include <string.h>

#include "job/token.h"

static const char *const keywords[] = {
	"if", "unless", "then", "elsif", "else", "end", "case", "when", "and", "or", "not",
	"nil", "true", "false",
};

/* Longer ones first. */
static const char *const operators[] = {
	"==", "!=", "=~", "!~", "<=", ">=", "&&", "||",
	"<", ">", "!", "?", ":", "+", "-", "*", "/", "%", "(", ")", "[", "]", ",", ".", ";",
};

struct place_at token_place(const struct lexer *l, const char *p)
{
	struct place_at at = l->at;

	for (const char *q = l->text; q < p; q++) {
		at.line += *q == '\n';
		at.column = *q == '\n' ? 1 : at.column + 1;
	}
	return at;
}

bool token_is(const struct token *t, enum token_kind kind, const char *s)
{
	return t->kind == kind && strlen(s) == t->n && !memcmp(t->s, s, t->n);
}

static bool among(const char *const *list, size_t n, const char *s, size_t len)
{
	for (size_t i = 0; i < n; i++)
		if (strlen(list[i]) == len && !memcmp(list[i], s, len))
			return true;
	return false;
}

/* After a value `/` divides and `%` is the rest; elsewhere they begin a literal. */
static bool after_value(const struct lexer *l)
{
	switch (l->before) {
	case TOKEN_NUMBER:
	case TOKEN_NAME:
	case TOKEN_SINGLE:
	case TOKEN_DOUBLE:
	case TOKEN_WORDS:
	case TOKEN_REGEX:
		return true;
	case TOKEN_WORD:
		return among((const char *const[]){ "end", "nil", "true", "false" }, 4,
			     l->before_s, l->before_n);
	case TOKEN_OPERATOR:
		return *l->before_s == ')' || *l->before_s == ']';
	default:
		return false;
	}
}

static int unfinished(const struct lexer *l, const struct token *t, const char *what,
		      struct err *e)
{
	struct place_at at = token_place(l, t->at);

	return node_err(&at, e, "%s has no end", what);
}

/* Up to @close; a backslash keeps the next character. */
static int quoted(struct lexer *l, struct token *t, char close, const char *what, struct err *e)
{
	const char *p = l->p;

	for (; p < l->end && *p != close; p++)
		if (*p == '\\' && p + 1 < l->end)
			p++;
	if (p >= l->end)
		return unfinished(l, t, what, e);
	t->s = l->p;
	t->n = (size_t)(p - l->p);
	l->p = p + 1;
	return 0;
}

static int regex(struct lexer *l, struct token *t, struct err *e)
{
	t->kind = TOKEN_REGEX;
	l->p++;
	if (quoted(l, t, '/', "the pattern", e) < 0)
		return -e->code;
	for (; l->p < l->end && strchr("imx", *l->p); l->p++)
		t->ignore_case |= *l->p == 'i';
	return 0;
}

static int name(struct lexer *l, struct token *t)
{
	const char *p = l->p;

	while (p < l->end && (isalnum((unsigned char)*p) || *p == '_'))
		p++;
	t->s = l->p;
	t->n = (size_t)(p - l->p);
	t->kind = among(keywords, COUNT(keywords), t->s, t->n) ? TOKEN_WORD : TOKEN_NAME;
	if (l->before == TOKEN_OPERATOR && *l->before_s == '.')
		t->kind = TOKEN_NAME;	/* a key may be called `if` */
	l->p = p;
	return 0;
}

static int number(struct lexer *l, struct token *t)
{
	const char *p = l->p;
	bool dot = false;

	for (; p < l->end; p++) {
		if (*p == '.' && !dot && p + 1 < l->end && isdigit((unsigned char)p[1]))
			dot = true;
		else if (!isdigit((unsigned char)*p) && *p != '_')
			break;
	}
	t->kind = TOKEN_NUMBER;
	t->s = l->p;
	t->n = (size_t)(p - l->p);
	l->p = p;
	return 0;
}

static int operator(struct lexer *l, struct token *t, struct err *e)
{
	struct place_at at = token_place(l, l->p);

	for (size_t i = 0; i < COUNT(operators); i++) {
		size_t n = strlen(operators[i]);

		if ((size_t)(l->end - l->p) >= n && !memcmp(l->p, operators[i], n)) {
			t->kind = TOKEN_OPERATOR;
			t->s = l->p;
			t->n = n;
			l->p += n;
			return 0;
		}
	}
	return node_err(&at, e, "'%c' is not known in expressions", *l->p);
}

static int token(struct lexer *l, struct token *t, struct err *e)
{
	char c = *l->p;

	if (c == '\n') {
		t->kind = TOKEN_NEWLINE;
		t->s = l->p++;
		t->n = 1;
		return 0;
	}
	if (c == '\'' || c == '"') {
		t->kind = c == '"' ? TOKEN_DOUBLE : TOKEN_SINGLE;
		l->p++;
		return quoted(l, t, c, "the text", e);
	}
	if (c == '/' && !after_value(l))
		return regex(l, t, e);
	if (c == '%' && !after_value(l) && l->end - l->p > 2 && l->p[1] == 'w' &&
	    strchr("([", l->p[2])) {
		char close = l->p[2] == '(' ? ')' : ']';

		t->kind = TOKEN_WORDS;
		l->p += 3;
		return quoted(l, t, close, "the list", e);
	}
	if (isdigit((unsigned char)c))
		return number(l, t);
	if (isalpha((unsigned char)c) || c == '_')
		return name(l, t);
	return operator(l, t, e);
}

int token_next(struct lexer *l, struct token *t, struct err *e)
{
	const char *from = l->p;

	while (l->p < l->end && (*l->p == ' ' || *l->p == '\t' || *l->p == '\r'))
		l->p++;
	*t = (struct token){ .at = l->p, .s = l->p, .spaced = l->p > from };
	if (l->p < l->end && *l->p == '#')
		while (l->p < l->end && *l->p != '\n')
			l->p++;
	if (l->p < l->end && token(l, t, e) < 0)
		return -e->code;
	l->before = t->kind;
	l->before_s = t->s;
	l->before_n = t->n;
	return 0;
}
