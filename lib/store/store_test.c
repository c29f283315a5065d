/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <sys/wait.h>
#include <time.h>

#include "base/check.h"
#include "base/file.h"
#include "store/db.h"

/* A folder of the test's own, and a file in it that does not exist yet. */
struct place {
	char dir[64];
	char *db;
};

static void place_make(struct place *p)
{
	strcpy(p->dir, "/tmp/krobot-store-XXXXXX");
	assert_non_null(mkdtemp(p->dir));
	p->db = path_join(p->dir, "krobot.db");
}

static void place_remove(struct place *p)
{
	struct err e;

	assert_int_equal(dir_remove(p->dir, &e), 0);
	free(p->db);
}

#define _place_ _cleanup_(place_remove)
#define OK(call) do { if ((call) != 0) fail_msg("%s: %s", #call, e.text); } while (0)

static const struct store_sample two[] = {
	{ "t.ns", .value = 1.5 }, { "t.ops", .value = 7 }, { "t.ns", .value = 2.5 },
};

static const struct store_run example = {
	.kernel = { "6.1.0-47", NULL, "v6.1.47", "Linux 6.1.47", 1700000000 },
	.build = { "c0ffee", "gcc 12" },
	.machine = { "box", "{\"nodes\":1}", "{\"microcode\":\"0x1\"}" },
	.boot = { "b-1", "quiet", "host", 5 },
	.job = { "t", "t/size=64M", "{\"size\":\"64M\",\"test\":\"t\"}" },
	.program = { "p1", "gcc 12" },
	.uuid = "r-1",
	.dir = "/results/r-1",
	.label = "before",
	.session = "s-1",
	.position = 3,
	.seq = 2,
	.started_ns = 1000,
	.ended_ns = 2000,
	.state = "ok",
	.reason = "",
	.sample = two,
	.n_samples = COUNT(two),
};

/* The example with another name of its own. */
static struct store_run numbered(char name[32], int n)
{
	struct store_run run = example;

	snprintf(name, 32, "/results/r-%d", n);
	run.uuid = run.dir = name;
	run.started_ns = 1000 + n;
	return run;
}

static struct store *memory(void)
{
	struct store *s = NULL;
	struct err e;

	OK(store_open(&s, ":memory:", &e));
	return s;
}

static int64_t number(struct store *s, const char *sql)
{
	int64_t n = -1;
	struct err e;

	OK(db_number(s, &n, &e, sql, ""));
	return n;
}

static const struct store_filter all = { .profile = STORE_ALL_RUNS };

TEST(a_run_comes_back_as_it_went_in)
{
	_store_ struct store *s = memory();
	_store_rows_ struct store_rows rows = {};
	const struct store_row *r;
	int64_t id;
	struct err e;

	OK(store_add_run(s, &example, &id, &e));
	OK(store_samples(s, NULL, "t.ns", &rows, &e));
	assert_int_equal(rows.n, 1);
	r = rows.row;
	assert_int_equal(r->id, id);
	assert_string_equal(r->kernel, "6.1.0-47");
	assert_null(r->commit);
	assert_string_equal(r->describe, "v6.1.47");
	assert_string_equal(r->subject, "Linux 6.1.47");
	assert_int_equal(r->committed_secs, 1700000000);
	assert_string_equal(r->config, "c0ffee");
	assert_string_equal(r->compiler, "gcc 12");
	assert_string_equal(r->machine, "box");
	assert_string_equal(r->facts, "{\"nodes\":1}");
	assert_string_equal(r->environment, "{\"microcode\":\"0x1\"}");
	assert_string_equal(r->boot, "b-1");
	assert_string_equal(r->cmdline, "quiet");
	assert_string_equal(r->mode, "host");
	assert_string_equal(r->test, "t");
	assert_string_equal(r->job, "t/size=64M");
	assert_string_equal(r->params, example.job.params);
	assert_string_equal(r->program, "p1");
	assert_string_equal(r->uuid, "r-1");
	assert_string_equal(r->dir, "/results/r-1");
	assert_string_equal(r->label, "before");
	assert_string_equal(r->session, "s-1");
	assert_string_equal(r->state, "ok");
	assert_string_equal(r->reason, "");
	assert_int_equal(r->position, 3);
	assert_int_equal(r->seq, 2);
	assert_int_equal(r->started_ns, 1000);
	assert_int_equal(r->ended_ns, 2000);
	assert_false(r->profile);
	assert_int_equal(r->n, 2);
	assert_true(r->value[0] == 1.5 && r->value[1] == 2.5);
	assert_int_equal(r->n_null, 0);
}

