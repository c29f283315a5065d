/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "flow/sides.h"

#define DEPTH_MAX 16
#define DIFFERING_MAX 6U

static void json_freep(json_t **j)
{
	json_decref(*j);
}
#define _json_ _cleanup_(json_freep)

/* Takes @key out of the object and those below it; the value is handed on (or NULL). */
static json_t *take_key(json_t *j, const char *key, unsigned int depth)
{
	json_t *found, *child;
	const char *name;

	if (!json_is_object(j) || depth > DEPTH_MAX)
		return NULL;
	found = json_object_get(j, key);
	if (found && !json_is_object(found)) {
		json_incref(found);
		json_object_del(j, key);
		return found;
	}
	json_object_foreach(j, name, child) {
		found = take_key(child, key, depth + 1);
		if (found)
			return found;
	}
	return NULL;
}

static char *json_plain(const json_t *j)
{
	return json_is_string(j) ? text_copy(json_string_value(j)) :
				   json_dumps(j, JSON_ENCODE_ANY | JSON_SORT_KEYS | JSON_COMPACT);
}

char *params_get(const char *canonical, const char *key)
{
	_json_ json_t *j = json_loads(canonical, 0, NULL);
	_json_ json_t *found = take_key(j, key, 0);

	return found ? json_plain(found) : NULL;
}

char *params_without(const char *canonical, const char *key)
{
	_json_ json_t *j = json_loads(canonical, 0, NULL);
	_json_ json_t *found = take_key(j, key, 0);

	return found ? json_dumps(j, JSON_SORT_KEYS | JSON_COMPACT) : text_copy(canonical);
}

static char *group_key(const struct store_row *row, const char *axis)
{
	_free_ char *job = axis ? params_without(row->params, axis) : text_copy(row->params);

	return text_format("%s\n%s\n%s", job, row->machine, row->mode);
}

/* The last groups are the likely ones: runs come session by session. */
static struct group *group_of(struct groups *g, const struct store_row *row, const char *axis)
{
	_free_ char *key = group_key(row, axis);

	for (size_t i = g->n; i-- > 0;)
		if (!strcmp(g->group[i].key, key))
			return &g->group[i];
	GROW(g->group, g->n);
	g->group[g->n] = (struct group){
		.key = steal(key), .first = row,
		.side = mem_zero(g->n_columns, sizeof(struct side)),
	};
	return &g->group[g->n++];
}

static void group_release(struct group *gr, size_t n_columns)
{
	for (size_t c = 0; c < n_columns; c++)
		free(gr->side[c].row);
	free(gr->side);
	free(gr->key);
	free(gr->others);
}

void groups_release(struct groups *g)
{
	for (size_t i = 0; i < g->n; i++)
		group_release(&g->group[i], g->n_columns);
	free(g->group);
	*g = (struct groups){};
}

static void note_programs(struct group *gr, const struct store_rows *rows, size_t n_columns)
{
	const char *hash = NULL;

	for (size_t c = 0; c < n_columns; c++) {
		for (size_t i = 0; i < gr->side[c].n; i++) {
			const char *h = rows->row[gr->side[c].row[i]].program;

			if (!*h)
				continue;
			if (hash && strcmp(hash, h))
				gr->mixed_programs = true;
			hash = h;
		}
	}
}

/* Adds the keys of @b whose lines are not in @a, each once, at most a few. */
static void put_differing(struct text *t, const char *a, const char *b, unsigned int *n)
{
	for (const char *l = b, *end; *l; l = *end ? end + 1 : end) {
		_free_ char *line = NULL, *key = NULL;

		end = strchrnul(l, '\n');
		line = text_format("%.*s\n", (int)(end - l), l);
		key = text_format(" %.*s,", (int)strcspn(line, " \n"), line);
		if (strstr(a, line) || strstr(text_str(t), key) || ++*n > DIFFERING_MAX)
			continue;
		text_puts(t, key);
	}
}

