/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Questions about runs.  The filter's fields and a row's columns are tables, and
 * the statement is put together from them; what the user typed is only ever
 * bound.
 */
#include <stddef.h>
#include <string.h>

#include "base/text.h"
#include "store/db.h"

static const char joins[] =
	" FROM run r"
	" JOIN job j ON j.id = r.job_id"
	" JOIN boot b ON b.id = r.boot_id"
	" JOIN machine m ON m.id = b.machine_id"
	" JOIN environment v ON v.id = r.environment_id"
	" JOIN build u ON u.id = b.build_id"
	" JOIN kernel k ON k.id = u.kernel_id"
	" JOIN program p ON p.id = r.program_id";

/* @ stands for the text. A glob is also tried as it stands: "a[1]" may be a name. */
static const struct {
	size_t offset;
	const char *exact, *glob;
} conditions[] = {
#define FIELD(name) offsetof(struct store_filter, name)
	{ FIELD(test), "j.test = @", "(j.test = @ OR j.test GLOB @)" },
	{ FIELD(job),
	  "r.job_id IN (SELECT id FROM job WHERE name = @ OR test = @ OR params = @)",
	  "r.job_id IN (SELECT id FROM job WHERE params = @ OR name = @ OR name GLOB @"
	  " OR test GLOB @ OR params GLOB @)" },
	{ FIELD(label), "r.label = @", "(r.label = @ OR r.label GLOB @)" },
	{ FIELD(kernel),
	  "u.kernel_id IN (SELECT id FROM kernel WHERE name = @ OR describe = @ OR"
	  " \"commit\" = @ OR (length(@) >= 7 AND substr(\"commit\", 1, length(@)) = @))",
	  "u.kernel_id IN (SELECT id FROM kernel WHERE name = @ OR name GLOB @ OR"
	  " describe = @ OR describe GLOB @ OR \"commit\" GLOB @)" },
	{ FIELD(machine), "m.name = @", "(m.name = @ OR m.name GLOB @)" },
	{ FIELD(mode), "b.mode = @", "(b.mode = @ OR b.mode GLOB @)" },
	{ FIELD(boot), "b.uuid = @", "(b.uuid = @ OR b.uuid GLOB @)" },
	{ FIELD(state), "r.state = @", "r.state GLOB @" },
	{ FIELD(session), "r.session = @", "(r.session = @ OR r.session GLOB @)" },
	{ FIELD(program), "p.hash = @", "(p.hash = @ OR p.hash GLOB @)" },
	{ FIELD(dir), "r.dir = @", "(r.dir = @ OR r.dir GLOB @)" },
#undef FIELD
};

static const struct column {
	const char *sql;
	size_t offset;
	enum { TEXT, NUMBER, FLAG } kind;
} columns[] = {
#define FIELD(name) offsetof(struct store_row, name)
	{ "r.id", FIELD(id), NUMBER },
	{ "k.name", FIELD(kernel), TEXT },
	{ "k.\"commit\"", FIELD(commit), TEXT },
	{ "k.describe", FIELD(describe), TEXT },
	{ "k.subject", FIELD(subject), TEXT },
	{ "k.committed_secs", FIELD(committed_secs), NUMBER },
	{ "u.config", FIELD(config), TEXT },
	{ "u.compiler", FIELD(compiler), TEXT },
	{ "m.name", FIELD(machine), TEXT },
	{ "m.facts", FIELD(facts), TEXT },
	{ "v.facts", FIELD(environment), TEXT },
	{ "b.uuid", FIELD(boot), TEXT },
	{ "b.cmdline", FIELD(cmdline), TEXT },
	{ "b.mode", FIELD(mode), TEXT },
	{ "j.test", FIELD(test), TEXT },
	{ "j.name", FIELD(job), TEXT },
	{ "j.params", FIELD(params), TEXT },
	{ "p.hash", FIELD(program), TEXT },
	{ "r.uuid", FIELD(uuid), TEXT },
	{ "r.dir", FIELD(dir), TEXT },
	{ "r.label", FIELD(label), TEXT },
	{ "r.session", FIELD(session), TEXT },
	{ "r.state", FIELD(state), TEXT },
	{ "r.reason", FIELD(reason), TEXT },
	{ "r.position", FIELD(position), NUMBER },
	{ "r.seq", FIELD(seq), NUMBER },
	{ "r.started_ns", FIELD(started_ns), NUMBER },
	{ "r.ended_ns", FIELD(ended_ns), NUMBER },
	{ "r.profile", FIELD(profile), FLAG },
#undef FIELD
};

static const char *filter_text(const struct store_filter *f, size_t i)
{
	return *(const char *const *)((const char *)f + conditions[i].offset);
}