TEST(what_is_missing_is_not_zero)
{
	static const struct store_sample samples[] = {
		{ "cycles", .value = 1 }, { "cycles", .reason = "not counted" },
		{ "cycles", .value = 3 },
	};
	_store_ struct store *s = memory();
	_store_rows_ struct store_rows rows = {}, absent = {};
	struct store_run run = example;
	struct err e;

	run.sample = samples;
	OK(store_add_run(s, &run, NULL, &e));
	OK(store_samples(s, NULL, "cycles", &rows, &e));
	assert_int_equal(rows.row[0].n, 2);
	assert_true(rows.row[0].value[1] == 3);
	assert_int_equal(rows.row[0].n_null, 1);
	assert_string_equal(rows.row[0].null_reason, "not counted");
	OK(store_samples(s, NULL, "no-such", &absent, &e));
	assert_int_equal(absent.n, 1);
	assert_int_equal(absent.row[0].n, 0);
	assert_int_equal(absent.row[0].n_null, 0);
}

TEST(adding_again_replaces)
{
	static const struct store_sample one = { "t.ns", .value = 9 };
	_store_ struct store *s = memory();
	_store_rows_ struct store_rows rows = {};
	struct store_run again = example;
	int64_t first, second;
	struct err e;

	OK(store_add_run(s, &example, &first, &e));
	again.sample = &one;
	again.n_samples = 1;
	again.state = "invalid";
	again.dir = "/elsewhere/r-1";	/* the folder was moved */
	OK(store_add_run(s, &again, &second, &e));
	assert_int_equal(first, second);
	OK(store_samples(s, NULL, "t.ns", &rows, &e));
	assert_int_equal(rows.n, 1);
	assert_int_equal(rows.row[0].n, 1);
	assert_string_equal(rows.row[0].state, "invalid");
	assert_string_equal(rows.row[0].dir, "/elsewhere/r-1");
	assert_int_equal(number(s, "SELECT count(*) FROM sample"), 1);
}

TEST(a_folder_holds_one_run)
{
	_store_ struct store *s = memory();
	_store_rows_ struct store_rows rows = {};
	char a[32], b[32];
	struct store_run first = numbered(a, 1), second = numbered(b, 2);
	struct err e;

	OK(store_add_run(s, &first, NULL, &e));
	OK(store_add_run(s, &second, NULL, &e));
	second.dir = first.dir;		/* what lies there now */
	OK(store_add_run(s, &second, NULL, &e));
	OK(store_runs(s, NULL, &rows, &e));
	assert_int_equal(rows.n, 1);
	assert_string_equal(rows.row[0].uuid, b);
	assert_string_equal(rows.row[0].dir, a);
	assert_int_equal(number(s, "SELECT count(*) FROM sample"), COUNT(two));
	assert_int_equal(store_remove_run(s, a, &e), 0);
	assert_int_equal(store_remove_run(s, a, &e), 1);
	assert_int_equal(number(s, "SELECT count(*) FROM sample"), 0);
}

