/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Inside lib/job: what the parser of expressions gives to their evaluation. */
#pragma once

#include <regex.h>

#include "job/expr.h"

enum expr_kind {
	EXPR_VALUE,	/* node */
	EXPR_NAME,	/* name */
	EXPR_MEMBER,	/* arg[0] . name, perhaps with arg[1] */
	EXPR_INDEX,	/* arg[0] [ arg[1] ] */
	EXPR_LIST,	/* args */
	EXPR_TEXT,	/* args put together: "a#{b}c" */
	EXPR_REGEX,	/* regex */
	EXPR_NOT, EXPR_MINUS,
	EXPR_AND, EXPR_OR,
	EXPR_OPERATOR,	/* name is the operator */
	EXPR_IF,	/* condition, then, else; any of the two last may be NULL */
	EXPR_CASE,	/* subject (or NULL), then pairs test, body; else with a NULL test */
	EXPR_SEQUENCE,	/* args; the last one's value */
};

struct expr {
	enum expr_kind kind;
	struct place_at at;
	const char *name;
	const struct node *node;
	const char *pattern;	/* as translated to POSIX */
	int flags;		/* of regcomp() */
	const struct expr **arg;
	size_t n;
};

/* Methods a value has; `arity` arguments. */
struct expr_method {
	const char *name;
	unsigned arity;
};

const struct expr_method *expr_method_find(const char *name);

/* A Ruby pattern as a POSIX extended one; refuses what that cannot say. */
_must_check_ int regex_translate(struct arena *a, const char *s, size_t n,
				 const struct place_at *at, const char **out, struct err *e);
