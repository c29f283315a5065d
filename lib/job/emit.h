/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Inside lib/job: from a tree without lists under options to a struct job. */
#pragma once

#include "job/job.h"
#include "job/names.h"

/* An item that no file has: counts only where a program declares it. */
#define ORIGIN_IMPLICIT 0xffffffffU
/* An item from an include of the job's category or another default. */
#define ORIGIN_DEFAULT 0x80000000U

struct emitter {
	struct arena *a;		/* of the jobs and of the trees they come from */
	struct names *names;
	const struct job_host *host;
	const char *file;		/* in @a */
	unsigned serial;		/* of the job at hand */
	const char *base;		/* the job file's name without .yaml */
};

/*
 * @axis: the items (or others of their place) whose value was one of several.
 */
_must_check_ int job_emit(struct emitter *x, const struct node *tree,
			  const struct node_item *const *axis, size_t n_axis, struct job **out,
			  struct err *e);

/* Needs from need_* keys of @tree. */
_must_check_ int job_needs_read(struct arena *a, const struct node *tree, struct job_needs *out,
				struct err *e);