TEST(a_bad_run_leaves_nothing)
{
	static const struct store_sample nan_last[] = {
		{ "t.new", .value = 1 }, { "t.ns", .value = NAN },
	};
	_store_ struct store *s = memory();
	struct store_run run = example;
	struct err e;

	run.sample = nan_last;
	run.n_samples = 2;
	assert_int_equal(store_add_run(s, &run, NULL, &e), -EINVAL);
	assert_non_null(strstr(e.text, "/results/r-1: metric t.ns: the value is not a number"));
	run = example;
	run.state = "splendid";
	assert_int_equal(store_add_run(s, &run, NULL, &e), -EINVAL);
	run = example;
	run.dir = "";
	assert_int_equal(store_add_run(s, &run, NULL, &e), -EINVAL);
	assert_int_equal(number(s, "SELECT (SELECT count(*) FROM run)"
				" + (SELECT count(*) FROM sample) + (SELECT count(*) FROM metric)"
				" + (SELECT count(*) FROM kernel)"), 0);
	OK(store_add_run(s, &example, NULL, &e));
	assert_int_equal(number(s, "SELECT count(*) FROM sample"), COUNT(two));
}

TEST(levels_are_shared_and_filled_in)
{
	_store_ struct store *s = memory();
	_store_rows_ struct store_rows rows = {};
	char a[32], b[32];
	struct store_run first = numbered(a, 1), second = numbered(b, 2);
	struct err e;

	first.kernel.subject = NULL;
	second.kernel.describe = "";
	second.kernel.commit = "0123456789abcdef0123456789abcdef01234567";
	second.machine.environment = "{\"microcode\":\"0x2\"}";
	OK(store_add_run(s, &first, NULL, &e));
	OK(store_add_run(s, &second, NULL, &e));
	assert_int_equal(number(s, "SELECT count(*) FROM kernel"), 1);
	assert_int_equal(number(s, "SELECT count(*) FROM machine"), 1);
	assert_int_equal(number(s, "SELECT count(*) FROM environment"), 2);
	assert_int_equal(number(s, "SELECT count(*) FROM boot"), 1);
	assert_int_equal(number(s, "SELECT count(*) FROM job"), 1);
	OK(store_runs(s, NULL, &rows, &e));
	assert_string_equal(rows.row[0].subject, "Linux 6.1.47");
	assert_string_equal(rows.row[0].describe, "v6.1.47");
	assert_string_equal(rows.row[0].commit, second.kernel.commit);
	assert_string_equal(rows.row[0].environment, "{\"microcode\":\"0x1\"}");
	assert_string_equal(rows.row[1].environment, "{\"microcode\":\"0x2\"}");
}

/* Runs of two jobs, kernels and labels; a profile run; one that failed. */
static void fill(struct store *s)
{
	char name[32];
	struct err e;

	for (int i = 0; i < 12; i++) {
		struct store_run run = numbered(name, i);

		run.label = i % 2 ? "after" : "before";
		run.profile = i == 10;
		if (i == 11)
			run.state = "failed";
		if (i % 3 == 0) {
			run.job.test = "vm-scalability";
			run.job.name = "vm-scalability/size=1G";
			run.job.params = "{\"cpus\":[\"0\"],\"test\":\"vm-scalability\"}";
		}
		if (i >= 6) {
			run.kernel.name = "fedcba9876543210fedcba9876543210fedcba98";
			run.kernel.commit = run.kernel.name;
			run.kernel.describe = "v6.2-rc1-3-gfedcba98";
			run.boot.uuid = "b-2";
		}
		OK(store_add_run(s, &run, NULL, &e));
	}
}

