/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A job file's text with its includes put in.
 *
 * `<<: other.yaml` stands for that file's lines, moved to its place and
 * indented as it is; it is text, not a tree, so that an include may bring
 * documents. Each line remembers where it came from.
 */
#pragma once

#include "job/node.h"
#include "job/program.h"

#define SOURCE_MAX (1U << 20)	/* bytes of one file */

struct source {
	struct text bytes;
	struct line_origin *lines;
	size_t n_lines;
};

/*
 * Files are looked for beside the one that includes them, in its tree's root
 * (the folder above jobs/), in @roots, then anywhere below their jobs/.
 * One that lies outside all of these is refused.
 */
_must_check_ int source_read(struct arena *a, const struct job_roots *roots, const char *path,
			     struct source *out, struct err *e);

/* "/x" for a file /x/jobs/..., else its folder. Caller frees. */
char *source_root(const char *path);

void source_release(struct source *s);
#define _source_ _cleanup_(source_release)
