/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Expressions as a tree: one function for each level of precedence. */
#include <stdlib.h>
#include <string.h>

#include "job/syntax.h"
#include "job/token.h"

#define EXPR_DEPTH_MAX 60

struct parser {
	struct arena *a;
	struct lexer lexer;
	struct token t;		/* the one at hand */
	unsigned depth;
};

static int sequence(struct parser *p, const struct expr **out, struct err *e);
static int expression(struct parser *p, const struct expr **out, struct err *e);
static int text_parse(struct arena *a, const char *text, size_t n, const struct place_at *at,
		      unsigned depth, const struct expr **out, struct err *e);

static int advance(struct parser *p, struct err *e)
{
	return token_next(&p->lexer, &p->t, e);
}

static int newlines_skip(struct parser *p, struct err *e)
{
	while (p->t.kind == TOKEN_NEWLINE)
		if (advance(p, e) < 0)
			return -e->code;
	return 0;
}

static struct place_at here(const struct parser *p)
{
	return token_place(&p->lexer, p->t.at);
}

static bool word(const struct parser *p, const char *s)
{
	return token_is(&p->t, TOKEN_WORD, s);
}

static bool sign(const struct parser *p, const char *s)
{
	return token_is(&p->t, TOKEN_OPERATOR, s);
}

static int unexpected(struct parser *p, const char *wanted, struct err *e)
{
	struct place_at at = here(p);

	if (p->t.kind == TOKEN_END)
		return node_err(&at, e, "the expression ends where %s is expected", wanted);
	return node_err(&at, e, "'%.*s' where %s is expected",
			p->t.n > 40 ? 40 : (int)p->t.n, p->t.s, wanted);
}

static int expect(struct parser *p, enum token_kind kind, const char *s, struct err *e)
{
	_text_ struct text quoted = {};

	if (token_is(&p->t, kind, s))
		return advance(p, e);
	text_printf(&quoted, "'%s'", s);
	return unexpected(p, text_str(&quoted), e);
}

static struct expr *make(struct parser *p, enum expr_kind kind)
{
	struct expr *x = arena_get(p->a, sizeof(*x));

	x->kind = kind;
	x->at = here(p);
	return x;
}

static void arg_add(struct parser *p, struct expr *x, const struct expr *arg)
{
	ARENA_GROW(p->a, x->arg, x->n);
	x->arg[x->n++] = arg;
}

static const struct expr *literal(struct parser *p, enum node_kind kind, const char *s, size_t n)
{
	struct expr *x = make(p, EXPR_VALUE);
	struct node *v = node_make(p->a, kind, &x->at);

	v->text = kind == NODE_NULL ? NULL : arena_text_n(p->a, s, n);
	x->node = v;
	return x;
}

static int number(struct parser *p, const struct expr **out, struct err *e)
{
	_free_ char *s = text_format("%.*s", (int)p->t.n, p->t.s);
	_text_ struct text t = {};
	enum node_kind kind = scalar_kind(s, &t);

	if (kind != NODE_INT && kind != NODE_FLOAT)
		return unexpected(p, "a number", e);
	*out = literal(p, kind, text_str(&t), t.len);
	return advance(p, e);
}

static const struct expr *piece(struct parser *p, const char *s, size_t n, bool escapes)
{
	_text_ struct text t = {};

	for (size_t i = 0; i < n; i++) {
		if (s[i] != '\\' || i + 1 >= n) {
			text_putc(&t, s[i]);
			continue;
		}
		i++;
		if (escapes && s[i] == 'n')
			text_putc(&t, '\n');
		else if (escapes && s[i] == 't')
			text_putc(&t, '\t');
		else if (escapes || s[i] == '\'' || s[i] == '\\')
			text_putc(&t, s[i]);
		else
			text_put(&t, s + i - 1, 2);
	}
	return literal(p, NODE_TEXT, text_str(&t), t.len);
}