TEST(filters_choose)
{
	static const struct { struct store_filter f; size_t n; } rows[] = {
		{ { }, 11 },
		{ { .profile = STORE_ALL_RUNS }, 12 },
		{ { .profile = STORE_PROFILE_RUNS }, 1 },
		{ { .test = "t" }, 7 },
		{ { .test = "vm*" }, 4 },
		{ { .job = "t/size=64M" }, 7 },
		{ { .job = "vm-*1G" }, 4 },
		{ { .job = "vm-scalability" }, 4 },
		{ { .job = "{\"cpus\":[\"0\"],\"test\":\"vm-scalability\"}" }, 4 },
		{ { .label = "before" }, 5 },
		{ { .label = "[ab]*" }, 11 },
		{ { .label = "before", .job = "t" }, 3 },
		{ { .kernel = "fedcba9" }, 5 },
		{ { .kernel = "fedcba" }, 0 },
		{ { .kernel = "v6.2-rc1-3-gfedcba98" }, 5 },
		{ { .kernel = "6.1*" }, 6 },
		{ { .machine = "box" }, 11 },
		{ { .machine = "bo" }, 0 },
		{ { .mode = "kvm" }, 0 },
		{ { .boot = "b-2" }, 5 },
		{ { .state = "ok" }, 10 },
		{ { .session = "s-1" }, 11 },
		{ { .program = "p1" }, 11 },
		{ { .dir = "/results/r-4" }, 1 },
		{ { .run = 2 }, 1 },
		{ { .since_ns = 1004, .label = "after", .state = "ok" }, 3 },
		{ { .label = "x' OR '1'='1" }, 0 },
	};
	_store_ struct store *s = memory();

	fill(s);
	for (size_t i = 0; i < COUNT(rows); i++) {
		_store_rows_ struct store_rows got = {};
		struct err e;

		OK(store_runs(s, &rows[i].f, &got, &e));
		if (got.n != rows[i].n)
			fail_msg("row %zu: %zu runs, not %zu", i, got.n, rows[i].n);
		for (size_t k = 1; k < got.n; k++)
			assert_true(got.row[k - 1].started_ns < got.row[k].started_ns);
	}
}

TEST(names_and_what_nearly_matches)
{
	static const struct { enum store_what what; const char *text, *first; } rows[] = {
		{ STORE_JOBS, "vm-scalabilty", "vm-scalability/size=1G" },
		{ STORE_JOBS, "scalability", "vm-scalability/size=1G" },
		{ STORE_TESTS, "T", "t" },
		{ STORE_LABELS, "befor", "before" },
		{ STORE_LABELS, "afetr", "after" },
		{ STORE_KERNELS, "6.1.0-46", "6.1.0-47" },
		{ STORE_MACHINES, "zzzzzzzz", NULL },
	};
	_store_ struct store *s = memory();
	_store_names_ struct store_names labels = {};
	struct err e;

	fill(s);
	OK(store_names(s, STORE_LABELS, &all, &labels, &e));
	assert_int_equal(labels.n, 2);
	assert_string_equal(labels.row[0].name, "after");
	assert_int_equal(labels.row[0].runs, 6);
	assert_int_equal(labels.row[0].first_ns, 1001);
	assert_int_equal(labels.row[0].last_ns, 1011);
	for (size_t i = 0; i < COUNT(rows); i++) {
		_store_names_ struct store_names near = {};

		OK(store_near(s, rows[i].what, rows[i].text, 3, &near, &e));
		if (!rows[i].first)
			assert_int_equal(near.n, 0);
		else if (!near.n || strcmp(near.row[0].name, rows[i].first))
			fail_msg("%s: %s", rows[i].text, near.n ? near.row[0].name : "none");
	}
}

TEST(metrics_are_described)
{
	static const struct store_metric described = {
		"t.ns", "ns", "lower", "mean", "one iteration", true
	};
	_store_ struct store *s = memory();
	_store_metrics_ struct store_metrics m = {}, one = {};
	struct store_run run = example;
	struct err e;

	OK(store_add_run(s, &run, NULL, &e));
	run.metric = &described;
	run.n_metrics = 1;
	OK(store_add_run(s, &run, NULL, &e));
	OK(store_add_run(s, &example, NULL, &e));	/* says nothing: what is known stays */
	OK(store_metrics(s, NULL, &m, &e));
	assert_int_equal(m.n, 2);
	assert_string_equal(m.row[0].name, "t.ns");
	assert_string_equal(m.row[0].unit, "ns");
	assert_string_equal(m.row[0].better, "lower");
	assert_string_equal(m.row[0].kind, "mean");
	assert_string_equal(m.row[0].meaning, "one iteration");
	assert_true(m.row[0].headline);
	assert_int_equal(m.row[0].runs, 1);
	assert_string_equal(m.row[1].name, "t.ops");
	assert_null(m.row[1].better);
	assert_int_equal(store_metric(s, "t.ns", &one, &e), 0);
	assert_string_equal(one.row[0].meaning, "one iteration");
	assert_int_equal(store_metric(s, "none", &one, &e), 1);
}

