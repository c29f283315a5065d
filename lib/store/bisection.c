/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>

#include "store/bisection.h"
#include "store/db.h"

int store_bisection_open(struct store *s, const struct store_bisection *b, int64_t *id,
			 struct err *e)
{
	return db_number(s, id, e,
		"INSERT INTO bisection (finding_id, repository, good, bad, params, metric, state,"
		" memory, opened_ns, changed_ns) VALUES (nullif(?1, 0), ?2, ?3, ?4, ?5, ?6, 'open',"
		" ?7, ?8, ?8) RETURNING id", "itttttti", b->finding, b->repository, b->good, b->bad,
		b->params, b->metric, b->memory, b->opened_ns);
}

static int add(struct store *s, int64_t id, const struct store_bisection_step *step,
	       const char *memory, struct err *e)
{
	int64_t found;
	int ret = db_number(s, &found, e, "UPDATE bisection SET memory = coalesce(?2, memory),"
			    " changed_ns = ?3 WHERE id = ?1 RETURNING id", "ini", id, memory,
			    step->at_ns);

	if (ret)
		return ret < 0 ? ret : err_set(e, ENOENT, "there is no bisection %lld",
					       (long long)id);
	return db_exec(s, e, "INSERT INTO bisection_step (bisection_id, seq, at_ns, \"commit\","
		       " what, value, detail) SELECT ?1, count(*), ?2, ?3, ?4, ?5, ?6"
		       " FROM bisection_step WHERE bisection_id = ?1", "iittdt", id, step->at_ns,
		       step->commit, step->what, step->value, step->detail);
}

int store_bisection_add(struct store *s, int64_t id, const struct store_bisection_step *step,
			const char *memory, struct err *e)
{
	int ret = db_begin(s, e);

	return ret < 0 ? ret : db_end(s, add(s, id, step, memory, e), e);
}

int store_bisection_end(struct store *s, int64_t id, const char *state, const char *culprit,
			double confidence, int64_t now_ns, struct err *e)
{
	int64_t found;
	int ret = db_number(s, &found, e, "UPDATE bisection SET state = ?2, culprit = ?3,"
			    " confidence = ?4, changed_ns = ?5 WHERE id = ?1 RETURNING id", "itndi",
			    id, state, culprit, confidence, now_ns);

	return ret <= 0 ? ret : err_set(e, ENOENT, "there is no bisection %lld", (long long)id);
}

static int load_steps(struct store *s, struct store_bisection *b, struct err *e)
{
	_query_ sqlite3_stmt *st = NULL;
	int ret = db_query(s, &st, e, "SELECT at_ns, \"commit\", what, value, detail"
			   " FROM bisection_step WHERE bisection_id = ?1 ORDER BY seq", "i", b->id);

	while (!ret && (ret = db_step(s, st, e)) > 0) {
		ret = 0;
		GROW(b->step, b->n_steps);
		b->step[b->n_steps++] = (struct store_bisection_step){
			sqlite3_column_int64(st, 0), db_copy(st, 1), db_copy(st, 2),
			db_real(st, 3), db_copy(st, 4)
		};
	}
	return ret;
}

static int load(struct store *s, int64_t id, const char *state, struct store_bisections *out,
		struct err *e)
{
	_query_ sqlite3_stmt *st = NULL;
	size_t first = out->n;
	int ret = db_query(s, &st, e, "SELECT id, finding_id, repository, good, bad, params,"
			   " metric, state, culprit, confidence, memory, opened_ns, changed_ns"
			   " FROM bisection WHERE (?1 = 0 OR id = ?1)"
			   " AND (?2 IS NULL OR state = ?2)"
			   " ORDER BY opened_ns DESC, id DESC", "in", id, state);

	while (!ret && (ret = db_step(s, st, e)) > 0) {
		ret = 0;
		GROW(out->row, out->n);
		out->row[out->n++] = (struct store_bisection){
			.id = sqlite3_column_int64(st, 0),
			.finding = sqlite3_column_int64(st, 1),
			.repository = db_copy(st, 2),
			.good = db_copy(st, 3),
			.bad = db_copy(st, 4),
			.params = db_copy(st, 5),
			.metric = db_copy(st, 6),
			.state = db_copy(st, 7),
			.culprit = db_copy(st, 8),
			.confidence = db_real(st, 9),
			.memory = db_copy(st, 10),
			.opened_ns = sqlite3_column_int64(st, 11),
			.changed_ns = sqlite3_column_int64(st, 12),
		};
	}
	for (size_t i = first; !ret && i < out->n; i++)
		ret = load_steps(s, &out->row[i], e);
	return ret;
}

int store_bisections(struct store *s, int64_t id, const char *state,
		     struct store_bisections *out, struct err *e)
{
	int ret = db_begin_read(s, e);

	return ret < 0 ? ret : db_end(s, load(s, id, state, out, e), e);
}

void store_bisections_release(struct store_bisections *b)
{
	for (size_t i = 0; i < b->n; i++) {
		struct store_bisection *row = &b->row[i];

		for (size_t k = 0; k < row->n_steps; k++) {
			db_free(row->step[k].commit);
			db_free(row->step[k].what);
			db_free(row->step[k].detail);
		}
		free(row->step);
		db_free(row->repository);
		db_free(row->good);
		db_free(row->bad);
		db_free(row->params);
		db_free(row->metric);
		db_free(row->state);
		db_free(row->culprit);
		db_free(row->memory);
	}
	free(b->row);
	*b = (struct store_bisections){};
}
