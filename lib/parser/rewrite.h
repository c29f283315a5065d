/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Regular expressions (POSIX extended, with GNU's \b and \w) that are compiled
 * when first needed, since most inputs need few of a table.
 */
#pragma once

#include <regex.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/text.h"

#define REWRITE_GROUPS 4

struct lazy_regex {
	const char *pattern;
	regex_t re;
	bool ready;
};

/* Searches @s from byte @from on; what stands before counts for ^ and \b. */
bool lazy_match(struct lazy_regex *r, const char *s, size_t from, regmatch_t m[REWRITE_GROUPS]);
void lazy_free(struct lazy_regex *r, size_t n);

/* Replaces each match (or the first alone) by @with, where \1 to \3 are groups. */
void text_rewrite(struct text *t, struct lazy_regex *r, const char *with, bool all);
