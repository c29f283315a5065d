/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The connection under the store: statements, transactions, errors, the schema's
 * steps.  For the files of this folder alone.
 */
#pragma once

#include <sqlite3.h>

#include "store/ids.h"
#include "store/store.h"

struct db_cached {
	char *sql;
	sqlite3_stmt *st;
};

struct store {
	sqlite3 *db;
	char *path;		/* for errors */
	struct db_cached *cached;
	size_t n_cached;
	bool safe;		/* commits go to the disk at once */
	struct ids metrics;	/* name to id, of those that are known to be there */
};

/* Error text and errno of what SQLite said last. */
int db_error(struct store *s, struct err *e, const char *doing);

static inline void db_resetp(sqlite3_stmt **st)
{
	if (*st) {
		sqlite3_reset(*st);
		sqlite3_clear_bindings(*st);
	}
}

/* Borrowed from the cache; at the scope's end it is idle again. */
#define _query_ _cleanup_(db_resetp)

/*
 * A statement ready to be stepped.  @types has a letter for each value:
 * t text (NULL is ""), n text (NULL is NULL), i int64_t, d double.
 */
_must_check_ int db_query(struct store *s, sqlite3_stmt **st, struct err *e, const char *sql,
			  const char *types, ...);

/* 1: a row, 0: no more. */
_must_check_ int db_step(struct store *s, sqlite3_stmt *st, struct err *e);

/* Runs it to its end. */
_must_check_ int db_exec(struct store *s, struct err *e, const char *sql, const char *types, ...);

/* The number in the first column of the first row; 1: there is no row. Runs it to its end. */
_must_check_ int db_number(struct store *s, int64_t *out, struct err *e, const char *sql,
			   const char *types, ...);

/* Text of a column, never NULL. Borrowed until the next step. */
const char *db_text(sqlite3_stmt *st, int column);

/* NaN for NULL, which is also how a NaN is bound. */
double db_real(sqlite3_stmt *st, int column);

/* A copy; NULL stays NULL. Caller frees. */
char *db_copy(sqlite3_stmt *st, int column);

/* For texts that a caller only borrows where they come in, and that are ours where they go out. */
static inline void db_free(const char *text)
{
	free((char *)text);
}

/*
 * A transaction that writes.  db_end() makes it last if @ret is not negative,
 * else undoes it; it returns @ret, or the error of the commit.
 */
_must_check_ int db_begin(struct store *s, struct err *e);
_must_check_ int db_end(struct store *s, int ret, struct err *e);

/* As db_begin(), and what was written is on the disk when db_end() returns. */
_must_check_ int db_begin_safe(struct store *s, struct err *e);

/* One view of the file for several questions. */
_must_check_ int db_begin_read(struct store *s, struct err *e);

/* Schema: step N brings a file of version N - 1 to N, in one transaction. */
#define DB_APPLICATION 0x6b726274
extern const char *const schema_steps[];
extern const size_t n_schema_steps;

/* store_open() with these steps. */
_must_check_ int db_open(struct store **out, const char *path, const char *const *steps,
			 size_t n_steps, struct err *e);