/* "a#{b}c": the pieces in their order. */
static int interpolated(struct parser *p, const struct expr **out, struct err *e)
{
	struct expr *x = make(p, EXPR_TEXT);
	const char *s = p->t.s, *end = s + p->t.n;

	while (s < end) {
		const char *open = memmem(s, (size_t)(end - s), "#{", 2), *close;
		const struct expr *inner;
		struct place_at at;

		arg_add(p, x, piece(p, s, (size_t)((open ? open : end) - s), true));
		if (!open)
			break;
		close = memchr(open, '}', (size_t)(end - open));
		if (!close)
			return unexpected(p, "'}' after '#{'", e);
		at = token_place(&p->lexer, open + 2);
		if (text_parse(p->a, open + 2, (size_t)(close - open - 2), &at, p->depth + 1,
			       &inner, e) < 0)
			return -e->code;
		arg_add(p, x, inner);
		s = close + 1;
	}
	*out = x;
	return advance(p, e);
}

static int words(struct parser *p, const struct expr **out, struct err *e)
{
	struct expr *x = make(p, EXPR_LIST);
	const char *s = p->t.s, *end = s + p->t.n;

	while (s < end) {
		size_t n = 0;

		while (s < end && (*s == ' ' || *s == '\n'))
			s++;
		while (s + n < end && s[n] != ' ' && s[n] != '\n')
			n++;
		if (n)
			arg_add(p, x, literal(p, NODE_TEXT, s, n));
		s += n;
	}
	*out = x;
	return advance(p, e);
}

static int pattern(struct parser *p, const struct expr **out, struct err *e)
{
	struct expr *x = make(p, EXPR_REGEX);

	if (regex_translate(p->a, p->t.s, p->t.n, &x->at, &x->pattern, e) < 0)
		return -e->code;
	x->flags = REG_EXTENDED | REG_NOSUB | REG_NEWLINE | (p->t.ignore_case ? REG_ICASE : 0);
	*out = x;
	return advance(p, e);
}

static int list(struct parser *p, const char *close, struct expr *x, struct err *e)
{
	if (newlines_skip(p, e) < 0)
		return -e->code;
	while (!sign(p, close)) {
		const struct expr *arg;

		if (expression(p, &arg, e) < 0 || newlines_skip(p, e) < 0)
			return -e->code;
		arg_add(p, x, arg);
		if (!sign(p, ","))
			break;
		if (advance(p, e) < 0 || newlines_skip(p, e) < 0)
			return -e->code;
	}
	return expect(p, TOKEN_OPERATOR, close, e);
}

static int then_skip(struct parser *p, struct err *e)
{
	if (sign(p, ";") && advance(p, e) < 0)
		return -e->code;
	if (newlines_skip(p, e) < 0)
		return -e->code;
	return word(p, "then") ? advance(p, e) : 0;
}

/* From the condition on; `if`, `unless` or `elsif` is behind us. */
static int branches(struct parser *p, bool negate, const struct expr **out, struct err *e)
{
	struct expr *x = make(p, EXPR_IF);
	const struct expr *condition, *yes, *no = NULL;

	if (expression(p, &condition, e) < 0 || then_skip(p, e) < 0 || sequence(p, &yes, e) < 0)
		return -e->code;
	if (word(p, "elsif")) {
		if (advance(p, e) < 0 || branches(p, false, &no, e) < 0)
			return -e->code;
	} else {
		if (word(p, "else") && (advance(p, e) < 0 || sequence(p, &no, e) < 0))
			return -e->code;
		if (expect(p, TOKEN_WORD, "end", e) < 0)
			return -e->code;
	}
	arg_add(p, x, condition);
	arg_add(p, x, negate ? no : yes);
	arg_add(p, x, negate ? yes : no);
	*out = x;
	return 0;
}

/* One `when A, B then body`: each test with the body. */
static int case_when(struct parser *p, struct expr *x, struct err *e)
{
	const struct expr *test[32], *body;
	size_t n = 0;

	do {
		if (advance(p, e) < 0 || newlines_skip(p, e) < 0)
			return -e->code;
		if (n == COUNT(test))
			return unexpected(p, "'then'", e);
		if (expression(p, &test[n++], e) < 0)
			return -e->code;
	} while (sign(p, ","));
	if (then_skip(p, e) < 0 || sequence(p, &body, e) < 0)
		return -e->code;
	for (size_t i = 0; i < n; i++) {
		arg_add(p, x, test[i]);
		arg_add(p, x, body);
	}
	return 0;
}