/* The values are bound in the table's order, then the numbers. */
static void put_where(struct text *sql, const struct store_filter *f)
{
	int n = 0;

	text_puts(sql, " WHERE 1");
	for (size_t i = 0; i < COUNT(conditions); i++) {
		const char *given = filter_text(f, i);

		if (!given)
			continue;
		n++;
		text_puts(sql, " AND ");
		for (const char *p = strpbrk(given, "*?[") ? conditions[i].glob :
		     conditions[i].exact; *p; p++) {
			if (*p == '@')
				text_printf(sql, "?%d", n);
			else
				text_putc(sql, *p);
		}
	}
	if (f->run > 0)
		text_printf(sql, " AND r.id = ?%d", ++n);
	if (f->since_ns > 0)
		text_printf(sql, " AND r.started_ns >= ?%d", ++n);
	if (f->profile != STORE_ALL_RUNS)
		text_printf(sql, " AND r.profile = %d", f->profile == STORE_PROFILE_RUNS);
}

static void bind_where(sqlite3_stmt *st, const struct store_filter *f)
{
	int n = 0;

	for (size_t i = 0; i < COUNT(conditions); i++)
		if (filter_text(f, i))
			sqlite3_bind_text(st, ++n, filter_text(f, i), -1, SQLITE_STATIC);
	if (f->run > 0)
		sqlite3_bind_int64(st, ++n, f->run);
	if (f->since_ns > 0)
		sqlite3_bind_int64(st, ++n, f->since_ns);
}

/* "SELECT @what FROM all of it WHERE filter @rest", bound and ready. */
static int ask(struct store *s, sqlite3_stmt **st, const char *what, const char *more_joins,
	       const struct store_filter *f, const char *rest, struct err *e)
{
	_text_ struct text sql = {};

	text_printf(&sql, "SELECT %s%s%s", what, joins, more_joins);
	put_where(&sql, f);
	text_puts(&sql, rest);
	if (db_query(s, st, e, text_str(&sql), "") < 0)
		return -e->code;
	bind_where(*st, f);
	return 0;
}

static const struct store_filter everything;

static void take_row(struct store_row *row, sqlite3_stmt *st)
{
	*row = (struct store_row){};
	for (size_t i = 0; i < COUNT(columns); i++) {
		void *field = (char *)row + columns[i].offset;

		if (columns[i].kind == TEXT)
			*(char **)field = db_copy(st, (int)i);
		else if (columns[i].kind == FLAG)
			*(bool *)field = sqlite3_column_int(st, (int)i);
		else
			*(int64_t *)field = sqlite3_column_int64(st, (int)i);
	}
}

int store_runs(struct store *s, const struct store_filter *f, struct store_rows *rows,
	       struct err *e)
{
	_query_ sqlite3_stmt *st = NULL;
	_text_ struct text what = {};
	int ret;

	for (size_t i = 0; i < COUNT(columns); i++)
		text_printf(&what, "%s%s", i ? ", " : "", columns[i].sql);
	ret = ask(s, &st, text_str(&what), "", f ? f : &everything,
		  " ORDER BY r.started_ns, r.session, r.position, r.id", e);
	while (!ret && (ret = db_step(s, st, e)) > 0) {
		GROW(rows->row, rows->n);
		take_row(&rows->row[rows->n++], st);
		ret = 0;
	}
	return ret;
}

static int load_run(struct store *s, struct store_row *row, int64_t metric, struct err *e)
{
	_query_ sqlite3_stmt *st = NULL;
	int ret = db_query(s, &st, e, "SELECT value, reason FROM sample"
			   " WHERE run_id = ?1 AND metric_id = ?2 ORDER BY seq", "ii",
			   row->id, metric);

	while (!ret && (ret = db_step(s, st, e)) > 0) {
		ret = 0;
		if (sqlite3_column_type(st, 0) == SQLITE_NULL) {
			if (!row->n_null++)
				row->null_reason = db_copy(st, 1);
			continue;
		}
		GROW(row->value, row->n);
		row->value[row->n++] = sqlite3_column_double(st, 0);
	}
	return ret;
}

static void clear_values(struct store_row *row)
{
	free(row->value);
	free(row->null_reason);
	row->value = NULL;
	row->null_reason = NULL;
	row->n = row->n_null = 0;
}

int store_load(struct store *s, struct store_rows *rows, const char *metric, struct err *e)
{
	int64_t id;
	int ret;

	for (size_t i = 0; i < rows->n; i++)
		clear_values(&rows->row[i]);
	ret = db_number(s, &id, e, "SELECT id FROM metric WHERE name = ?1", "t", metric);
	if (ret)
		return ret < 0 ? ret : 0;
	for (size_t i = 0; !ret && i < rows->n; i++)
		ret = load_run(s, &rows->row[i], id, e);
	return ret;
}

