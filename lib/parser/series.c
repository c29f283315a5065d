/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "metric/dictionary.h"
#include "metric/line.h"
#include "parser/series.h"

struct row {
	char *name;
	size_t name_len;
	uint32_t hash;
	enum metric_fold fold;
	uint64_t n;
	bool whole, back;		/* all samples below 2^64; one was below the one before */
	uint64_t first_whole, last_whole;
	double first, last, sum, most;
};

struct series {
	const char *prefix;
	struct row *row;
	size_t n_rows;
	uint32_t *slot;			/* row + 1; 0 is free */
	size_t n_slots;			/* a power of two, more than twice n_rows */
	size_t next;			/* where the next name is expected */
};

struct series *series_new(const char *prefix)
{
	struct series *s = mem_zero(1, sizeof(*s));

	s->prefix = prefix;
	return s;
}

void series_free(struct series *s)
{
	if (!s)
		return;
	for (size_t i = 0; i < s->n_rows; i++)
		free(s->row[i].name);
	free(s->row);
	free(s->slot);
	free(s);
}

/* FNV-1a (Fowler, Noll, Vo). */
static uint32_t hash_of(struct span name)
{
	uint32_t h = 2166136261u;

	for (size_t i = 0; i < name.n; i++)
		h = (h ^ (unsigned char)name.p[i]) * 16777619u;
	return h;
}

static bool is_row(const struct row *r, struct span name)
{
	return r->name_len == name.n && !memcmp(r->name, name.p, name.n);
}

static void slots_grow(struct series *s)
{
	free(s->slot);
	s->n_slots = s->n_slots ? 2 * s->n_slots : 256;
	s->slot = mem_zero(s->n_slots, sizeof(*s->slot));
	for (size_t i = 0; i < s->n_rows; i++) {
		size_t at = s->row[i].hash & (s->n_slots - 1);

		while (s->slot[at])
			at = (at + 1) & (s->n_slots - 1);
		s->slot[at] = (uint32_t)i + 1;
	}
}

static void row_add(struct series *s, struct span name, uint32_t hash)
{
	_free_ char *full = text_format("%s.%.*s", s->prefix, (int)name.n, name.p);
	const struct dictionary_entry *d = dictionary_find(full);
	struct row *r;

	GROW(s->row, s->n_rows);
	r = &s->row[s->n_rows++];
	*r = (struct row){ .name_len = name.n, .hash = hash, .whole = true,
			   .fold = d ? d->fold : FOLD_MEAN };
	r->name = mem_zero(name.n + 1, 1);
	memcpy(r->name, name.p, name.n);
}

static struct row *row_find(struct series *s, struct span name, struct err *e)
{
	uint32_t hash;
	size_t at;

	if (s->next < s->n_rows && is_row(&s->row[s->next], name))
		return &s->row[s->next++];
	hash = hash_of(name);
	if (2 * (s->n_rows + 1) > s->n_slots)
		slots_grow(s);
	for (at = hash & (s->n_slots - 1); s->slot[at]; at = (at + 1) & (s->n_slots - 1)) {
		struct row *r = &s->row[s->slot[at] - 1];

		if (r->hash == hash && is_row(r, name)) {
			s->next = s->slot[at];
			return r;
		}
	}
	if (s->n_rows == SERIES_NAMES_MAX) {
		err_set(e, E2BIG, "more than %u different names", SERIES_NAMES_MAX);
		return NULL;
	}
	if (!metric_name_ok(name.p, name.n)) {
		err_set(e, EINVAL, "a name that is too long or not printable");
		return NULL;
	}
	row_add(s, name, hash);
	s->slot[at] = (uint32_t)s->n_rows;
	s->next = s->n_rows;
	return &s->row[s->n_rows - 1];
}

static void row_sample(struct row *r, double v, bool whole, uint64_t w)
{
	if (!r->n) {
		r->first = r->most = v;
		r->first_whole = w;
	} else if (v < r->last || (r->whole && whole && w < r->last_whole)) {
		r->back = true;
	}
	r->whole = r->whole && whole;
	r->last = v;
	r->last_whole = w;
	r->sum += v;
	r->most = v > r->most ? v : r->most;
	r->n++;
}

int series_add(struct series *s, struct span name, struct span number, struct err *e)
{
	struct row *r = row_find(s, name, e);
	uint64_t w = 0;
	bool whole;
	double v;

	if (!r)
		return -e->code;
	whole = span_u64(number, &w);
	v = (double)w;
	if (!whole && !span_number(number, &v))
		return err_set(e, EINVAL, "'%.*s' is no number",
			       (int)(number.n < 40 ? number.n : 40), number.p);
	row_sample(r, v, whole, w);
	return 0;
}

int series_add_value(struct series *s, struct span name, double value, struct err *e)
{
	struct row *r = row_find(s, name, e);

	if (!r)
		return -e->code;
	row_sample(r, value, false, 0);
	return 0;
}

static void row_print(const struct row *r, struct text *out)
{
	switch (r->fold) {
	case FOLD_DELTA:
		if (r->n < 2)
			metric_put_null(out, r->name, "a counter seen once has no growth");
		else if (r->back)
			metric_put_null(out, r->name, "the counter went back");
		else if (r->whole)
			text_printf(out, "%s: %llu\n", r->name,
				    (unsigned long long)(r->last_whole - r->first_whole));
		else
			metric_put_sample(out, r->name, r->last - r->first);
		break;
	case FOLD_LAST:
		metric_put_sample(out, r->name, r->last);
		break;
	case FOLD_MAX:
		metric_put_sample(out, r->name, r->most);
		break;
	case FOLD_MEAN:
		metric_put_sample(out, r->name, r->sum / (double)r->n);
		break;
	}
}

void series_print(const struct series *s, struct text *out)
{
	for (size_t i = 0; i < s->n_rows; i++)
		row_print(&s->row[i], out);
}
