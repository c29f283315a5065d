/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Programs by name: tests, parsers, set-ups, monitors, found in a list of
 * roots. A root has our layout (tests/NAME, stats/NAME), LKP's old one (these
 * and setup/, daemon/, monitors/) or its new one (programs/NAME/run, parse,
 * setup, daemon, monitor ...). The first root that has a name wins.
 *
 * The options a program declares are "# - name" lines at a script's head, the
 * parameters of NAME.yaml beside it, or what `NAME --describe` of a binary
 * prints. Nothing is started to find out but binaries in roots that
 * job_roots_open() was given: a job file's own tree may be anybody's.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "base/text.h"

enum program_kind {
	PROGRAM_TEST, PROGRAM_SETUP, PROGRAM_DAEMON, PROGRAM_MONITOR, PROGRAM_PARSER,
	PROGRAM_KINDS
};

/* "test", "setup", ... */
const char *program_kind_name(enum program_kind kind);

struct program {
	char *name;
	char *path;		/* the executable, absolute */
	enum program_kind kind;
	size_t root;		/* its index in the list of roots */
};

struct job_roots {
	char **path;		/* absolute, in the order of search */
	size_t n;
	size_t trusted;		/* so many of them were named by the user: binaries are asked there */
	struct program_index *index;	/* made when first asked */
};

/*
 * The roots of @list ("DIR:DIR", as KROBOT_PATH has them; NULL or "" for none),
 * then krobot's own tree, unless @own is false.
 */
_must_check_ int job_roots_open(struct job_roots *r, const char *list, bool own, struct err *e);

/* Adds one at the end, unless it is there already. */
_must_check_ int job_roots_add(struct job_roots *r, const char *path, struct err *e);
void job_roots_release(struct job_roots *r);
#define _job_roots_ _cleanup_(job_roots_release)

/*
 * 1 and *out (borrowed from @r), or 0 when there is none.
 */
_must_check_ int program_find(struct job_roots *r, enum program_kind kind, const char *name,
			      const struct program **out, struct err *e);

/*
 * @name as a job file means it: a daemon, else a test, else a set-up of that
 * name; then a monitor. 1, or 0 when there is none.
 */
_must_check_ int program_find_any(struct job_roots *r, const char *name,
				  const struct program **out, struct err *e);

struct program_parameter {
	const char *name, *help, *value;	/* value: the default; NULL: none */
	const char *kind;			/* size, time, count, number, text, list; NULL: unknown */
	bool named;				/* a job's name shows it as name=value */
};

struct program_metric {
	const char *name;	/* without the program's name in front */
	const char *unit, *better, *meaning;	/* better: higher, lower, none; any may be NULL */
	bool headline;
};

/* What a description says; lib/README.md has its form. Borrowed from the roots. */
struct program_description {
	const char *name, *about;	/* about may be NULL */
	struct program_parameter *parameter;
	size_t n_parameters;
	struct program_metric *metric;
	size_t n_metrics;
	struct {
		const char *memory;	/* a size, or the name of a parameter; NULL: none */
		const char *cpus, *nodes;	/* counts, or names of parameters; NULL: none */
		bool root;
		const char **kconfig;
		size_t n_kconfig;
	} needs;
	const char *text;	/* as printed or read, for the result folder; "" for a script's head */
};

/*
 * The description of @p, read once: for a script without NAME.yaml it has
 * parameters' names only. A binary that cannot describe itself has none.
 */
_must_check_ int program_describe(struct job_roots *r, const struct program *p,
				  const struct program_description **out, struct err *e);
