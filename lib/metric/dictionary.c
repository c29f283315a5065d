/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdbool.h>
#include <string.h>

#include "base/attr.h"
#include "metric/dictionary.h"

static const struct dictionary_entry rows[] = {
#include "dictionary_rows.h"
};

static bool matches(const char *pattern, const char *name)
{
	const char *star = NULL, *from = NULL;

	for (;;) {
		if (*pattern == '*') {
			star = pattern++;
			from = name;
		} else if (*pattern == *name) {
			if (!*name)
				return true;
			pattern++;
			name++;
		} else if (star && *from) {
			pattern = star + 1;
			name = ++from;
		} else {
			return false;
		}
	}
}

/* How much of the pattern is text of its own; an exact name beats all. */
static size_t weight(const char *pattern)
{
	size_t stars = 0;

	for (const char *p = pattern; *p; p++)
		stars += *p == '*';
	return strlen(pattern) - stars + (stars ? 0 : 1U << 16);
}

const struct dictionary_entry *dictionary_find(const char *name)
{
	const struct dictionary_entry *best = NULL;
	size_t most = 0;

	for (size_t i = 0; i < COUNT(rows); i++) {
		const char *p = rows[i].pattern;
		size_t w;

		if ((*p != '*' && *p != *name) || !matches(p, name))
			continue;
		w = weight(p);
		if (!best || w > most) {
			best = &rows[i];
			most = w;
		}
	}
	return best;
}

const struct dictionary_entry *dictionary_row(size_t i)
{
	return i < COUNT(rows) ? &rows[i] : NULL;
}

const char *metric_better_word(enum metric_better b)
{
	static const char *const words[] = {
		[BETTER_NONE] = "none", [BETTER_HIGHER] = "higher", [BETTER_LOWER] = "lower",
	};

	return words[b];
}

const char *metric_fold_word(enum metric_fold f)
{
	static const char *const words[] = {
		[FOLD_MEAN] = "mean", [FOLD_DELTA] = "delta", [FOLD_LAST] = "last",
		[FOLD_MAX] = "max",
	};

	return words[f];
}

const char *metric_role_word(enum metric_role r)
{
	static const char *const words[] = {
		[ROLE_WATCHED] = "watched", [ROLE_HEADLINE] = "headline",
		[ROLE_FUNCTIONAL] = "functional",
	};

	return words[r];
}
