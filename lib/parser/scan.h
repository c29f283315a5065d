/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Taking a line apart by a template that looks like the line:
 *
 *	struct span ops, secs;
 *
 *	if (scan(line, "Averaged %n operations/sec %* total secs = %n", &ops, &secs)) ...
 *
 *	%n	a number (metric/line.h's grammar, so never "1,000" or "1.000.000")
 *	%w	a word: no blanks; ends before the character that follows in the template
 *	%s	any text, as short as the rest of the template allows, maybe none
 *	%*	the same, not kept
 *	blank	any number of blanks, maybe none
 *
 * The whole line must match; blanks at its ends do not count.  Time is the
 * line's length times the template's, whatever the line holds.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <stddef.h>

#define SCAN_MAX 12

/* A piece of a line; not a C string. */
struct span {
	const char *p;
	size_t n;
};

#define SPAN(text) ((struct span){ (text), sizeof(text) - 1 })

/* One struct span * for each %n, %w and %s; written only on a match. */
bool scan(const char *line, const char *template, ...);

/* The same into an array of at least SCAN_MAX. */
bool scan_spans(const char *line, const char *template, struct span *out);

/* Splits at runs of blanks; at most @max fields, the last takes no rest. */
size_t split_blanks(const char *line, struct span *field, size_t max);

/* Splits at each @sep; fields may be empty. */
size_t split_at(const char *line, char sep, struct span *field, size_t max);

/* Takes terminal colours (ESC [ ... m) out of a line, in place. */
void line_strip_color(char *line);

/* Ends the line after @max bytes. */
void line_cut(char *line, size_t max);

struct span span_of(const char *s);
bool span_is(struct span s, const char *text);
bool span_starts(struct span s, const char *text);
bool span_ends(struct span s, const char *text);
struct span span_trim(struct span s);

/* False unless all of it is a number (decimal, finite). */
bool span_number(struct span s, double *out);

/* False unless all of it is digits and below 2^64. */
bool span_u64(struct span s, uint64_t *out);
