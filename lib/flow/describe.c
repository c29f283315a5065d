/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <string.h>

#include "flow/describe.h"

static void add_if(struct record *r, const char *key, const char *value)
{
	if (value && *value)
		record_add(r, key, value);
}

int description_write(const struct program_description *d, const char *test, int dir,
		      const char *name, struct err *e)
{
	_record_ struct record r = {};

	if (d)
		add_if(&r, "about", d->about);
	for (size_t i = 0; d && i < d->n_metrics; i++) {
		const struct program_metric *m = &d->metric[i];

		record_addf(&r, "metric", "%s.%s", test, m->name);
		add_if(&r, "unit", m->unit);
		add_if(&r, "better", m->better);
		add_if(&r, "meaning", m->meaning);
		if (m->headline)
			record_add(&r, "headline", "1");
	}
	return record_write(&r, dir, name, e);
}

int description_read(struct description **out, int dir, const char *name, struct err *e)
{
	_description_ struct description *d = mem_zero(1, sizeof(*d));
	int r;

	if (faccessat(dir, name, F_OK, 0) == 0 && (r = record_read(&d->lines, dir, name, e)) < 0)
		return r;
	*out = steal(d);
	return 0;
}

void description_free(struct description *d)
{
	if (!d)
		return;
	record_release(&d->lines);
	free(d);
}

bool description_metric(const struct description *d, const char *full, struct store_metric *m)
{
	const struct record_line *l = d->lines.line, *end = l + d->lines.n;

	while (l < end && !(!strcmp(l->key, "metric") && !strcmp(l->value, full)))
		l++;
	if (l == end)
		return false;
	*m = (struct store_metric){ .name = full };
	for (l++; l < end && strcmp(l->key, "metric"); l++) {
		if (!strcmp(l->key, "unit"))
			m->unit = l->value;
		else if (!strcmp(l->key, "better"))
			m->better = l->value;
		else if (!strcmp(l->key, "meaning"))
			m->meaning = l->value;
		else if (!strcmp(l->key, "headline"))
			m->headline = true;
	}
	return true;
}

bool description_headline(const struct description *d, const char *full)
{
	struct store_metric m;

	return description_metric(d, full, &m) && m.headline;
}