/* What the columns differ in besides what they are named for. */
static void note_others(struct group *gr, const struct store_rows *rows, size_t n_columns)
{
	const struct store_row *seen = NULL;
	_text_ struct text t = {};
	bool kernel = false, cmdline = false;
	unsigned int keys = 0;

	for (size_t c = 0; c < n_columns; c++) {
		for (size_t i = 0; i < gr->side[c].n; i++) {
			const struct store_row *row = &rows->row[gr->side[c].row[i]];

			if (seen && row->environment && seen->environment)
				put_differing(&t, seen->environment, row->environment, &keys);
			kernel |= seen && strcmp(seen->kernel, row->kernel);
			cmdline |= seen && row->cmdline && seen->cmdline &&
				   strcmp(seen->cmdline, row->cmdline);
			seen = row;
		}
	}
	if (keys > DIFFERING_MAX)
		text_printf(&t, " and %u more,", keys - DIFFERING_MAX);
	text_printf(&t, "%s%s", kernel ? " kernel," : "", cmdline ? " command line," : "");
	if (t.len)
		t.p[--t.len] = '\0';	/* the last comma */
	gr->others = text_steal(&t);
}

int groups_make(struct groups *g, const struct store_rows *rows, size_t n_columns,
		const char *axis, side_of of, void *arg, size_t *dropped, struct err *e)
{
	size_t kept = 0;

	*g = (struct groups){ .n_columns = n_columns };
	for (size_t i = 0; i < rows->n; i++) {
		struct side *s;
		int c;

		/* What the machinery lost says nothing of a kernel. */
		if (!strcmp(rows->row[i].state, "lost"))
			continue;
		c = of(&rows->row[i], arg);
		if (c < 0)
			continue;
		s = &group_of(g, &rows->row[i], axis)->side[c];
		GROW(s->row, s->n);
		s->row[s->n++] = i;
	}
	for (size_t i = 0; i < g->n; i++) {
		struct group *gr = &g->group[i];
		bool whole = true;

		for (size_t c = 0; c < n_columns; c++)
			whole &= gr->side[c].n > 0;
		if (!whole) {
			group_release(gr, n_columns);
			continue;
		}
		note_programs(gr, rows, n_columns);
		note_others(gr, rows, n_columns);
		g->group[kept++] = *gr;
	}
	*dropped = g->n - kept;
	g->n = kept;
	return 0;
}

static double fold(const struct store_row *row, enum metric_fold how)
{
	double sum = 0, max = -INFINITY;

	for (size_t i = 0; i < row->n; i++) {
		sum += row->value[i];
		max = fmax(max, row->value[i]);
	}
	switch (how) {
	case FOLD_LAST:
		return row->value[row->n - 1];
	case FOLD_MAX:
		return max;
	case FOLD_DELTA:	/* the parser has made the differences */
	case FOLD_MEAN:
		break;
	}
	return sum / (double)row->n;
}

/* The same number for the same boot, on both sides. */
static uint32_t boot_number(const struct store_rows *rows, size_t row)
{
	for (size_t i = 0; i < row; i++)
		if (!strcmp(rows->row[i].boot, rows->row[row].boot))
			return (uint32_t)i;
	return (uint32_t)row;
}

struct verdict_side side_values(const struct side *side, const struct store_rows *rows,
				enum metric_fold how, struct verdict_run *run)
{
	struct verdict_side s = { .run = run };

	for (size_t i = 0; i < side->n; i++) {
		const struct store_row *row = &rows->row[side->row[i]];

		if (!strcmp(row->state, "skipped"))
			continue;
		s.tried++;
		if (!strcmp(row->state, "failed") || !strcmp(row->state, "timeout"))
			s.failed++;
		if (strcmp(row->state, "ok") || !row->n)
			continue;
		run[s.n_runs++] = (struct verdict_run){
			.value = fold(row, how), .boot = boot_number(rows, side->row[i]),
			.order = row->started_ns,
		};
	}
	return s;
}

