/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Results of test suites: each case passed, failed, was skipped.  Names are made
 * of what suites print, which is any text; the same case gets the same name.
 */
#pragma once

#include "parser/nameset.h"
#include "parser/parse.h"

/*
 * Appends @s with blanks, brackets, commas, colons, quotes and the like as one
 * '_', none at the ends, and without trailing dots.
 */
void verdict_name(struct span s, struct text *out);

/* Cases that were printed; a case counts once, the first time. */
struct verdicts {
	struct nameset seen;
};

/* Prints "NAME.RESULT: 1" unless the name has a result already. */
void verdict_put(struct parse *p, struct verdicts *v, const char *name, const char *result);
void verdicts_release(struct verdicts *v);
