/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <assert.h>
#include <errno.h>
#include <math.h>
#include <string.h>
#include <time.h>

#include "base/text.h"
#include "store/db.h"

#define BUSY_MS 10000

static int code_errno(struct store *s, int code)
{
	static const struct { int code, errnum; } rows[] = {
		{ SQLITE_BUSY, EBUSY }, { SQLITE_LOCKED, EBUSY }, { SQLITE_FULL, ENOSPC },
		{ SQLITE_READONLY, EROFS }, { SQLITE_PERM, EACCES }, { SQLITE_TOOBIG, EFBIG },
		{ SQLITE_CONSTRAINT, EINVAL }, { SQLITE_NOTADB, EINVAL },
		{ SQLITE_CORRUPT, EUCLEAN },
	};
	int system = s->db ? sqlite3_system_errno(s->db) : 0;

	for (size_t i = 0; i < COUNT(rows); i++)
		if (rows[i].code == (code & 0xff))
			return rows[i].errnum;
	return system > 0 ? system : EIO;
}

int db_error(struct store *s, struct err *e, const char *doing)
{
	int code = sqlite3_errcode(s->db), system = sqlite3_system_errno(s->db);

	assert(code != SQLITE_NOMEM && code != SQLITE_MISUSE);
	if ((code & 0xff) == SQLITE_CANTOPEN || (code & 0xff) == SQLITE_IOERR)
		return err_set(e, code_errno(s, code), "%s: %s%s%s", s->path, sqlite3_errmsg(s->db),
			       system > 0 ? ": " : "", system > 0 ? strerror(system) : "");
	return err_set(e, code_errno(s, code), "%s: %s%s%s", s->path, doing ? doing : "",
		       doing ? ": " : "", sqlite3_errmsg(s->db));
}

static int prepare(struct store *s, sqlite3_stmt **st, const char *sql, struct err *e)
{
	for (size_t i = 0; i < s->n_cached; i++) {
		if (!strcmp(s->cached[i].sql, sql)) {
			*st = s->cached[i].st;
			return 0;
		}
	}
	if (sqlite3_prepare_v3(s->db, sql, -1, SQLITE_PREPARE_PERSISTENT, st, NULL) != SQLITE_OK)
		return db_error(s, e, NULL);
	GROW(s->cached, s->n_cached);
	s->cached[s->n_cached++] = (struct db_cached){ text_copy(sql), *st };
	return 0;
}

static int bind(sqlite3_stmt *st, int i, char type, va_list *ap)
{
	const char *text;

	switch (type) {
	case 'i':
		return sqlite3_bind_int64(st, i, va_arg(*ap, int64_t));
	case 'd':
		return sqlite3_bind_double(st, i, va_arg(*ap, double));
	case 't':
	case 'n':
		text = va_arg(*ap, const char *);
		if (!text && type == 't')
			text = "";
		return sqlite3_bind_text(st, i, text, -1, SQLITE_STATIC);
	}
	assert(!"unknown type letter");
	return SQLITE_MISUSE;
}

static int query(struct store *s, sqlite3_stmt **st, struct err *e, const char *sql,
		 const char *types, va_list *ap)
{
	int ret = prepare(s, st, sql, e);

	for (int i = 0; !ret && types[i]; i++)
		if (bind(*st, i + 1, types[i], ap) != SQLITE_OK)
			ret = db_error(s, e, NULL);
	return ret;
}

int db_query(struct store *s, sqlite3_stmt **st, struct err *e, const char *sql,
	     const char *types, ...)
{
	va_list ap;
	int ret;

	*st = NULL;
	va_start(ap, types);
	ret = query(s, st, e, sql, types, &ap);
	va_end(ap);
	return ret;
}

int db_step(struct store *s, sqlite3_stmt *st, struct err *e)
{
	switch (sqlite3_step(st)) {
	case SQLITE_ROW:
		return 1;
	case SQLITE_DONE:
		return 0;
	}
	return db_error(s, e, NULL);
}

int db_exec(struct store *s, struct err *e, const char *sql, const char *types, ...)
{
	_query_ sqlite3_stmt *st = NULL;
	va_list ap;
	int ret;

	va_start(ap, types);
	ret = query(s, &st, e, sql, types, &ap);
	va_end(ap);
	while (!ret && (ret = db_step(s, st, e)) > 0)
		ret = 0;
	return ret;
}

int db_number(struct store *s, int64_t *out, struct err *e, const char *sql,
	      const char *types, ...)
{
	_query_ sqlite3_stmt *st = NULL;
	va_list ap;
	int ret;

	va_start(ap, types);
	ret = query(s, &st, e, sql, types, &ap);
	va_end(ap);
	if (ret < 0 || (ret = db_step(s, st, e)) < 0)
		return ret;
	if (!ret)
		return 1;
	*out = sqlite3_column_int64(st, 0);
	/* To its end, since only then it is known that it was written. */
	while ((ret = db_step(s, st, e)) > 0)
		;
	return ret;
}

const char *db_text(sqlite3_stmt *st, int column)
{
	const char *text = (const char *)sqlite3_column_text(st, column);

	return text ? text : "";
}

double db_real(sqlite3_stmt *st, int column)
{
	return sqlite3_column_type(st, column) == SQLITE_NULL ? NAN :
	       sqlite3_column_double(st, column);
}

char *db_copy(sqlite3_stmt *st, int column)
{
	return text_copy((const char *)sqlite3_column_text(st, column));
}

int db_begin(struct store *s, struct err *e)
{
	return db_exec(s, e, "BEGIN IMMEDIATE", "");
}

int db_begin_safe(struct store *s, struct err *e)
{
	if (db_exec(s, e, "PRAGMA synchronous = FULL", "") < 0)
		return -e->code;
	s->safe = true;
	return db_begin(s, e);
}