static enum metric_better better_of(const char *word)
{
	static const enum metric_better all[] = { BETTER_HIGHER, BETTER_LOWER };

	for (size_t i = 0; word && i < COUNT(all); i++)
		if (!strcmp(word, metric_better_word(all[i])))
			return all[i];
	return BETTER_NONE;
}

static enum metric_fold fold_of(const char *word)
{
	static const enum metric_fold all[] = { FOLD_DELTA, FOLD_LAST, FOLD_MAX };

	for (size_t i = 0; word && i < COUNT(all); i++)
		if (!strcmp(word, metric_fold_word(all[i])))
			return all[i];
	return FOLD_MEAN;
}

struct verdict_metric side_metric(const struct store_metric_row *m, enum metric_fold *fold_out)
{
	const struct dictionary_entry *d = dictionary_find(m->name);

	*fold_out = fold_of(m->kind);
	return (struct verdict_metric){ .name = m->name, .unit = m->unit,
					.better = better_of(m->better), .floor = d ? d->floor : 0,
					.headline = m->headline };
}

static bool is_same_job(const struct store_row *a, const struct store_row *b)
{
	return !strcmp(a->test, b->test) && !strcmp(a->params, b->params) &&
		!strcmp(a->machine, b->machine) && !strcmp(a->mode, b->mode) &&
		!strcmp(a->program, b->program);
}

static int by_boot(const void *a, const void *b)
{
	const struct verdict_run *x = a, *y = b;
	int c = (x->boot > y->boot) - (x->boot < y->boot);

	return c ? c : (x->order > y->order) - (x->order < y->order);
}

/* Means of boots, in place of the runs; returns how many. */
static size_t boots_fold(struct verdict_run *run, size_t n, unsigned int warmup, double *mean)
{
	size_t boots = 0;

	qsort(run, n, sizeof(*run), by_boot);
	for (size_t i = 0, end; i < n; i = end) {
		size_t from = i;

		for (end = i; end < n && run[end].boot == run[i].boot; end++)
			;
		from += end - i > warmup ? warmup : 0;
		mean[boots] = 0;
		for (size_t k = from; k < end; k++)
			mean[boots] += run[k].value / (double)(end - from);
		boots++;
	}
	return boots;
}

struct verdict_history side_history(const struct group *g, size_t n_columns,
				    const struct store_rows *rows, enum metric_fold fold,
				    unsigned int warmup)
{
	_free_ bool *taken = mem_zero(rows->n, sizeof(*taken));
	_free_ struct verdict_set *set = mem_zero(rows->n, sizeof(*set));
	_free_ double *mean = mem_zero(rows->n, sizeof(*mean));
	_free_ struct verdict_run *run = mem_zero(rows->n, sizeof(*run));
	_free_ size_t *row = mem_zero(rows->n, sizeof(*row));
	size_t sets = 0, used = 0;

	for (size_t k = 0; k < n_columns; k++)
		for (size_t i = 0; i < g->side[k].n; i++)
			taken[g->side[k].row[i]] = true;
	for (size_t i = 0; i < rows->n; i++) {
		struct side of_kernel = { .row = row };
		struct verdict_side side;

		for (size_t j = i; j < rows->n; j++)
			if (!taken[j] && is_same_job(&rows->row[j], g->first) &&
			    !strcmp(rows->row[j].kernel, rows->row[i].kernel)) {
				taken[j] = true;
				row[of_kernel.n++] = j;
			}
		side = side_values(&of_kernel, rows, fold, run);
		if (!side.n_runs)
			continue;
		set[sets] = (struct verdict_set){ mean + used,
						  boots_fold(run, side.n_runs, warmup, mean + used) };
		used += set[sets++].n;
	}
	return verdict_learn(set, sets);
}
