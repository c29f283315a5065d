/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Defaults that a tree of jobs keeps in include/: `category: benchmark` brings
 * include/category/benchmark, an option of a set-up include/SETUP/OPTION. They
 * add monitors and needs; what the job file says goes before them.
 */
#pragma once

#include "job/expr.h"
#include "job/names.h"

struct defaults_file {
	const char *key, *value;	/* include/KEY/VALUE, or include/KEY with KEY twice */
	const char *path;
	bool template;			/* has lines of ERB: depends on the job */
	const struct node *loaded;	/* of one that is no template */
	unsigned round;			/* in which it was taken */
	unsigned early;			/* round of the document for which it was taken */
};

struct defaults {
	struct arena *a;
	struct names *names;
	const struct job_host *host;
	struct defaults_file *file;
	size_t n;
	unsigned round, early;
};

/* Looks for include/ below each root. */
_must_check_ int defaults_open(struct defaults *d, const struct job_roots *roots, struct err *e);

/* Whether include/ has something for the option @key. */
bool defaults_has(const struct defaults *d, const char *key);

/*
 * A map of all that @tree brings, options under a list left out; NULL if it
 * brings nothing. Items carry ORIGIN_DEFAULT. @late: only what the call for the
 * whole document could not know yet.
 */
_must_check_ int defaults_of(struct defaults *d, const struct node *tree, bool late,
			     struct node **out, struct err *e);