int store_samples(struct store *s, const struct store_filter *f, const char *metric,
		  struct store_rows *rows, struct err *e)
{
	int ret = db_begin_read(s, e);

	if (ret < 0)
		return ret;
	ret = store_runs(s, f, rows, e);
	if (!ret)
		ret = store_load(s, rows, metric, e);
	return db_end(s, ret, e);
}

void store_rows_release(struct store_rows *rows)
{
	for (size_t i = 0; i < rows->n; i++) {
		struct store_row *row = &rows->row[i];

		for (size_t c = 0; c < COUNT(columns); c++)
			if (columns[c].kind == TEXT)
				free(*(char **)((char *)row + columns[c].offset));
		clear_values(row);
	}
	free(rows->row);
	*rows = (struct store_rows){};
}

#define METRIC_COLUMNS "t.name, t.unit, t.better, t.kind, t.meaning, t.headline"

static int take_metrics(struct store *s, sqlite3_stmt *st, struct store_metrics *out,
			struct err *e)
{
	int ret;

	while ((ret = db_step(s, st, e)) > 0) {
		GROW(out->row, out->n);
		out->row[out->n++] = (struct store_metric_row){
			.name = db_copy(st, 0),
			.unit = db_copy(st, 1),
			.better = db_copy(st, 2),
			.kind = db_copy(st, 3),
			.meaning = db_copy(st, 4),
			.headline = sqlite3_column_int(st, 5),
			.runs = sqlite3_column_int64(st, 6),
		};
	}
	return ret;
}

int store_metrics(struct store *s, const struct store_filter *f, struct store_metrics *out,
		  struct err *e)
{
	_query_ sqlite3_stmt *st = NULL;
	int ret = ask(s, &st, METRIC_COLUMNS ", count(*)",
		      " JOIN sample a ON a.run_id = r.id AND a.seq = 0"
		      " JOIN metric t ON t.id = a.metric_id", f ? f : &everything,
		      " GROUP BY t.id ORDER BY t.headline DESC, t.name", e);

	return ret < 0 ? ret : take_metrics(s, st, out, e);
}

int store_metric(struct store *s, const char *name, struct store_metrics *out, struct err *e)
{
	_query_ sqlite3_stmt *st = NULL;
	size_t before = out->n;
	int ret = db_query(s, &st, e, "SELECT " METRIC_COLUMNS ", (SELECT count(*) FROM sample a"
			   " WHERE a.metric_id = t.id AND a.seq = 0) FROM metric t"
			   " WHERE t.name = ?1", "t", name);

	if (!ret)
		ret = take_metrics(s, st, out, e);
	return ret < 0 ? ret : out->n == before;
}

void store_metrics_release(struct store_metrics *m)
{
	for (size_t i = 0; i < m->n; i++) {
		free(m->row[i].name);
		free(m->row[i].unit);
		free(m->row[i].better);
		free(m->row[i].kind);
		free(m->row[i].meaning);
	}
	free(m->row);
	*m = (struct store_metrics){};
}

static const char *const name_columns[] = {
	[STORE_JOBS] = "j.name",
	[STORE_TESTS] = "j.test",
	[STORE_LABELS] = "r.label",
	[STORE_KERNELS] = "k.name",
	[STORE_MACHINES] = "m.name",
	[STORE_SESSIONS] = "r.session",
};

int store_names(struct store *s, enum store_what what, const struct store_filter *f,
		struct store_names *out, struct err *e)
{
	_query_ sqlite3_stmt *st = NULL;
	_text_ struct text select = {};
	int ret;

	text_printf(&select, "%s, count(*), min(r.started_ns), max(r.started_ns)",
		    name_columns[what]);
	ret = ask(s, &st, text_str(&select), "", f ? f : &everything,
		  " GROUP BY 1 ORDER BY 4 DESC, 1", e);
	while (!ret && (ret = db_step(s, st, e)) > 0) {
		GROW(out->row, out->n);
		out->row[out->n++] = (struct store_name){
			.name = db_copy(st, 0),
			.runs = sqlite3_column_int64(st, 1),
			.first_ns = sqlite3_column_int64(st, 2),
			.last_ns = sqlite3_column_int64(st, 3),
		};
		ret = 0;
	}
	return ret;
}

void store_names_release(struct store_names *names)
{
	for (size_t i = 0; i < names->n; i++)
		free(names->row[i].name);
	free(names->row);
	*names = (struct store_names){};
}
