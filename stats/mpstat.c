/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * mpstat -o JSON, or its table.  LKP adds two figures that follow from the order
 * of the rows and mean nothing (the largest utilization times the rows, and the
 * row's number times the rows); our own mode has the largest utilization of the
 * row for all CPUs.
 */
#include <string.h>
#include <time.h>

#include "parser/json.h"

#define COLUMNS_MAX 16

struct busiest {
	double most;
	size_t at, rows;		/* which row had it, from 1; how many there are */
	double most_all;
	bool has_all;
};

static double busy_of(const json_t *row)
{
	return 100 - json_number_value(json_object_get(row, "idle")) -
		json_number_value(json_object_get(row, "iowait"));
}

static void busiest_add(struct busiest *b, double busy, bool all)
{
	b->rows++;
	if (b->rows == 1 || busy > b->most) {
		b->most = busy;
		b->at = b->rows;
	}
	if (all && (!b->has_all || busy > b->most_all)) {
		b->most_all = busy;
		b->has_all = true;
	}
}

/* One CPU or node: its name stands in the row itself. */
static void put_row(struct parse *p, const char *kind, const json_t *row, struct busiest *b)
{
	const char *who = json_string_value(json_object_get(row, kind)), *key;
	json_t *v;

	if (!who)
		return;
	/* Older versions call all CPUs -1. */
	if (!p->lkp && !strcmp(who, "-1"))
		who = "all";
	json_object_foreach((json_t *)row, key, v)
		if (json_is_number(v))
			emit_float(p, json_number_value(v), "%s.%s.%s%%", kind, who, key);
	busiest_add(b, busy_of(row), !strcmp(who, "all"));
}

static void put_time(struct parse *p, const char *day, const char *clock)
{
	_free_ char *both = text_format("%s %s", day, clock), *secs = NULL;
	struct tm tm = {};
	const char *end = strptime(both, "%Y-%m-%d %H:%M:%S", &tm);

	if (!end || *end) {
		memset(&tm, 0, sizeof(tm));
		end = strptime(both, "%m/%d/%y %H:%M:%S", &tm);
	}
	if (!end || *end)
		return;
	secs = text_format("%lld", (long long)timegm(&tm));
	emit_time(p, span_of(secs));
}

static void put_sample(struct parse *p, const char *day, const json_t *sample, struct busiest *b)
{
	static const char *const kinds[][2] = { { "cpu-load", "cpu" }, { "node-load", "node" } };
	const char *clock = json_string_value(json_object_get(sample, "timestamp"));

	if (day && clock)
		put_time(p, day, clock);
	for (size_t k = 0; k < COUNT(kinds); k++) {
		const json_t *rows = json_object_get(sample, kinds[k][0]);

		for (size_t i = 0; i < json_array_size(rows); i++)
			put_row(p, kinds[k][1], json_array_get(rows, i), b);
	}
}

static void put_busiest(struct parse *p, const struct busiest *b)
{
	double n = (double)b->rows;

	if (p->lkp && b->rows) {
		emit_float(p, b->most * n, "max_utilization_pct");
		emit_number(p, (double)b->at * n, "max_utilization.seconds");
	} else if (!p->lkp && b->has_all) {
		emit_number(p, b->most_all, "max_utilization_pct");
	}
}

/* mpstat that was killed leaves its brackets open; LKP closes them. */
static void close_brackets(struct text *t)
{
	while (t->len && strchr(" \t\r\n,", t->p[t->len - 1]))
		t->len--;
	if (t->len)
		text_puts(t, "]}]}}");
}

static bool is_closed(const struct text *t)
{
	_json_ json_t *j = json_loadb(text_str(t), t->len, JSON_DISABLE_EOF_CHECK, NULL);

	return j != NULL;
}

static int mpstat_json(struct parse *p, struct text *text, struct err *e)
{
	struct busiest b = {};
	size_t at = 0;
	int r;

	for (;;) {
		_json_ json_t *j = NULL;
		json_t *hosts;

		r = json_next(p, text, &at, &j, e);
		if (r <= 0)
			break;
		hosts = json_path(j, "sysstat", "hosts", NULL);
		for (size_t h = 0; h < json_array_size(hosts); h++) {
			const json_t *host = json_array_get(hosts, h);
			const json_t *samples = json_object_get(host, "statistics");
			const char *day = json_string_value(json_object_get(host, "date"));

			/* No sample at all is an idle watcher, not another format. */
			if (!json_array_size(samples) && json_is_array(samples))
				p->n_emitted++;
			for (size_t i = 0; i < json_array_size(samples); i++)
				put_sample(p, day, json_array_get(samples, i), &b);
		}
	}
	if (r == 0)
		put_busiest(p, &b);
	return r;
}

/* "03:16:17 PM  all    0.00 ..." under "03:16:15 PM  CPU    %usr   %nice ..." */
struct table {
	char column[COLUMNS_MAX][16];
	size_t at, n;			/* field of the CPU; columns behind it, 0: none */
	struct busiest busiest;
};

static bool table_header(struct table *t, const struct span *f, size_t n)
{
	for (size_t i = 0; i < n && i <= 2; i++) {
		if (!span_is(f[i], "CPU") && !span_is(f[i], "NODE"))
			continue;
		t->n = 0;
		if (i + 1 >= n || *f[i + 1].p != '%')
			return true;
		for (t->at = i; t->at + 1 + t->n < n && t->n < COLUMNS_MAX; t->n++) {
			struct span c = f[t->at + 1 + t->n];

			snprintf(t->column[t->n], sizeof(t->column[0]), "%.*s", (int)c.n - 1,
				 c.p + 1);
		}
		return true;
	}
	return false;
}

static bool table_row(struct parse *p, struct table *t, const struct span *f, size_t n)
{
	double busy = 0, v;

	if (!t->n || n != t->at + 1 + t->n || span_is(f[0], "Average:"))
		return false;
	for (size_t i = 0; i < t->n; i++)
		if (!span_number(f[t->at + 1 + i], &v))
			return false;
	for (size_t i = 0; i < t->n; i++) {
		emit_as(p, f[t->at + 1 + i], "cpu.%.*s.%s%%", SPANF(f[t->at]), t->column[i]);
		if (strcmp(t->column[i], "idle") && strcmp(t->column[i], "iowait") &&
		    span_number(f[t->at + 1 + i], &v))
			busy += v;
	}
	busiest_add(&t->busiest, busy, span_is(f[t->at], "all"));
	return true;
}

static int mpstat_table(struct parse *p, struct text *text, struct err *e)
{
	struct table t = {};
	char *save = NULL;

	for (char *line = strtok_r(text->p, "\r\n", &save); line;
	     line = strtok_r(NULL, "\r\n", &save)) {
		struct span f[COLUMNS_MAX + 3];
		size_t n = split_blanks(line, f, COUNT(f));

		if (!table_header(&t, f, n) && !table_row(p, &t, f, n))
			p->n_unknown++;
	}
	put_busiest(p, &t.busiest);
	return 0;
}

static int mpstat_text(struct parse *p, struct text *text, struct err *e)
{
	const char *s = text_str(text);
	char first = s[strspn(s, " \t\r\n")];

	if (!first)
		return 0;
	if (first != '{' && !p->lkp)
		return mpstat_table(p, text, e);
	if (p->lkp && !is_closed(text))
		close_brackets(text);
	return mpstat_json(p, text, e);
}

PARSER(mpstat) = {
	.name = "mpstat", .text = mpstat_text, .series = true,
	.expects = "JSON of mpstat -o JSON, or its table",
};