TEST(the_result_view_is_for_people)
{
	_store_ struct store *s = memory();
	_query_ sqlite3_stmt *st = NULL;
	struct err e;

	fill(s);
	assert_int_equal(number(s, "SELECT count(*) FROM result"), 2 * 10);
	OK(db_query(s, &st, &e, "SELECT kernel, label, machine, test, job, params, boot, run,"
		    " metric, unit, value, n FROM result WHERE metric = 't.ns' AND run = 2", ""));
	assert_int_equal(db_step(s, st, &e), 1);
	assert_string_equal(db_text(st, 1), "after");
	assert_true(sqlite3_column_double(st, 10) == 2);
	assert_int_equal(sqlite3_column_int(st, 11), 2);
}

TEST(hostile_text_is_only_text)
{
	_store_ struct store *s = memory();
	_store_rows_ struct store_rows rows = {};
	_free_ char *longest = mem_zero(1 << 20, 1);
	static char garbage[256];
	struct store_run run = example;
	struct store_sample sample = { .metric = "'; DROP TABLE run; --", .value = 4 };
	struct err e;

	memset(longest, '"', (1 << 20) - 1);
	for (int i = 0; i < 255; i++)
		garbage[i] = (char)(i + 1);
	run.kernel.subject = garbage;
	run.kernel.name = "x\"); DELETE FROM kernel; --";
	run.label = "*?[";
	run.reason = longest;
	run.sample = &sample;
	run.n_samples = 1;
	OK(store_add_run(s, &run, NULL, &e));
	OK(store_samples(s, &(struct store_filter){ .label = "*?[" }, sample.metric, &rows, &e));
	assert_int_equal(rows.n, 1);
	assert_string_equal(rows.row[0].subject, garbage);
	assert_string_equal(rows.row[0].kernel, run.kernel.name);
	assert_string_equal(rows.row[0].reason, longest);
	assert_true(rows.row[0].n == 1 && rows.row[0].value[0] == 4);
}

static void exec_raw(const char *path, const char *sql)
{
	sqlite3 *db;

	assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
	assert_int_equal(sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK);
	assert_int_equal(sqlite3_close(db), SQLITE_OK);
}

static void refused(const char *path, int code, const char *why)
{
	_text_ struct text before = {}, after = {};
	_store_ struct store *s = NULL;
	struct err e = {};

	assert_true(file_read(AT_FDCWD, path, 1 << 20, &before, &e) >= 0);
	assert_int_equal(store_open(&s, path, &e), -code);
	if (!strstr(e.text, why) || !strstr(e.text, path))
		fail_msg("%s", e.text);
	assert_true(file_read(AT_FDCWD, path, 1 << 20, &after, &e) >= 0);
	assert_int_equal(before.len, after.len);
	assert_memory_equal(before.p, after.p, before.len);
}

TEST(other_files_are_refused_and_left_alone)
{
	_place_ struct place p;
	_free_ char *text = NULL, *other = NULL, *newer = NULL;
	_store_ struct store *s = NULL;
	struct err e;

	place_make(&p);
	text = path_join(p.dir, "text");
	other = path_join(p.dir, "other.db");
	newer = path_join(p.dir, "newer.db");
	OK(file_write(AT_FDCWD, text, "#!/bin/sh\n# This is a text of some length, no database\n",
		      52, &e));
	refused(text, EINVAL, "not a database");
	exec_raw(other, "CREATE TABLE bookmark (url TEXT)");
	refused(other, EINVAL, "another program");
	exec_raw(newer, "PRAGMA application_id = 0x6b726274; PRAGMA user_version = 9999;");
	refused(newer, EPROTO, "version 9999 was made by a newer krobot");
	assert_int_equal(store_open(&s, p.dir, &e), -EISDIR);
	assert_true(store_open(&s, "/proc/no/such/folder.db", &e) < 0);
}

