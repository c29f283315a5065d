/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/text.h"
#include "judge/csv.h"

#define MAX_FIELDS 256

struct field {
	const char *p;
	size_t n;
};

struct reader {
	const char *p, *end;
	size_t line;
	char separator;
	struct field field[MAX_FIELDS];
	size_t n;
	/* Columns; SIZE_MAX: there is none. */
	size_t time, commit, branch, metric[MAX_FIELDS];
};

static bool named(struct field f, const char *const *names)
{
	for (; *names; names++)
		if (f.n == strlen(*names) && !strncasecmp(f.p, *names, f.n))
			return true;
	return false;
}

static struct field field_trim(const char *p, size_t n)
{
	while (n && isspace((unsigned char)*p))
		p++, n--;
	while (n && isspace((unsigned char)p[n - 1]))
		n--;
	if (n >= 2 && *p == '"' && p[n - 1] == '"')
		p++, n -= 2;
	return (struct field){ p, n };
}

/* The next line that is not empty and no comment; 1 at the end. */
static int line_next(struct reader *r, struct err *e)
{
	while (r->p < r->end) {
		const char *end = memchr(r->p, '\n', (size_t)(r->end - r->p));
		const char *start = r->p, *p;
		bool quoted = false;

		end = end ? end : r->end;
		r->p = end < r->end ? end + 1 : end;
		r->line++;
		if (!field_trim(start, (size_t)(end - start)).n || *start == '#')
			continue;
		r->n = 0;
		for (p = start;; p++) {
			if (p < end && *p == '"')
				quoted = !quoted;
			if (p < end && (quoted || *p != r->separator))
				continue;
			if (r->n == MAX_FIELDS)
				return err_set(e, E2BIG, "line %zu: more than %d fields", r->line,
					       MAX_FIELDS);
			r->field[r->n++] = field_trim(start, (size_t)(p - start));
			start = p + 1;
			if (p >= end)
				break;
		}
		return quoted ? err_set(e, EINVAL, "line %zu: a quote is not closed", r->line) : 0;
	}
	return 1;
}

/* The separator that the first line has most of. */
static char separator_find(const char *p, size_t n)
{
	static const char each[] = ",;\t";
	size_t count[3] = {}, best = 0;

	for (size_t i = 0; i < n && p[i] != '\n'; i++)
		for (size_t k = 0; k < 3; k++)
			count[k] += p[i] == each[k];
	for (size_t k = 1; k < 3; k++)
		best = count[k] > count[best] ? k : best;
	return each[best];
}

static int header_read(struct reader *r, struct csv *c, struct err *e)
{
	static const char *const times[] = { "time", "date", "timestamp", "when", NULL };
	static const char *const commits[] = { "commit", "sha", "hash", "revision", "version", NULL };
	static const char *const branches[] = { "branch", NULL };

	r->time = r->commit = r->branch = SIZE_MAX;
	if (line_next(r, e))
		return e->code ? -e->code : err_set(e, EINVAL, "no header line");
	for (size_t i = 0; i < r->n; i++) {
		if (r->time == SIZE_MAX && named(r->field[i], times)) {
			r->time = i;
		} else if (r->commit == SIZE_MAX && named(r->field[i], commits)) {
			r->commit = i;
		} else if (r->branch == SIZE_MAX && named(r->field[i], branches)) {
			r->branch = i;
		} else {
			GROW(c->metric, c->n_metrics);
			r->metric[c->n_metrics] = i;
			c->metric[c->n_metrics++] = text_format("%.*s", (int)r->field[i].n,
								r->field[i].p);
		}
	}
	return c->n_metrics ? 0 : err_set(e, EINVAL, "line %zu: no column of values", r->line);
}

static int value_read(const struct reader *r, struct field f, double *value, struct err *e)
{
	static const char *const none[] = { "", "null", "nan", "n/a", "na", "none", "-", NULL };
	char buf[64], *end;

	*value = NAN;
	if (named(f, none))
		return 0;
	snprintf(buf, sizeof(buf), "%.*s", (int)f.n, f.p);
	if (memchr(f.p, ',', f.n))
		return err_set(e, EINVAL, "line %zu: '%s' may be read in two ways", r->line, buf);
	*value = strtod(buf, &end);
	if (f.n >= sizeof(buf) || *end || !isfinite(*value))
		return err_set(e, EINVAL, "line %zu: '%s' is not a number", r->line, buf);
	return 0;
}

static char *field_copy(const struct reader *r, size_t column)
{
	if (column == SIZE_MAX)
		return NULL;
	return text_format("%.*s", (int)r->field[column].n, r->field[column].p);
}

static int row_add(struct reader *r, struct csv *c, struct err *e)
{
	struct csv_row *row, *last;

	GROW(c->row, c->n_rows);
	row = &c->row[c->n_rows++];
	last = c->n_rows > 1 ? row - 1 : NULL;
	*row = (struct csv_row){
		.time = field_copy(r, r->time), .commit = field_copy(r, r->commit),
		.value = mem_zero(c->n_metrics, sizeof(*row->value)),
	};
	if (last)
		row->place = last->place + !(row->commit && !strcmp(row->commit, last->commit));
	for (size_t i = 0; i < c->n_metrics; i++)
		if (value_read(r, r->field[r->metric[i]], &row->value[i], e) < 0)
			return -e->code;
	return 0;
}

static int rows_read(struct reader *r, struct csv *c, const char *branch, struct err *e)
{
	_free_ char *only = NULL;
	size_t columns = r->n;
	int status;

	while ((status = line_next(r, e)) == 0) {
		if (r->n != columns)
			return err_set(e, EINVAL, "line %zu: %zu fields where the header has %zu",
				       r->line, r->n, columns);
		if (r->branch != SIZE_MAX) {
			_free_ char *b = field_copy(r, r->branch);

			if (branch && strcmp(b, branch))
				continue;
			if (only && strcmp(b, only))
				return err_set(e, EINVAL, "line %zu: branch '%s' after '%s'; "
					       "one must be chosen", r->line, b, only);
			if (!only)
				only = steal(b);
		}
		if (row_add(r, c, e) < 0)
			return -e->code;
	}
	if (status < 0)
		return status;
	if (!c->n_rows)
		return branch ? err_set(e, EINVAL, "no row of branch '%s'", branch) :
			err_set(e, EINVAL, "no rows");
	return 0;
}

int csv_read(struct csv *c, const char *text, size_t n, const char *branch, struct err *e)
{
	_free_ struct reader *r = mem_zero(1, sizeof(*r));

	*c = (struct csv){};
	*e = (struct err){};
	if (n > CSV_MAX_BYTES)
		return err_set(e, EFBIG, "more than %u bytes", CSV_MAX_BYTES);
	if (n >= 3 && !memcmp(text, "\xef\xbb\xbf", 3))
		text += 3, n -= 3;
	r->p = text;
	r->end = text + n;
	r->separator = separator_find(text, n);
	if (header_read(r, c, e) < 0)
		return -e->code;
	return rows_read(r, c, branch, e);
}

void csv_release(struct csv *c)
{
	for (size_t i = 0; i < c->n_metrics; i++)
		free(c->metric[i]);
	for (size_t i = 0; i < c->n_rows; i++) {
		free(c->row[i].time);
		free(c->row[i].commit);
		free(c->row[i].value);
	}
	free(c->metric);
	free(c->row);
	*c = (struct csv){};
}
