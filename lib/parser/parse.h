/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The frame of a parser (stats/NAME.c): raw output of one program in, metric
 * lines out.  A parser says what to do with a line and prints with emit_*();
 * reading, decompressing, folding of series, counting of unknown lines and the
 * command line are done here.
 *
 *	static int demo_line(struct parse *p, char *line, struct err *e)
 *	{
 *		struct span ops;
 *
 *		if (!scan(line, "total: %n ops/sec", &ops))
 *			return LINE_UNKNOWN;
 *		emit_as(p, ops, "ops_per_sec");
 *		return LINE_KNOWN;
 *	}
 *
 *	PARSER(demo) = { .name = "demo", .line = demo_line, .expects = "a line 'total: N'" };
 *
 * Two modes.  Our own is the default: canonical units, series folded, null for
 * what was not measured, and an error where nothing was found in a text that
 * should have had something.  With --lkp the lines are, to the byte, those of the
 * parser of that name in LKP, mistakes included, so that histories join.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/text.h"
#include "parser/group.h"
#include "parser/input.h"
#include "parser/scan.h"
#include "parser/series.h"
#include "parser/spread.h"

enum { LINE_UNKNOWN, LINE_KNOWN };

struct parse {
	const struct parser *parser;
	void *state;		/* the parser's own, zero at first */
	bool lkp;
	const char *file;	/* the file's name if one was given, else NULL */
	const char *root;	/* RESULT_ROOT, or NULL */
	uint64_t line_no;	/* of the line being parsed, from 1 */

	/* The frame's own */
	struct series *series;
	struct text out;
	struct text full;	/* scratch for names */
	int out_fd;		/* -1: all stays in @out */
	bool list_unknown;
	uint64_t n_emitted, n_lines, n_unknown, first_unknown;
	struct err failed;	/* the first error of an emit_*(), kept until the line ends */
};

struct parser {
	const char *name;	/* as the file is called; its metrics are NAME.METRIC */
	size_t state_size;

	/* One line: LINE_KNOWN, LINE_UNKNOWN or -errno. The line may be written to. */
	int (*line)(struct parse *p, char *line, struct err *e);
	/* Or the whole text at once. */
	int (*text)(struct parse *p, struct text *text, struct err *e);
	/* After the last line; may be NULL, as may be release. */
	int (*end)(struct parse *p, struct err *e);
	void (*release)(void *state);

	/* What a text of this kind must have; NULL if having nothing is fine. */
	const char *expects;
	/* A monitor: samples over time, folded in our own mode. */
	bool series;
	/* Every line should be known: unknown ones are counted in the output. */
	bool strict;
	/* A folder may be given for the file; the parser reads it. */
	bool folder;
};

/*
 * Print one sample; @fmt makes the name.  Characters that no name may have
 * become '_'.  In our own mode a monitor's samples go into its series.
 *
 *	emit_as		the number as it stands in the text, no digit lost
 *	emit_number	a count or a result: "3", "0.25"
 *	emit_float	the same, but LKP's mode has ".0" behind a whole one
 *	emit_null	not measured, and why; nothing in LKP's mode
 *	emit_time	when the samples that follow were taken, in seconds
 */
void emit_as(struct parse *p, struct span number, const char *fmt, ...) _printf_(3, 4);
void emit_number(struct parse *p, double value, const char *fmt, ...) _printf_(3, 4);
void emit_float(struct parse *p, double value, const char *fmt, ...) _printf_(3, 4);
void emit_null(struct parse *p, const char *reason, const char *fmt, ...) _printf_(3, 4);
void emit_time(struct parse *p, struct span seconds);

/* emit_as() with a name that is there already: no formatting, for long series. */
void emit_plain(struct parse *p, struct span name, struct span number);

/* A line that is no sample, for LKP's mode (comments). */
void emit_verbatim(struct parse *p, const char *fmt, ...) _printf_(2, 3);

/* The run cannot be trusted: krobot.invalid; nothing in LKP's mode. */
void emit_invalid(struct parse *p, const char *reason);

/* "%.*s" of a span */
#define SPANF(s) (int)(s).n, (s).p

/* How Ruby prints a float: shortest digits, ".0" if whole. */
void put_ruby_float(struct text *out, double v);

/*
 * Runs a parser over @in.  Everything printed is left in p->out, or written to
 * p->out_fd if that is not -1.  Set lkp, file, root and out_fd before.
 */
_must_check_ int parse_run(struct parse *p, const struct parser *parser, struct input *in,
			   struct err *e);
void parse_release(struct parse *p);
#define _parse_ _cleanup_(parse_release)

/* Defines the parser of this program. */
#define PARSER(id)								\
	extern const struct parser parser_##id;					\
	__attribute__((weak)) const struct parser *parser_this(void)		\
	{									\
		return &parser_##id;						\
	}									\
	const struct parser parser_##id

const struct parser *parser_this(void);