TEST(the_file_says_whose_it_is)
{
	_place_ struct place p;
	_store_ struct store *s = NULL;
	struct err e;

	place_make(&p);
	OK(store_open(&s, p.db, &e));
	assert_int_equal(number(s, "PRAGMA application_id"), DB_APPLICATION);
	assert_int_equal(number(s, "PRAGMA user_version"), (int64_t)n_schema_steps);
	assert_int_equal(number(s, "PRAGMA foreign_keys"), 1);
	assert_int_equal(number(s, "SELECT count(*) FROM pragma_journal_mode"
				" WHERE journal_mode = 'wal'"), 1);
	assert_int_equal(number(s, "SELECT count(*) FROM pragma_table_list WHERE type = 'table'"
				" AND NOT strict AND name NOT LIKE 'sqlite%'"), 0);
}

TEST(a_file_of_the_first_version_is_brought_up)
{
	const char *more[] = {
		schema_steps[0],
		"ALTER TABLE run ADD COLUMN wall_ns INTEGER NOT NULL DEFAULT 0;",
		/* A table made anew, to which others refer. */
		"CREATE TABLE k2 (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE) STRICT;"
		"DROP VIEW result;"
		"INSERT INTO k2 SELECT id, name FROM kernel; DROP TABLE kernel;"
		"ALTER TABLE k2 RENAME TO kernel;",
	};
	_place_ struct place p;
	_store_ struct store *old = NULL, *new = NULL, *oldest = NULL;
	struct err e;

	place_make(&p);
	OK(db_open(&old, p.db, schema_steps, 1, &e));
	fill(old);
	store_free(steal(old));
	OK(db_open(&new, p.db, more, COUNT(more), &e));
	assert_int_equal(number(new, "PRAGMA user_version"), 3);
	assert_int_equal(number(new, "SELECT sum(wall_ns) + count(*) FROM run"), 12);
	assert_int_equal(number(new, "SELECT count(*) FROM build JOIN kernel"
				" ON kernel.id = kernel_id"), 2);
	assert_int_equal(number(new, "PRAGMA foreign_keys"), 1);
	assert_int_equal(db_open(&oldest, p.db, more, 1, &e), -EPROTO);
}

TEST(each_older_version_is_brought_up_to_this_one)
{
	for (size_t version = 1; version < n_schema_steps; version++) {
		_place_ struct place p;
		_store_ struct store *s = NULL;
		_store_rows_ struct store_rows rows = {};
		struct err e;

		place_make(&p);
		OK(db_open(&s, p.db, schema_steps, version, &e));
		fill(s);
		store_free(steal(s));
		OK(store_open(&s, p.db, &e));
		assert_int_equal(number(s, "PRAGMA user_version"), (int64_t)n_schema_steps);
		OK(store_samples(s, NULL, "t.ns", &rows, &e));
		assert_int_equal(rows.n, 11);
		assert_int_equal(rows.row[0].n, 2);
		assert_int_equal(number(s, "SELECT count(*) FROM finding"), 0);
	}
}