static int case_of(struct parser *p, const struct expr **out, struct err *e)
{
	struct expr *x = make(p, EXPR_CASE);
	const struct expr *subject = NULL, *body;

	if (advance(p, e) < 0)
		return -e->code;
	if (p->t.kind != TOKEN_NEWLINE && expression(p, &subject, e) < 0)
		return -e->code;
	arg_add(p, x, subject);
	if (sign(p, ";") && advance(p, e) < 0)
		return -e->code;
	if (newlines_skip(p, e) < 0)
		return -e->code;
	if (!word(p, "when"))
		return unexpected(p, "'when'", e);
	while (word(p, "when"))
		if (case_when(p, x, e) < 0)
			return -e->code;
	if (word(p, "else")) {
		if (advance(p, e) < 0 || sequence(p, &body, e) < 0)
			return -e->code;
		arg_add(p, x, NULL);
		arg_add(p, x, body);
	}
	*out = x;
	return expect(p, TOKEN_WORD, "end", e);
}

static int keyword(struct parser *p, const struct expr **out, struct err *e)
{
	bool yes = word(p, "true");

	if (word(p, "nil") || yes || word(p, "false")) {
		*out = literal(p, word(p, "nil") ? NODE_NULL : NODE_BOOL, yes ? "true" : "false",
			       yes ? 4 : 5);
		return advance(p, e);
	}
	if (word(p, "case"))
		return case_of(p, out, e);
	if (word(p, "if") || word(p, "unless")) {
		bool negate = word(p, "unless");

		return advance(p, e) < 0 ? -e->code : branches(p, negate, out, e);
	}
	return unexpected(p, "a value", e);
}

static int named(struct parser *p, const struct expr **out, struct err *e)
{
	struct expr *x = make(p, EXPR_NAME);

	x->name = arena_text_n(p->a, p->t.s, p->t.n);
	*out = x;
	return advance(p, e);
}

static int bracketed(struct parser *p, const struct expr **out, struct err *e)
{
	struct expr *x;

	if (sign(p, "[")) {
		x = make(p, EXPR_LIST);
		*out = x;
		return advance(p, e) < 0 ? -e->code : list(p, "]", x, e);
	}
	if (!sign(p, "("))
		return unexpected(p, "a value", e);
	if (advance(p, e) < 0 || sequence(p, out, e) < 0)
		return -e->code;
	return expect(p, TOKEN_OPERATOR, ")", e);
}

static int primary(struct parser *p, const struct expr **out, struct err *e)
{
	switch (p->t.kind) {
	case TOKEN_NUMBER:
		return number(p, out, e);
	case TOKEN_SINGLE:
		*out = piece(p, p->t.s, p->t.n, false);
		return advance(p, e);
	case TOKEN_DOUBLE:
		return interpolated(p, out, e);
	case TOKEN_REGEX:
		return pattern(p, out, e);
	case TOKEN_WORDS:
		return words(p, out, e);
	case TOKEN_WORD:
		return keyword(p, out, e);
	case TOKEN_NAME:
		return named(p, out, e);
	default:
		return bracketed(p, out, e);
	}
}

/* After the dot: a key of a map, or a method, perhaps with `?` and an argument. */
static int member(struct parser *p, const struct expr *of, const struct expr **out,
		  struct err *e)
{
	struct expr *x = make(p, EXPR_MEMBER), args = {};
	const struct expr_method *m;
	const char *asking;

