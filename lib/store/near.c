/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Names that somebody may have meant: those that hold the text or lie in it
 * first, then those that few changed letters away.
 */
#include <ctype.h>
#include <string.h>

#include "base/text.h"
#include "store/store.h"

#define NEAR_MAX 100	/* letters that are looked at */
#define FAR 1000

static size_t min(size_t a, size_t b)
{
	return a < b ? a : b;
}

/* Changed, missing or added letters (Levenshtein 1965), without case. */
static size_t distance(const char *a, size_t n, const char *b, size_t m)
{
	size_t row[NEAR_MAX + 1];

	n = min(n, NEAR_MAX);
	m = min(m, NEAR_MAX);
	for (size_t j = 0; j <= m; j++)
		row[j] = j;
	for (size_t i = 1; i <= n; i++) {
		size_t diagonal = row[0];

		row[0] = i;
		for (size_t j = 1; j <= m; j++) {
			size_t above = row[j];
			bool same = tolower((unsigned char)a[i - 1]) ==
				    tolower((unsigned char)b[j - 1]);

			row[j] = min(diagonal + !same, min(above, row[j - 1]) + 1);
			diagonal = above;
		}
	}
	return row[m];
}

/* 0: the same but for case. FAR or more: no resemblance. */
static size_t strangeness(const char *text, const char *name)
{
	size_t n = strlen(text), m = strlen(name), head = strcspn(name, "/"), d;

	if (!strcasecmp(text, name))
		return 0;
	if (n && m && (strcasestr(name, text) || strcasestr(text, name)))
		return 1 + min(n > m ? n - m : m - n, FAR / 4);
	/* "vm-scalabilty" against "vm-scalability/size=1G": the head counts alone, too. */
	d = min(distance(text, n, name, m), distance(text, n, name, head));
	return d <= (min(n, NEAR_MAX) + 1) / 3 ? FAR / 2 + d : FAR;
}

struct scored {
	size_t score, index;
};

static int scored_cmp(const void *a, const void *b)
{
	const struct scored *x = a, *y = b;

	if (x->score != y->score)
		return x->score < y->score ? -1 : 1;
	return x->index < y->index ? -1 : x->index > y->index;
}

int store_near(struct store *s, enum store_what what, const char *text, size_t max,
	       struct store_names *out, struct err *e)
{
	static const struct store_filter all = { .profile = STORE_ALL_RUNS };
	_cleanup_(store_names_release) struct store_names names = {};
	_free_ struct scored *scored = NULL;
	int ret = store_names(s, what, &all, &names, e);

	if (ret < 0)
		return ret;
	scored = mem_zero(names.n, sizeof(*scored));
	for (size_t i = 0; i < names.n; i++)
		scored[i] = (struct scored){ strangeness(text, names.row[i].name), i };
	qsort(scored, names.n, sizeof(*scored), scored_cmp);
	for (size_t i = 0; i < names.n && i < max && scored[i].score < FAR; i++) {
		GROW(out->row, out->n);
		out->row[out->n] = names.row[scored[i].index];
		out->row[out->n++].name = steal(names.row[scored[i].index].name);
	}
	return 0;
}
