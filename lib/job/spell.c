/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <ctype.h>
#include <string.h>

#include "job/emit.h"
#include "job/index.h"
#include "job/spell.h"

#define WORD_MIN 5	/* shorter words are near too many */

bool spell_near(const char *a, const char *b)
{
	size_t n = strlen(a), m = strlen(b), skip = 0;

	if (n > m + 1 || m > n + 1)
		return false;
	while (a[skip] && a[skip] == b[skip])
		skip++;
	a += skip;
	b += skip;
	for (n -= skip, m -= skip; n && m && a[n - 1] == b[m - 1]; n--)
		m--;
	if (n == 2 && m == 2)
		return a[0] == b[1] && a[1] == b[0];
	return n + m > 0 && n <= 1 && m <= 1;
}

/* "fs1" and "fs2", "nr_dev" and "nr_dev2": numbered, not mistyped. */
static bool same_but_digits(const char *a, const char *b)
{
	for (;;) {
		while (isdigit((unsigned char)*a))
			a++;
		while (isdigit((unsigned char)*b))
			b++;
		if (*a != *b || !*a)
			return *a == *b;
		a++;
		b++;
	}
}

static const char *near(const struct names *x, const char *key)
{
	for (size_t i = 0; i < NAME_SLOTS; i++)
		for (const struct name *n = x->slot[i]; n; n = n->next)
			if (name_declared(x, n) && spell_near(key, n->key) &&
			    !same_but_digits(key, n->key))
				return n->key;
	return NULL;
}

/* Whether some program of the roots, not of this job, declares it. */
static bool known_elsewhere(struct names *x, const char *key)
{
	const struct program_index *index = x->roots->index;

	for (size_t i = 0; index && i < INDEX_SLOTS; i++) {
		for (const struct index_entry *f = index->slot[i]; f; f = f->next) {
			const struct program_description *d;
			struct err none = {};

			if (f->program.kind == PROGRAM_PARSER ||
			    program_describe(x->roots, &f->program, &d, &none) < 0)
				continue;
			for (size_t k = 0; k < d->n_parameters; k++)
				if (!strcmp(d->parameter[k].name, key))
					return true;
		}
	}
	return false;
}

static int key_check(struct names *x, const struct node_item *item, struct err *e)
{
	struct name *n = name_of(x, item->key);
	const char *meant;

	if (n->program || n->monitor || name_declared(x, n) || strlen(item->key) < WORD_MIN ||
	    item->origin & ORIGIN_DEFAULT || n->spelled)
		return 0;
	n->spelled = true;
	meant = near(x, item->key);
	if (!meant || known_elsewhere(x, item->key))
		return 0;
	return node_err(&item->at, e, "nobody knows '%s'; did you mean '%s'?", item->key, meant);
}

static int map_check(struct names *x, const struct node *map, struct err *e)
{
	for (size_t i = 0; i < map->n; i++) {
		const struct node_item *item = &map->item[i];

		if (key_check(x, item, e) < 0)
			return -e->code;
		if (item->value->kind == NODE_MAP && name_of(x, item->key)->program &&
		    map_check(x, item->value, e) < 0)
			return -e->code;
	}
	return 0;
}

int spell_check(struct names *x, const struct node *tree, struct err *e)
{
	return map_check(x, tree, e);
}
