/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <fcntl.h>
#include <math.h>

#include "base/check.h"
#include "base/file.h"
#include "judge/csv.h"

static int read_text(struct csv *c, const char *text, const char *branch, struct err *e)
{
	return csv_read(c, text, strlen(text), branch, e);
}

TEST(columns_may_stand_in_any_order)
{
	_csv_ struct csv c = {};
	struct err e = {};

	assert_int_equal(read_text(&c, "a;Commit;\"b c\";time\n1;x;2;t1\n\n# no row\n3;y;;t2\r\n",
				   NULL, &e), 0);
	assert_int_equal(c.n_metrics, 2);
	assert_string_equal(c.metric[1], "b c");
	assert_int_equal(c.n_rows, 2);
	assert_string_equal(c.row[1].commit, "y");
	assert_string_equal(c.row[1].time, "t2");
	assert_true(c.row[1].value[0] == 3);
	assert_true(isnan(c.row[1].value[1]));
	assert_int_equal(c.row[1].place, 1);
}

TEST(rows_of_one_commit_share_its_place)
{
	_csv_ struct csv c = {};
	struct err e = {};

	assert_int_equal(read_text(&c, "commit,v\na,1\na,2\nb,3\n", NULL, &e), 0);
	assert_int_equal(c.row[1].place, 0);
	assert_int_equal(c.row[2].place, 1);
}

TEST(a_branch_is_chosen)
{
	static const char text[] = "branch,v\nmain,1\nx,2\nmain,3\n";
	_csv_ struct csv c = {}, all = {}, none = {};
	struct err e = {};

	assert_int_equal(read_text(&c, text, "main", &e), 0);
	assert_int_equal(c.n_rows, 2);
	assert_true(c.row[1].value[0] == 3);
	assert_int_equal(read_text(&all, text, NULL, &e), -EINVAL);
	assert_string_equal(e.text, "line 3: branch 'x' after 'main'; one must be chosen");
	assert_int_equal(read_text(&none, text, "y", &e), -EINVAL);
}

TEST(bad_input_is_named_by_its_line)
{
	static const struct {
		const char *text, *error;
	} rows[] = {
		{ "", "no header line" },
		{ "time,commit\n", "line 1: no column of values" },
		{ "time,v\n", "no rows" },
		{ "time,v\n1,2\n3\n", "line 3: 1 fields where the header has 2" },
		{ "v\n1x\n", "line 2: '1x' is not a number" },
		{ "v\ninf\n", "line 2: 'inf' is not a number" },
		{ "time;v\n1;1.000,5\n", "line 2: '1.000,5' may be read in two ways" },
		{ "v\n\"1\n", "line 2: a quote is not closed" },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		_csv_ struct csv c = {};
		struct err e = {};

		assert_true(read_text(&c, rows[i].text, NULL, &e) < 0);
		assert_string_equal(e.text, rows[i].error);
	}
}

TEST(dialects_of_others_are_read)
{
	static const struct {
		const char *name, *branch;
		size_t rows;
	} files[] = {
		{ "otava-sample.csv", NULL, 10 }, { "otava-sample-semicolons.csv", NULL, 10 },
		{ "otava-sample-unix-time.csv", NULL, 10 },
		{ "otava-sample_multi_branch.csv", "main", 4 },
	};

	for (size_t i = 0; i < COUNT(files); i++) {
		const char *shared = getenv("SHARED");
		_free_ char *path = text_format("%s/cases/series/%s", shared ? shared : "",
						files[i].name);
		_text_ struct text t = {};
		_csv_ struct csv c = {};
		struct err e = {};

		if (access(path, R_OK))
			skip();
		assert_int_equal(file_read(AT_FDCWD, path, 1 << 20, &t, &e), 0);
		assert_int_equal(csv_read(&c, t.p, t.len, files[i].branch, &e), 0);
		assert_int_equal(c.n_metrics, 2);
		assert_string_equal(c.metric[1], "metric2");
		assert_int_equal(c.n_rows, files[i].rows);
	}
}
