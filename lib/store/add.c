/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Adding a run: each level above it is found by its identity or made, and what
 * is newly known of it (a subject, a boot's time) is filled in.
 */
#include <errno.h>
#include <math.h>

#include "store/db.h"

static int add_kernel(struct store *s, const struct store_run *r, int64_t *id, struct err *e)
{
	return db_number(s, id, e,
		"INSERT INTO kernel (name, \"commit\", describe, subject, committed_secs)"
		" VALUES (?1, ?2, ?3, ?4, ?5)"
		" ON CONFLICT (name) DO UPDATE SET"
		" \"commit\" = coalesce(excluded.\"commit\", \"commit\"),"
		" describe = iif(excluded.describe = '', describe, excluded.describe),"
		" subject = iif(excluded.subject = '', subject, excluded.subject),"
		" committed_secs = iif(excluded.committed_secs, excluded.committed_secs,"
		" committed_secs) RETURNING id", "tntti", r->kernel.name,
		r->kernel.commit, r->kernel.describe, r->kernel.subject,
		r->kernel.committed_secs);
}

static int add_build(struct store *s, const struct store_run *r, int64_t *id, struct err *e)
{
	int64_t kernel;
	int ret = add_kernel(s, r, &kernel, e);

	if (ret < 0)
		return ret;
	return db_number(s, id, e, "INSERT INTO build (kernel_id, config, compiler)"
			 " VALUES (?1, ?2, ?3) ON CONFLICT DO UPDATE SET kernel_id = kernel_id"
			 " RETURNING id", "itt", kernel, r->build.config, r->build.compiler);
}

static int add_machine(struct store *s, const struct store_run *r, int64_t *machine,
		       int64_t *environment, struct err *e)
{
	int ret = db_number(s, machine, e, "INSERT INTO machine (name, facts) VALUES (?1, ?2)"
			    " ON CONFLICT DO UPDATE SET name = name RETURNING id", "tt",
			    r->machine.name, r->machine.facts);

	if (ret < 0)
		return ret;
	return db_number(s, environment, e, "INSERT INTO environment (machine_id, facts)"
			 " VALUES (?1, ?2) ON CONFLICT DO UPDATE SET facts = facts RETURNING id",
			 "it", *machine, r->machine.environment);
}

static int add_boot(struct store *s, const struct store_run *r, int64_t build, int64_t machine,
		    int64_t *id, struct err *e)
{
	return db_number(s, id, e,
		"INSERT INTO boot (uuid, build_id, machine_id, mode, cmdline, booted_ns)"
		" VALUES (?1, ?2, ?3, ?4, ?5, ?6)"
		" ON CONFLICT DO UPDATE SET"
		" cmdline = iif(excluded.cmdline = '', cmdline, excluded.cmdline),"
		" booted_ns = iif(excluded.booted_ns, excluded.booted_ns, booted_ns)"
		" RETURNING id", "tiitti", r->boot.uuid, build, machine, r->boot.mode,
		r->boot.cmdline, r->boot.booted_ns);
}

static int add_job(struct store *s, const struct store_run *r, int64_t *id, struct err *e)
{
	return db_number(s, id, e, "INSERT INTO job (test, name, params) VALUES (?1, ?2, ?3)"
			 " ON CONFLICT DO UPDATE SET name = excluded.name RETURNING id", "ttt",
			 r->job.test, r->job.name ? r->job.name : r->job.test, r->job.params);
}

static int add_program(struct store *s, const struct store_run *r, int64_t *id, struct err *e)
{
	return db_number(s, id, e, "INSERT INTO program (hash, compiler) VALUES (?1, ?2)"
			 " ON CONFLICT DO UPDATE SET hash = hash RETURNING id", "tt",
			 r->program.hash, r->program.compiler);
}

/*
 * The number of this run if it was added before, else 0.  A folder that now
 * holds another run, and a run that now lies in another folder, may be two rows
 * of old: the one that is no more goes away.
 */
static int find_run(struct store *s, const struct store_run *r, const char *uuid, int64_t *id,
		    struct err *e)
{
	int ret;

	*id = 0;
	ret = db_number(s, id, e, "SELECT id FROM run WHERE uuid = ?1", "t", uuid);
	if (ret == 1)
		ret = db_number(s, id, e, "SELECT id FROM run WHERE dir = ?1", "t", r->dir);
	if (ret < 0)
		return ret;
	if (!*id)
		return 0;
	ret = db_exec(s, e, "DELETE FROM run WHERE dir = ?1 AND id <> ?2", "ti", r->dir, *id);
	if (ret < 0)
		return ret;
	return db_exec(s, e, "DELETE FROM sample WHERE run_id = ?1", "i", *id);
}

static int put_run(struct store *s, const struct store_run *r, int64_t *id, struct err *e)
{
	const char *uuid = r->uuid && *r->uuid ? r->uuid : r->dir;
	int64_t old, build, machine, environment, boot, job, program;

	if (find_run(s, r, uuid, &old, e) < 0 ||
	    add_build(s, r, &build, e) < 0 ||
	    add_machine(s, r, &machine, &environment, e) < 0 ||
	    add_boot(s, r, build, machine, &boot, e) < 0 ||
	    add_job(s, r, &job, e) < 0 ||
	    add_program(s, r, &program, e) < 0)
		return -e->code;
	return db_number(s, id, e,
		"INSERT INTO run (id, uuid, dir, boot_id, environment_id, job_id, program_id,"
		" label, session, position, seq, started_ns, ended_ns, state, reason, profile)"
		" VALUES (nullif(?1, 0), ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14,"
		" ?15, ?16)"
		" ON CONFLICT (id) DO UPDATE SET uuid = excluded.uuid, dir = excluded.dir,"
		" boot_id = excluded.boot_id, environment_id = excluded.environment_id,"
		" job_id = excluded.job_id, program_id = excluded.program_id,"
		" label = excluded.label, session = excluded.session,"
		" position = excluded.position, seq = excluded.seq,"
		" started_ns = excluded.started_ns, ended_ns = excluded.ended_ns,"
		" state = excluded.state, reason = excluded.reason, profile = excluded.profile"
		" RETURNING id",
		"ittiiiittiiiitti", old, uuid, r->dir, boot, environment, job, program, r->label,
		r->session, r->position, r->seq, r->started_ns, r->ended_ns, r->state, r->reason,
		(int64_t)r->profile);
}

static int describe_metric(struct store *s, const struct store_metric *m, struct err *e)
{
	int64_t id;
	int ret = db_number(s, &id, e,
		"INSERT INTO metric (name, unit, better, headline, kind, meaning)"
		" VALUES (?1, ?2, ?3, ?4, ?5, ?6)"
		" ON CONFLICT DO UPDATE SET unit = excluded.unit, better = excluded.better,"
		" headline = excluded.headline, kind = excluded.kind, meaning = excluded.meaning"
		" RETURNING id", "tnninn", m->name, m->unit, m->better, (int64_t)m->headline,
		m->kind, m->meaning);

	if (ret < 0)
		return err_in(e, "metric %s", m->name);
	ids_add(&s->metrics, m->name, id);
	return 0;
}

static int name_metric(struct store *s, const char *name, struct ids_entry **out, struct err *e)
{
	int64_t id;

	*out = ids_find(&s->metrics, name);
	if (*out)
		return 0;
	if (db_number(s, &id, e, "INSERT INTO metric (name, headline) VALUES (?1, 0)"
		      " ON CONFLICT DO UPDATE SET name = name RETURNING id", "t", name) < 0)
		return -e->code;
	*out = ids_add(&s->metrics, name, id);
	return 0;
}

static int add_sample(struct store *s, sqlite3_stmt *st, const struct store_sample *sample,
		      int64_t run, struct err *e)
{
	struct ids_entry *metric;

	if (!sample->reason && !isfinite(sample->value))
		return err_set(e, EINVAL, "metric %s: the value is not a number", sample->metric);
	if (name_metric(s, sample->metric, &metric, e) < 0)
		return -e->code;
	if (metric->run != run) {
		metric->run = run;
		metric->seq = 0;
	}
	sqlite3_bind_int64(st, 2, metric->id);
	sqlite3_bind_int64(st, 3, metric->seq++);
	if (sample->reason) {
		sqlite3_bind_null(st, 4);
		sqlite3_bind_text(st, 5, sample->reason, -1, SQLITE_STATIC);
	} else {
		sqlite3_bind_double(st, 4, sample->value);
		sqlite3_bind_null(st, 5);
	}
	if (sqlite3_step(st) != SQLITE_DONE)
		return db_error(s, e, sample->metric);
	sqlite3_reset(st);
	return 0;
}

static int add_samples(struct store *s, const struct store_run *r, int64_t run, struct err *e)
{
	_query_ sqlite3_stmt *st = NULL;
	int ret = db_query(s, &st, e, "INSERT INTO sample (run_id, metric_id, seq, value, reason)"
			   " VALUES (?1, ?2, ?3, ?4, ?5)", "i", run);

	for (size_t i = 0; !ret && i < r->n_metrics; i++)
		ret = describe_metric(s, &r->metric[i], e);
	/* Counting starts anew even if this run's number was counted before. */
	for (size_t i = 0; !ret && i < s->metrics.room; i++)
		s->metrics.slot[i].run = -1;
	for (size_t i = 0; !ret && i < r->n_samples; i++)
		ret = add_sample(s, st, &r->sample[i], run, e);
	return ret;
}

int store_add_run(struct store *s, const struct store_run *run, int64_t *id, struct err *e)
{
	int64_t mine = 0;
	int ret;

	if (!run->dir || !*run->dir)
		return err_set(e, EINVAL, "%s: a run without a folder", s->path);
	ret = db_begin(s, e);
	if (ret < 0)
		return ret;
	ret = put_run(s, run, &mine, e);
	if (!ret)
		ret = add_samples(s, run, mine, e);
	if (ret < 0)
		err_in(e, "run %s", run->dir);
	ret = db_end(s, ret, e);
	if (!ret && id)
		*id = mine;
	return ret;
}

int store_remove_run(struct store *s, const char *dir, struct err *e)
{
	int ret = db_begin(s, e);

	if (ret < 0)
		return ret;
	ret = db_exec(s, e, "DELETE FROM run WHERE dir = ?1", "t", dir);
	if (!ret && !sqlite3_changes(s->db))
		ret = 1;
	return db_end(s, ret, e);
}
