/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>

#include "base/check.h"
#include "base/file.h"
#include "report/table_matrix.h"

static void read_text(struct matrix *m, const char *label, const char *text)
{
	struct err e = {};

	if (matrix_read(m, label, text, strlen(text), &e) < 0)
		fail_msg("%s", e.text);
}

TEST(a_matrix_is_read_with_its_runs)
{
	_matrix_ struct matrix m = {};

	read_text(&m, "x", "{\"b\": [1, 2.5, -3e2], \"a\": [7], \"stats_source\": [\"p\", \"q\", \"r\"]}");
	assert_int_equal(m.n, 2);
	assert_int_equal(m.runs, 3);
	assert_string_equal(m.row[0].name, "a");
	assert_true(matrix_find(&m, "b")->v[2] == -300);
	assert_null(matrix_find(&m, "c"));
}

TEST(what_is_no_matrix_is_refused)
{
	static const char *const texts[] = {
		"", "[]", "{\"a\": 1}", "{\"a\": [1,]}", "{\"a\": [1], \"a\": [2]}", "{\"a\": [1]} x",
		"{\"a\": [01]}", "{\"a\": [1e999]}", "{\"a\": [NaN]}", "{\"a\" [1]}",
	};

	for (size_t i = 0; i < COUNT(texts); i++) {
		_matrix_ struct matrix m = {};
		struct err e = {};

		if (matrix_read(&m, "x", texts[i], strlen(texts[i]), &e) != -EINVAL)
			fail_msg("taken: %s", texts[i]);
		assert_true(e.text[0]);
	}
}

TEST(krobot_judges_a_matrix_by_boots)
{
	_matrix_ struct matrix a = {}, b = {};
	_matrix_rows_ struct matrix_rows rows = {};
	struct err e = {};

	read_text(&a, "a", "{\"t.throughput\": [100, 101, 99, 100, 100.5, 99.5], "
			   "\"gone\": [1, 1, 1]}");
	read_text(&b, "b", "{\"t.throughput\": [80, 81, 79, 80, 80.5, 79.5], "
			   "\"dmesg.BUG\": [1, 1, 1, 1, 1, 1]}");
	assert_int_equal(matrix_judge(&a, &b, "job", &rows, &e), 0);
	matrix_explain(&rows);
	assert_int_equal(rows.n, 3);
	assert_string_equal(rows.row[0].metric.name, "dmesg.BUG");
	assert_int_equal(rows.result[0].verdict, VERDICT_BROKEN);
	assert_int_equal(rows.result[1].reason, REASON_ABSENT_B);
	assert_int_equal(rows.result[2].verdict, VERDICT_REGRESSION);
	assert_true(rows.row[2].metric.headline);
}

TEST(a_failure_that_is_new_is_told_even_if_chance_explains_it)
{
	_matrix_ struct matrix a = {}, b = {};
	_matrix_rows_ struct matrix_rows rows = {};
	const char *label[] = { "a", "b" };
	struct table t = { .label = label, .n_columns = 2 };
	_text_ struct text out = {};
	struct err e = {};

	read_text(&a, "a", "{\"t.x\": [5, 5, 5]}");
	read_text(&b, "b", "{\"t.x\": [5, 5, 5], \"dmesg.BUG\": [0, 1, 0]}");
	assert_int_equal(matrix_judge(&a, &b, NULL, &rows, &e), 0);
	matrix_explain(&rows);
	t.row = rows.row;
	t.n_rows = rows.n;
	table_put_text(&t, &out);
	assert_non_null(strstr(text_str(&out), "dmesg.BUG                   0:3 failed n=3      "
					       "1:3 failed n=3      n/a                  unconfirmed"));
}

TEST(runs_that_did_not_end_do_not_count)
{
	_matrix_ struct matrix a = {}, b = {};
	_matrix_rows_ struct matrix_rows rows = {};
	struct err e = {};

	read_text(&a, "a", "{\"t.x\": [5, 5, 5, 5, 5, 0], \"last_state.is_incomplete_run\": [0, 0, 0, 0, 0, 1]}");
	read_text(&b, "b", "{\"t.x\": [5, 5, 5, 5, 5, 5]}");
	assert_int_equal(matrix_judge(&a, &b, NULL, &rows, &e), 0);
	assert_int_equal(rows.result[rows.n - 1].a.runs, 5);
}

/* ---- The original's own table, where it is at hand ---- */

#define BASE "7da4d00e1161af170d6165cd97fe400de3e58220"
#define HEAD "732c00462ba3d3a95a63ed1555eb4d571e5f5dcd"

static void shared_read(struct text *t, const char *name)
{
	const char *shared = getenv("SHARED");
	_free_ char *path = text_format("%s/lkp/ncompare/%s", shared ? shared : "", name);
	struct err e = {};

	if (access(path, R_OK))
		skip();
	assert_int_equal(file_read(AT_FDCWD, path, 1 << 20, t, &e), 0);
}

static const struct matrix_axis axes[] = {
	{ "compiler", "gcc-11" }, { "cpufreq_governor", "performance" },
	{ "kconfig", "x86_64-rhel-8.3" }, { "rootfs", "debian-11.1-x86_64-20220510.cgz" },
	{ "runtime", "300" }, { "size", "512G" }, { "tbox_group", "lkp-csl-2sp3" },
	{ "test", "anon-cow-rand-mt" }, { "testcase", "vm-scalability" },
};

/*
 * The table was printed of five runs a side: the base's first five, and five of the head
 * that are not those of its matrix.  So the head's values are made: five about the
 * means that the table shows.  All else (what changed, order, widths, rounding,
 * spreads, the failure block) has to follow.
 */
static void five_runs(struct matrix *m, bool head)
{
	static const struct {
		const char *name;
		double mean;
	} shown[] = {
		{ "vm-scalability.median", 289568.4 }, { "vm-scalability.stddev%", 3.956 },
		{ "vm-scalability.throughput", 28992510.6 },
		{ "vm-scalability.time.involuntary_context_switches", 90837.2 },
		{ "vm-scalability.time.system_time", 9252.8 },
		{ "perf-profile.children.cycles-pp.flush_tlb_func", 10.62 },
		{ "proc-vmstat.numa_hit", 6004388.8 },
	};

	m->runs = 5;
	for (size_t i = 0; i < m->n; i++) {
		m->row[i].n = 5;
		for (size_t k = 0; head && k < COUNT(shown); k++)
			for (size_t j = 0; j < 5 && !strcmp(m->row[i].name, shown[k].name); j++)
				m->row[i].v[j] = shown[k].mean * (1 + 0.001 * ((double)j - 2));
	}
}

TEST(the_table_is_the_originals_byte_for_byte)
{
	_text_ struct text want = {}, base = {}, head = {}, out = {};
	_matrix_ struct matrix a = {}, b = {};
	struct lkp_options o = { .profile = 5 };

	shared_read(&want, "expected.txt");
	shared_read(&base, BASE ".matrix.json");
	shared_read(&head, HEAD ".matrix.json");
	read_text(&a, BASE, text_str(&base));
	read_text(&b, HEAD, text_str(&head));
	five_runs(&a, false);
	five_runs(&b, true);
	table_put_lkp((struct matrix[]){ a, b }, 2, axes, COUNT(axes), &o, &out);
	assert_string_equal(text_str(&out), text_str(&want));
}
