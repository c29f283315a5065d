/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Trouble in a kernel log: oopses, warnings, lockups, sanitizer reports, and for
 * traces of older kernels the functions that stand for who called.
 */
#pragma once

#include "parser/errorid.h"
#include "parser/parse.h"

struct oops_error {
	char *id, *pattern, *message;
	char time[16];		/* seconds since boot as printed, "" if there were none */
};

struct oops {
	struct oops_error *error;
	size_t n;
	char last_time[16];
	struct oops_state *state;
};

#define OOPS_ERRORS_MAX 10000
#define OOPS_LINE_MAX 4000	/* what is behind is not looked at */

/* Gives it the next line of the log. */
void oops_line(struct oops *o, const char *line);

/* After the last line. */
void oops_end(struct oops *o);

/*
 * Adds what the caller recognised: @trouble is the part of @line that says what
 * it is.  The first of a name stays.
 */
void oops_add(struct oops *o, const char *trouble, const char *line);

/* True if the line is of a kind that this file knows. */
bool oops_is(struct oops *o, const char *line);

/* Notes the time of a line that is given to oops_add() alone. */
void oops_time(struct oops *o, const char *line);

/* Prints all errors, and in LKP's mode their messages, patterns and times. */
void oops_print(struct parse *p, const struct oops *o);

void oops_release(struct oops *o);