int db_begin_read(struct store *s, struct err *e)
{
	return db_exec(s, e, "BEGIN", "");
}

int db_end(struct store *s, int ret, struct err *e)
{
	struct err ignored;
	int made = ret >= 0 ? db_exec(s, e, "COMMIT", "") : ret;

	if (made >= 0 && s->safe && db_exec(s, &ignored, "PRAGMA synchronous = NORMAL", "") >= 0)
		s->safe = false;
	if (made >= 0)
		return ret;
	ret = made;
	/* Ids that this transaction gave may be given to other names now. */
	ids_release(&s->metrics);
	if (!sqlite3_get_autocommit(s->db) && db_exec(s, &ignored, "ROLLBACK", "") < 0)
		abort();
	return ret;
}

/* Sets up and opens; nothing in the file is changed. */
static int connect(struct store *s, struct err *e)
{
	int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX;

	if (sqlite3_open_v2(s->path, &s->db, flags, NULL) != SQLITE_OK)
		return db_error(s, e, NULL);
	sqlite3_extended_result_codes(s->db, 1);
	sqlite3_busy_timeout(s->db, BUSY_MS);
	/* The file may come from elsewhere: its schema is not trusted. */
	sqlite3_db_config(s->db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
	sqlite3_db_config(s->db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
	sqlite3_limit(s->db, SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 1000);
	return 0;
}

/* Ours or new, and of a version that we know? */
static int identify(struct store *s, size_t n_steps, int64_t *version, struct err *e)
{
	int64_t application, tables;

	if (db_number(s, &tables, e, "SELECT count(*) FROM sqlite_schema", "") < 0 ||
	    db_number(s, &application, e, "PRAGMA application_id", "") < 0 ||
	    db_number(s, version, e, "PRAGMA user_version", "") < 0)
		return -e->code;
	if (application != DB_APPLICATION && (application || *version || tables))
		return err_set(e, EINVAL, "%s: this is the database of another program", s->path);
	if (*version < 0 || *version > (int64_t)n_steps)
		return err_set(e, EPROTO, "%s: version %lld was made by a newer krobot; "
			       "this one knows up to %zu", s->path, (long long)*version, n_steps);
	return 0;
}

/* Two openers of a new file may meet here; SQLite does not wait by itself then. */
static int use_wal(struct store *s, struct err *e)
{
	for (int waited_ms = 0;; waited_ms += 20) {
		int code = sqlite3_exec(s->db, "PRAGMA journal_mode = WAL", NULL, NULL, NULL);

		if (code == SQLITE_OK)
			return 0;
		if ((code & 0xff) != SQLITE_BUSY || waited_ms >= BUSY_MS)
			return db_error(s, e, NULL);
		nanosleep(&(struct timespec){ .tv_nsec = 20 * 1000 * 1000 }, NULL);
	}
}

static int step_up(struct store *s, const char *const *steps, size_t n_steps, size_t version,
		   struct err *e)
{
	_text_ struct text sql = {};
	_query_ sqlite3_stmt *st = NULL;
	int ret;

	text_printf(&sql, "%s;\nPRAGMA user_version = %zu;", steps[version], version + 1);
	if (sqlite3_exec(s->db, text_str(&sql), NULL, NULL, NULL) != SQLITE_OK)
		return db_error(s, e, NULL);
	ret = db_query(s, &st, e, "PRAGMA foreign_key_check", "");
	if (!ret && (ret = db_step(s, st, e)) > 0)
		ret = err_set(e, EUCLEAN, "%s: table %s refers to what is not there", s->path,
			      db_text(st, 0));
	return ret;
}

/* One step, unless another process was first. */
static int upgrade(struct store *s, const char *const *steps, size_t n_steps, struct err *e)
{
	int64_t version;
	int ret;

	if (db_begin(s, e) < 0)
		return -e->code;
	ret = identify(s, n_steps, &version, e);
	if (!ret && version < (int64_t)n_steps &&
	    step_up(s, steps, n_steps, (size_t)version, e) < 0)
		ret = err_in(e, "upgrade to version %lld", (long long)version + 1);
	return db_end(s, ret, e);
}

static int prepare_file(struct store *s, const char *const *steps, size_t n_steps, struct err *e)
{
	int64_t version;

	if (identify(s, n_steps, &version, e) < 0 || use_wal(s, e) < 0)
		return -e->code;
	/* A step may make a table anew; its children are checked at the step's end. */
	if (db_exec(s, e, "PRAGMA foreign_keys = OFF", "") < 0)
		return -e->code;
	while (version++ < (int64_t)n_steps)
		if (upgrade(s, steps, n_steps, e) < 0)
			return -e->code;
	if (db_exec(s, e, "PRAGMA foreign_keys = ON", "") < 0 ||
	    db_exec(s, e, "PRAGMA synchronous = NORMAL", "") < 0)
		return -e->code;
	return 0;
}

int db_open(struct store **out, const char *path, const char *const *steps, size_t n_steps,
	    struct err *e)
{
	_store_ struct store *s = mem_zero(1, sizeof(*s));

	s->path = text_copy(path);
	if (connect(s, e) < 0 || prepare_file(s, steps, n_steps, e) < 0)
		return -e->code;
	*out = steal(s);
	return 0;
}

int store_open(struct store **out, const char *path, struct err *e)
{
	return db_open(out, path, schema_steps, n_schema_steps, e);
}

void store_free(struct store *s)
{
	if (!s)
		return;
	for (size_t i = 0; i < s->n_cached; i++) {
		sqlite3_finalize(s->cached[i].st);
		free(s->cached[i].sql);
	}
	free(s->cached);
	ids_release(&s->metrics);
	sqlite3_close(s->db);
	free(s->path);
	free(s);
}