TEST(a_step_that_fails_changes_nothing)
{
	static const char *const bad[] = {
		"ALTER TABLE run ADD COLUMN x TEXT; CREATE TABLE oops (",
		"DELETE FROM run; DELETE FROM kernel WHERE id = 1;",
	};

	for (size_t i = 0; i < COUNT(bad); i++) {
		const char *steps[] = { schema_steps[0], bad[i] };
		_place_ struct place p;
		_store_ struct store *s = NULL;
		struct err e;

		place_make(&p);
		OK(db_open(&s, p.db, steps, 1, &e));
		fill(s);
		store_free(steal(s));
		assert_true(db_open(&s, p.db, steps, 2, &e) < 0);
		assert_non_null(strstr(e.text, "upgrade to version 2"));
		OK(db_open(&s, p.db, steps, 1, &e));
		assert_int_equal(number(s, "SELECT count(*) FROM run"), 12);
		assert_int_equal(number(s, "SELECT count(*) FROM pragma_table_info('run')"
					" WHERE name = 'x'"), 0);
	}
}

#define MANY 200

/*
 * In a child: adds runs of MANY samples from number @first on, @n of them or for
 * ever; says on @tell when the first is in.
 */
static void add_many(const char *db, int first, int n, int tell)
{
	static struct store_sample samples[MANY];
	_store_ struct store *s = NULL;
	char name[32];
	struct err e;

	for (int i = 0; i < MANY; i++)
		samples[i] = (struct store_sample){ i % 2 ? "a" : "b", .value = i };
	if (store_open(&s, db, &e) < 0)
		_exit(1);
	for (int i = first; n < 0 || i < first + n; i++) {
		struct store_run run = numbered(name, i);

		run.sample = samples;
		run.n_samples = MANY;
		if (store_add_run(s, &run, NULL, &e) < 0)
			_exit(2);
		if (i == first && tell >= 0 && write(tell, "x", 1) != 1)
			_exit(3);
	}
	store_free(steal(s));
	_exit(0);
}

static pid_t start(const char *db, int first, int n, int tell)
{
	pid_t pid = fork();

	assert_true(pid >= 0);
	if (!pid)
		add_many(db, first, n, tell);
	return pid;
}

TEST(killed_at_any_moment_no_half_run_is_seen)
{
	_place_ struct place p;
	unsigned int seed = 20240601;
	int64_t runs = 0;

	place_make(&p);
	for (int i = 0; i < 100; i++) {
		_store_ struct store *s = NULL;
		int tell[2];
		pid_t pid;
		int64_t now;
		char byte;
		struct err e;

		assert_int_equal(pipe(tell), 0);
		pid = start(p.db, i * 100000, -1, tell[1]);
		close(tell[1]);
		/* Every other one is killed while it opens or adds its first, if fate will. */
		if (i % 2)
			assert_int_equal(read(tell[0], &byte, 1), 1);
		nanosleep(&(struct timespec){ .tv_nsec = rand_r(&seed) % 15000000 }, NULL);
		kill(pid, SIGKILL);
		assert_int_equal(waitpid(pid, NULL, 0), pid);
		close(tell[0]);
		OK(store_open(&s, p.db, &e));
		assert_int_equal(number(s, "SELECT count(*) FROM pragma_integrity_check"
					" WHERE integrity_check = 'ok'"), 1);
		assert_int_equal(number(s, "SELECT count(*) FROM (SELECT r.id FROM run r LEFT JOIN"
					" sample a ON a.run_id = r.id GROUP BY r.id"
					" HAVING count(a.seq) <> 200)"), 0);
		now = number(s, "SELECT count(*) FROM run");
		assert_true(now >= runs);
		runs = now;
	}
	assert_true(runs >= 50);
}

TEST(two_writers_both_succeed_on_a_new_file)
{
	_place_ struct place p;
	_store_ struct store *s = NULL;
	pid_t pid[4];
	struct err e;

	place_make(&p);
	for (int i = 0; i < 4; i++)
		pid[i] = start(p.db, i * 1000, 25, -1);
	for (int i = 0; i < 4; i++) {
		int status;

		assert_int_equal(waitpid(pid[i], &status, 0), pid[i]);
		assert_int_equal(status, 0);
	}
	OK(store_open(&s, p.db, &e));
	assert_int_equal(number(s, "SELECT count(*) FROM run"), 100);
	assert_int_equal(number(s, "SELECT count(*) FROM sample"), 100 * MANY);
}
