/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <string.h>

#include "flow/explain.h"
#include "metric/dictionary.h"
#include "store/store.h"

/* A test's own description is nearer to the number than the dictionary's row. */
struct known {
	const char *unit, *better, *kind, *meaning, *role;
};

static void take(const char **to, const char *from)
{
	if (!*to && from && *from)
		*to = from;
}

static void print(const char *name, const struct known *k, struct text *out)
{
	text_printf(out, "%s\n", name);
	if (k->meaning)
		text_printf(out, "  %s\n", k->meaning);
	text_printf(out, "  unit:    %s\n", k->unit ? k->unit : "not known");
	text_printf(out, "  better:  %s\n", k->better ? k->better : "nobody has said");
	text_printf(out, "  a run's value: %s of its samples\n", k->kind ? k->kind : "mean");
	text_printf(out, "  role:    %s\n", k->role ? k->role : "watched");
}

static bool ends_in(const char *full, const char *name)
{
	size_t n = strlen(full), m = strlen(name);

	return !strcmp(full, name) || (n > m && full[n - m - 1] == '.' && text_ends(full, name));
}

static const struct store_metric_row *stored(const struct store_metrics *all, const char *name)
{
	for (size_t i = 0; i < all->n; i++)
		if (ends_in(all->row[i].name, name))
			return &all->row[i];
	return NULL;
}

static void name_near(const struct store_metrics *all, const char *name, struct text *out)
{
	unsigned int shown = 0;

	text_puts(out, "nobody has described '");
	text_put_visible(out, name, strlen(name), true);
	text_puts(out, "'\n");
	for (size_t i = 0; i < all->n && shown < 5; i++)
		if (strcasestr(all->row[i].name, name) && shown++ < 5)
			text_printf(out, "  near: %s\n", all->row[i].name);
}

int explain_metric(const struct place *place, const char *name, struct text *out, struct err *e)
{
	_store_metrics_ struct store_metrics all = {};
	const struct dictionary_entry *entry;
	const struct store_metric_row *row;
	_store_ struct store *s = NULL;
	struct known k = {};
	int r;

	if ((r = store_open(&s, place->db, e)) < 0 ||
	    (r = store_metrics(s, &(struct store_filter){ .profile = STORE_ALL_RUNS }, &all, e)) < 0)
		return r;
	row = stored(&all, name);
	if (row) {
		take(&k.unit, row->unit);
		take(&k.better, row->better);
		take(&k.kind, row->kind);
		take(&k.meaning, row->meaning);
		k.role = row->headline ? "headline: it decides" : NULL;
	}
	entry = dictionary_find(row ? row->name : name);
	if (entry) {
		take(&k.unit, entry->unit);
		take(&k.better, metric_better_word(entry->better));
		take(&k.kind, metric_fold_word(entry->fold));
		take(&k.meaning, entry->meaning);
		take(&k.role, metric_role_word(entry->role));
	}
	if (!k.unit && !k.better && !k.meaning) {
		name_near(&all, name, out);
		return EXPLAIN_UNKNOWN;
	}
	print(row ? row->name : name, &k, out);
	if (row)
		text_printf(out, "  runs:    %lld in the database\n", (long long)row->runs);
	return EXPLAIN_KNOWN;
}