	if (p->t.kind != TOKEN_NAME)
		return unexpected(p, "a name", e);
	x->name = arena_text_n(p->a, p->t.s, p->t.n);
	asking = arena_format(p->a, "%s?", x->name);
	if (advance(p, e) < 0)
		return -e->code;
	arg_add(p, x, of);
	if (sign(p, "?") && !p->t.spaced && expr_method_find(asking)) {
		x->name = asking;
		if (advance(p, e) < 0)
			return -e->code;
	}
	m = expr_method_find(x->name);
	if (m && sign(p, "(") && !p->t.spaced) {
		if (advance(p, e) < 0 || list(p, ")", &args, e) < 0)
			return -e->code;
	} else if (m && m->arity) {
		const struct expr *arg;

		if (expression(p, &arg, e) < 0)
			return -e->code;
		arg_add(p, &args, arg);
	}
	if (m && args.n != m->arity)
		return node_err(&x->at, e, "'%s' takes %u arguments", x->name, m->arity);
	for (size_t i = 0; i < args.n; i++)
		arg_add(p, x, args.arg[i]);
	*out = x;
	return 0;
}

static int postfix(struct parser *p, const struct expr **out, struct err *e)
{
	if (primary(p, out, e) < 0)
		return -e->code;
	for (;;) {
		struct expr *x;
		const struct expr *index;

		if (sign(p, ".")) {
			if (advance(p, e) < 0 || member(p, *out, out, e) < 0)
				return -e->code;
		} else if (sign(p, "[") && !p->t.spaced) {
			x = make(p, EXPR_INDEX);
			if (advance(p, e) < 0 || expression(p, &index, e) < 0 ||
			    expect(p, TOKEN_OPERATOR, "]", e) < 0)
				return -e->code;
			arg_add(p, x, *out);
			arg_add(p, x, index);
			*out = x;
		} else {
			return 0;
		}
	}
}

static int unary(struct parser *p, const struct expr **out, struct err *e)
{
	bool minus = sign(p, "-");
	const struct expr *of;
	struct expr *x;
	int r;

	if (!minus && !sign(p, "!"))
		return postfix(p, out, e);
	x = make(p, minus ? EXPR_MINUS : EXPR_NOT);
	if (++p->depth > EXPR_DEPTH_MAX)
		return unexpected(p, "an expression that is nested less deep", e);
	r = advance(p, e) < 0 ? -e->code : unary(p, &of, e);
	p->depth--;
	if (r < 0)
		return r;
	arg_add(p, x, of);
	*out = x;
	return 0;
}

/* Binary operators, the tightest last; each level is from left to right. */
static const struct {
	enum token_kind kind;
	enum expr_kind makes;
	const char *sign[4];
} levels[] = {
	{ TOKEN_OPERATOR, EXPR_OR, { "||" } },
	{ TOKEN_OPERATOR, EXPR_AND, { "&&" } },
	{ TOKEN_OPERATOR, EXPR_OPERATOR, { "==", "!=", "=~", "!~" } },
	{ TOKEN_OPERATOR, EXPR_OPERATOR, { "<", "<=", ">", ">=" } },
	{ TOKEN_OPERATOR, EXPR_OPERATOR, { "+", "-" } },
	{ TOKEN_OPERATOR, EXPR_OPERATOR, { "*", "/", "%" } },
};

static const char *level_sign(const struct parser *p, size_t level)
{
	for (size_t i = 0; i < COUNT(levels[level].sign) && levels[level].sign[i]; i++)
		if (token_is(&p->t, levels[level].kind, levels[level].sign[i]))
			return levels[level].sign[i];
	return NULL;
}

static int binary(struct parser *p, size_t level, const struct expr **out, struct err *e)
{
	const char *s;

	if (level == COUNT(levels))
		return unary(p, out, e);
	if (binary(p, level + 1, out, e) < 0)
		return -e->code;
	while ((s = level_sign(p, level))) {
		struct expr *x = make(p, levels[level].makes);
		const struct expr *right;

		x->name = s;
		if (advance(p, e) < 0 || newlines_skip(p, e) < 0 ||
		    binary(p, level + 1, &right, e) < 0)
			return -e->code;
		arg_add(p, x, *out);
		arg_add(p, x, right);
		*out = x;
	}
	return 0;
}

