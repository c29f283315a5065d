/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>

#include "store/db.h"
#include "store/finding.h"

int store_add_verdict(struct store *s, const struct store_verdict *v, int64_t *id, struct err *e)
{
	int64_t mine;
	int ret = db_begin(s, e);

	if (ret < 0)
		return ret;
	ret = db_number(s, &mine, e,
		"INSERT INTO verdict (job_id, machine_id, metric_id, base_id, head_id, mode,"
		" verdict, reason, change, low, high, p, noise, drift, boots_base, boots_head,"
		" made_ns)"
		" SELECT j.id, m.id, t.id, b.id, h.id, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15,"
		" ?16, ?17, ?18 FROM job j, machine m, metric t, kernel b, kernel h"
		" WHERE j.params = ?1 AND j.test = ?2 AND m.name = ?3 AND t.name = ?4"
		" AND b.name = ?5 AND h.name = ?6 ORDER BY m.id DESC LIMIT 1 RETURNING id",
		"tttttttttddddddiii", v->params, v->test, v->machine, v->metric, v->base, v->head,
		v->mode, v->verdict, v->reason, v->change, v->low, v->high, v->p, v->noise,
		v->drift, v->boots_base, v->boots_head, v->made_ns);
	if (ret == 1)
		ret = err_set(e, ENOENT, "%s: no run has all of job, machine %s, metric %s and "
			      "kernels %s and %s", s->path, v->machine, v->metric, v->base,
			      v->head);
	ret = db_end(s, ret, e);
	if (!ret && id)
		*id = mine;
	return ret;
}

static void take(struct store_verdict *v, sqlite3_stmt *st)
{
	*v = (struct store_verdict){
		.id = sqlite3_column_int64(st, 0),
		.params = db_copy(st, 1),
		.test = db_copy(st, 2),
		.machine = db_copy(st, 3),
		.mode = db_copy(st, 4),
		.metric = db_copy(st, 5),
		.base = db_copy(st, 6),
		.head = db_copy(st, 7),
		.verdict = db_copy(st, 8),
		.reason = db_copy(st, 9),
		.change = db_real(st, 10),
		.low = db_real(st, 11),
		.high = db_real(st, 12),
		.p = db_real(st, 13),
		.noise = db_real(st, 14),
		.drift = db_real(st, 15),
		.boots_base = sqlite3_column_int64(st, 16),
		.boots_head = sqlite3_column_int64(st, 17),
		.made_ns = sqlite3_column_int64(st, 18),
	};
}

int store_verdicts(struct store *s, const struct store_verdict_filter *f,
		   struct store_verdicts *out, struct err *e)
{
	_query_ sqlite3_stmt *st = NULL;
	int ret = db_query(s, &st, e,
		"SELECT v.id, j.params, j.test, m.name, v.mode, t.name, b.name, h.name, v.verdict,"
		" v.reason, v.change, v.low, v.high, v.p, v.noise, v.drift, v.boots_base,"
		" v.boots_head, v.made_ns FROM verdict v"
		" JOIN job j ON j.id = v.job_id JOIN machine m ON m.id = v.machine_id"
		" JOIN metric t ON t.id = v.metric_id JOIN kernel b ON b.id = v.base_id"
		" JOIN kernel h ON h.id = v.head_id"
		" WHERE (?1 = 0 OR v.id = ?1) AND v.made_ns >= ?2"
		" AND (?3 IS NULL OR j.name = ?3 OR j.test = ?3 OR j.params = ?3)"
		" AND (?4 IS NULL OR m.name = ?4) AND (?5 IS NULL OR t.name = ?5)"
		" AND (?6 IS NULL OR b.name = ?6) AND (?7 IS NULL OR h.name = ?7)"
		" AND (?8 IS NULL OR v.verdict = ?8) ORDER BY v.made_ns DESC, v.id DESC",
		"iinnnnnn", f->id, f->since_ns, f->job, f->machine, f->metric, f->base, f->head,
		f->verdict);

	while (!ret && (ret = db_step(s, st, e)) > 0) {
		GROW(out->row, out->n);
		take(&out->row[out->n++], st);
		ret = 0;
	}
	return ret;
}

void store_verdicts_release(struct store_verdicts *v)
{
	for (size_t i = 0; i < v->n; i++) {
		struct store_verdict *row = &v->row[i];

		db_free(row->params);
		db_free(row->test);
		db_free(row->machine);
		db_free(row->mode);
		db_free(row->metric);
		db_free(row->base);
		db_free(row->head);
		db_free(row->verdict);
		db_free(row->reason);
	}
	free(v->row);
	*v = (struct store_verdicts){};
}
