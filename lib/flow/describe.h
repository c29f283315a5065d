/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a test said of its metrics when it ran, kept in the result folder as a
 * record, so that a copied folder explains itself:
 *
 *	about Protect and restore a mapping.
 *	metric mprotect-toggle.protect_ns	begins a metric; what follows is of it
 *	unit ns
 *	better lower
 *	headline 1
 *	meaning ...
 */
#pragma once

#include <stdbool.h>

#include "base/err.h"
#include "base/record.h"
#include "job/program.h"
#include "store/store.h"

struct description {
	struct record lines;
};

/* @d may be NULL (a script that declares nothing): the record is then empty. */
_must_check_ int description_write(const struct program_description *d, const char *test, int dir,
				   const char *name, struct err *e);

/* No such file is an empty description. Caller frees with description_free(). */
_must_check_ int description_read(struct description **out, int dir, const char *name,
				  struct err *e);
void description_free(struct description *d);
DEFINE_CLEANUP(struct description, description)
#define _description_ _cleanup_(description_freep)

/* Fills @m (borrowed from @d) and says whether the metric is described. */
bool description_metric(const struct description *d, const char *full, struct store_metric *m);
bool description_headline(const struct description *d, const char *full);
