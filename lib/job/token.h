/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Inside lib/job: the words of an expression. */
#pragma once

#include "job/node.h"

enum token_kind {
	TOKEN_END, TOKEN_NEWLINE, TOKEN_NUMBER, TOKEN_NAME, TOKEN_WORD, TOKEN_SINGLE, TOKEN_DOUBLE,
	TOKEN_REGEX, TOKEN_WORDS, TOKEN_OPERATOR,
};

struct token {
	enum token_kind kind;
	const char *s;		/* without quotes */
	size_t n;
	const char *at;		/* where it begins in the text */
	bool ignore_case;	/* of a regex */
	bool spaced;		/* blanks before it */
};

struct lexer {
	const char *text, *p, *end;
	struct place_at at;	/* of text */
	enum token_kind before;	/* of the token before, to tell a regex from a division */
	const char *before_s;
	size_t before_n;
};

_must_check_ int token_next(struct lexer *l, struct token *t, struct err *e);

/* Where @p lies in the user's file. */
struct place_at token_place(const struct lexer *l, const char *p);

bool token_is(const struct token *t, enum token_kind kind, const char *s);