static int ternary(struct parser *p, const struct expr **out, struct err *e)
{
	const struct expr *yes, *no;
	struct expr *x;

	if (binary(p, 0, out, e) < 0)
		return -e->code;
	if (!sign(p, "?"))
		return 0;
	x = make(p, EXPR_IF);
	if (advance(p, e) < 0 || newlines_skip(p, e) < 0 || expression(p, &yes, e) < 0 ||
	    newlines_skip(p, e) < 0 || expect(p, TOKEN_OPERATOR, ":", e) < 0 ||
	    newlines_skip(p, e) < 0 || expression(p, &no, e) < 0)
		return -e->code;
	arg_add(p, x, *out);
	arg_add(p, x, yes);
	arg_add(p, x, no);
	*out = x;
	return 0;
}

static int negated(struct parser *p, const struct expr **out, struct err *e)
{
	const struct expr *of;
	struct expr *x;

	if (!word(p, "not"))
		return ternary(p, out, e);
	x = make(p, EXPR_NOT);
	if (advance(p, e) < 0 || expression(p, &of, e) < 0)
		return -e->code;
	arg_add(p, x, of);
	*out = x;
	return 0;
}

static int expression(struct parser *p, const struct expr **out, struct err *e)
{
	if (++p->depth > EXPR_DEPTH_MAX)
		return unexpected(p, "an expression that is nested less deep", e);
	if (negated(p, out, e) < 0)
		return -e->code;
	while (word(p, "and") || word(p, "or")) {
		struct expr *x = make(p, word(p, "and") ? EXPR_AND : EXPR_OR);
		const struct expr *right;

		if (advance(p, e) < 0 || newlines_skip(p, e) < 0 || negated(p, &right, e) < 0)
			return -e->code;
		arg_add(p, x, *out);
		arg_add(p, x, right);
		*out = x;
	}
	p->depth--;
	return 0;
}

/* `value if condition`. */
static int statement(struct parser *p, const struct expr **out, struct err *e)
{
	if (expression(p, out, e) < 0)
		return -e->code;
	while (word(p, "if") || word(p, "unless")) {
		bool negate = word(p, "unless");
		struct expr *x = make(p, EXPR_IF);
		const struct expr *condition;

		if (advance(p, e) < 0 || expression(p, &condition, e) < 0)
			return -e->code;
		arg_add(p, x, condition);
		arg_add(p, x, negate ? NULL : *out);
		arg_add(p, x, negate ? *out : NULL);
		*out = x;
	}
	return 0;
}

static bool closes(const struct parser *p)
{
	return p->t.kind == TOKEN_END || word(p, "end") || word(p, "else") || word(p, "elsif") ||
	       word(p, "when") || sign(p, ")");
}

static int sequence(struct parser *p, const struct expr **out, struct err *e)
{
	struct expr *x = make(p, EXPR_SEQUENCE);

	for (;;) {
		const struct expr *one;

		while (p->t.kind == TOKEN_NEWLINE || sign(p, ";"))
			if (advance(p, e) < 0)
				return -e->code;
		if (closes(p))
			break;
		if (statement(p, &one, e) < 0)
			return -e->code;
		arg_add(p, x, one);
		if (p->t.kind != TOKEN_NEWLINE && !sign(p, ";") && !closes(p))
			return unexpected(p, "the end of the line", e);
	}
	*out = x;
	return 0;
}

static int text_parse(struct arena *a, const char *text, size_t n, const struct place_at *at,
		      unsigned depth, const struct expr **out, struct err *e)
{
	struct parser p = {
		.a = a, .depth = depth,
		.lexer = { text, text, text + n, *at, TOKEN_NEWLINE },
	};

	if (depth > EXPR_DEPTH_MAX)
		return node_err(at, e, "nested too deep");
	if (advance(&p, e) < 0 || sequence(&p, out, e) < 0)
		return -e->code;
	return p.t.kind == TOKEN_END ? 0 : unexpected(&p, "the end", e);
}

int expr_parse(struct arena *a, const char *text, size_t n, const struct place_at *at,
	       const struct expr **out, struct err *e)
{
	if (n > EXPRESSION_MAX)
		return node_err(at, e, "an expression of more than %d characters", EXPRESSION_MAX);
	return text_parse(a, text, n, at, 0, out, e);
}
