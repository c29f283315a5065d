/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "store/db.h"
#include "store/queue.h"

static int add(struct store *s, const struct store_work *w, int64_t *id, struct err *e)
{
	int ret = db_number(s, id, e, "UPDATE queue SET priority = max(priority, ?2) WHERE key = ?1"
			    " RETURNING id", "ti", w->key, w->priority);

	if (ret <= 0)
		return ret < 0 ? ret : 1;
	return db_number(s, id, e, "INSERT INTO queue (key, kind, payload, priority, state, reason,"
			 " tries, next_ns, made_ns, changed_ns) VALUES (?1, ?2, ?3, ?4, 'waiting',"
			 " '', 0, ?5, ?6, ?6) RETURNING id", "tttiii", w->key, w->kind, w->payload,
			 w->priority, w->next_ns, w->made_ns);
}

int store_queue_add(struct store *s, const struct store_work *work, int64_t *id, struct err *e)
{
	int64_t mine;
	int ret = db_begin(s, e);

	if (ret < 0)
		return ret;
	ret = db_end(s, add(s, work, &mine, e), e);
	if (ret >= 0 && id)
		*id = mine;
	return ret;
}

#define COLUMNS \
	"id, key, kind, payload, priority, state, reason, tries, next_ns, made_ns, changed_ns"

static int take_rows(struct store *s, sqlite3_stmt *st, struct store_works *out, struct err *e)
{
	int ret;

	while ((ret = db_step(s, st, e)) > 0) {
		GROW(out->row, out->n);
		out->row[out->n++] = (struct store_work){
			.id = sqlite3_column_int64(st, 0),
			.key = db_copy(st, 1),
			.kind = db_copy(st, 2),
			.payload = db_copy(st, 3),
			.priority = sqlite3_column_int64(st, 4),
			.state = db_copy(st, 5),
			.reason = db_copy(st, 6),
			.tries = sqlite3_column_int64(st, 7),
			.next_ns = sqlite3_column_int64(st, 8),
			.made_ns = sqlite3_column_int64(st, 9),
			.changed_ns = sqlite3_column_int64(st, 10),
		};
	}
	return ret;
}

static int take(struct store *s, const char *kind, int64_t now_ns, struct store_works *out,
		struct err *e)
{
	_query_ sqlite3_stmt *st = NULL;
	size_t before = out->n;
	int ret = db_query(s, &st, e, "UPDATE queue SET state = 'running', tries = tries + 1,"
			   " changed_ns = ?2 WHERE id = (SELECT id FROM queue"
			   " WHERE state = 'waiting' AND next_ns <= ?2"
			   " AND (?1 IS NULL OR kind = ?1)"
			   " ORDER BY priority DESC, id LIMIT 1) RETURNING " COLUMNS, "ni", kind,
			   now_ns);

	if (!ret)
		ret = take_rows(s, st, out, e);
	return ret < 0 ? ret : out->n == before;
}

int store_queue_take(struct store *s, const char *kind, int64_t now_ns, struct store_works *out,
		     struct err *e)
{
	int ret = db_begin(s, e);

	return ret < 0 ? ret : db_end(s, take(s, kind, now_ns, out, e), e);
}

int store_queue_end(struct store *s, int64_t id, const char *state, const char *reason,
		    int64_t now_ns, int64_t next_ns, struct err *e)
{
	return db_exec(s, e, "UPDATE queue SET state = ?2, reason = ?3, changed_ns = ?4,"
		       " next_ns = ?5 WHERE id = ?1", "ittii", id, state, reason, now_ns, next_ns);
}

int store_queue_payload(struct store *s, int64_t id, const char *payload, int64_t now_ns,
			struct err *e)
{
	return db_exec(s, e, "UPDATE queue SET payload = ?2, changed_ns = ?3 WHERE id = ?1", "iti",
		       id, payload, now_ns);
}

int store_queue_recover(struct store *s, int64_t now_ns, struct err *e)
{
	return db_exec(s, e, "UPDATE queue SET state = 'waiting', changed_ns = ?1,"
		       " reason = 'interrupted' WHERE state = 'running'", "i", now_ns);
}

int store_queue(struct store *s, const char *state, const char *kind, struct store_works *out,
		struct err *e)
{
	_query_ sqlite3_stmt *st = NULL;
	int ret = db_query(s, &st, e, "SELECT " COLUMNS " FROM queue"
			   " WHERE (?1 IS NULL OR state = ?1) AND (?2 IS NULL OR kind = ?2)"
			   " ORDER BY CASE state WHEN 'running' THEN 0 WHEN 'waiting' THEN 1"
			   " ELSE 2 END,"
			   " iif(state IN ('running', 'waiting'), -priority, -changed_ns), id",
			   "nn", state, kind);

	return ret < 0 ? ret : take_rows(s, st, out, e);
}

int store_queue_forget(struct store *s, const char *state, int64_t before_ns, struct err *e)
{
	return db_exec(s, e, "DELETE FROM queue WHERE state = ?1 AND changed_ns < ?2"
		       " AND state IN ('done', 'failed')", "ti", state, before_ns);
}

void store_works_release(struct store_works *w)
{
	for (size_t i = 0; i < w->n; i++) {
		db_free(w->row[i].key);
		db_free(w->row[i].kind);
		db_free(w->row[i].payload);
		db_free(w->row[i].state);
		db_free(w->row[i].reason);
	}
	free(w->row);
	*w = (struct store_works){};
}

/* ---- Watched branches ---- */

int store_head_seen(struct store *s, const char *tree, const char *branch, const char *commit,
		    int64_t now_ns, struct err *e)
{
	int ret = db_exec(s, e, "INSERT INTO head (tree, branch, \"commit\", seen_ns)"
			  " VALUES (?1, ?2, ?3, ?4) ON CONFLICT DO NOTHING", "ttti", tree, branch,
			  commit, now_ns);

	return ret < 0 ? ret : !sqlite3_changes(s->db);
}

int store_head_tested(struct store *s, const char *tree, const char *branch, const char *commit,
		      int64_t now_ns, struct err *e)
{
	return db_exec(s, e, "INSERT INTO head (tree, branch, \"commit\", seen_ns, tested_ns)"
		       " VALUES (?1, ?2, ?3, ?4, ?4) ON CONFLICT DO UPDATE SET tested_ns = ?4",
		       "ttti", tree, branch, commit, now_ns);
}

int store_head_last(struct store *s, const char *tree, const char *branch, char **commit,
		    struct err *e)
{
	_query_ sqlite3_stmt *st = NULL;
	int ret = db_query(s, &st, e, "SELECT \"commit\" FROM head WHERE tree = ?1 AND branch = ?2"
			   " AND tested_ns IS NOT NULL ORDER BY tested_ns DESC LIMIT 1", "tt",
			   tree, branch);

	if (ret < 0 || (ret = db_step(s, st, e)) < 0)
		return ret;
	if (!ret)
		return 1;
	*commit = db_copy(st, 0);
	return 0;
}
