/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a metric means: its unit, which way is better, how a series of samples
 * becomes one number.  The data is dictionary.tsv, whose head explains the
 * fields; it is compiled in.
 */
#pragma once

#include <stddef.h>

enum metric_better { BETTER_NONE, BETTER_HIGHER, BETTER_LOWER };

/* How the samples of one run become one number. */
enum metric_fold { FOLD_MEAN, FOLD_DELTA, FOLD_LAST, FOLD_MAX };

enum metric_role {
	ROLE_WATCHED,		/* explains, never decides */
	ROLE_HEADLINE,		/* the verdict rests on it */
	ROLE_FUNCTIONAL,	/* something went wrong or right; being there is what matters */
};

struct dictionary_entry {
	const char *pattern;	/* a full name, or with '*' for any text */
	const char *unit;	/* "1" for a plain count or ratio */
	enum metric_better better;
	enum metric_fold fold;
	enum metric_role role;
	double floor;		/* smallest difference worth showing, in the unit; 0: any */
	const char *meaning;	/* one line */
};

/* The best match for a full name ("proc-vmstat.pgfault"); NULL: undocumented. */
const struct dictionary_entry *dictionary_find(const char *name);

/* The rows in the file's order; NULL after the last. */
const struct dictionary_entry *dictionary_row(size_t i);

/* The words of the file. */
const char *metric_better_word(enum metric_better b);
const char *metric_fold_word(enum metric_fold f);
const char *metric_role_word(enum metric_role r);
