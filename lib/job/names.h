/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a key of a job file is: a program, an option that one of the job's
 * programs declares, or neither. One look-up answers all of it, because it is
 * asked for each key of each of thousands of jobs.
 */
#pragma once

#include <stdint.h>

#include "job/arena.h"
#include "job/node.h"
#include "job/program.h"

struct name {
	const char *key;
	struct name *next;
	const struct program *program;	/* test, set-up or daemon of this name, or NULL */
	const struct program *monitor;
	unsigned declared;		/* the round in which a program declared it */
	bool named;			/* shown as name=value */
	const char *kind;		/* "count", "size"; NULL: unknown */
	bool spelled;			/* looked at for slips */
	unsigned env_job;		/* the job in whose environment it was put last */
	size_t env_at;			/* where there */
};

#define NAME_SLOTS 512

struct names {
	struct arena *a;
	struct job_roots *roots;
	unsigned round;
	struct name *slot[NAME_SLOTS];
};

struct name *name_of(struct names *x, const char *key);

/* Begins a round: declares the options of the programs that @tree names. */
_must_check_ int names_declare(struct names *x, const struct node *tree, struct err *e);

/* Whether an option is declared in this round. */
bool name_declared(const struct names *x, const struct name *n);

/* Whether a list under it is an axis. */
bool name_axis(const struct names *x, const struct name *n);
