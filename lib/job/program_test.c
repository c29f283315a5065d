/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "base/check.h"
#include "base/file.h"
#include "job/program.h"

static void put(const char *root, const char *name, const char *text, mode_t mode)
{
	_free_ char *path = path_join(root, name), *folder = path_folder(path);
	struct err e = {};

	assert_int_equal(dir_make(folder, &e), 0);
	assert_int_equal(file_write(AT_FDCWD, path, text, strlen(text), &e), 0);
	assert_int_equal(chmod(path, mode), 0);
}

static void place_is(struct job_roots *r, enum program_kind kind, const char *name,
		     const char *root, const char *file)
{
	_free_ char *want = path_join(root, file);
	const struct program *p;
	struct err e = {};

	if (program_find(r, kind, name, &p, &e) != 1)
		fail_msg("no %s", name);
	assert_string_equal(p->path, want);
}

TEST(three_layouts_are_one)
{
	char one[] = "/tmp/krobot-root-XXXXXX", two[] = "/tmp/krobot-root-XXXXXX";
	_job_roots_ struct job_roots r = {}, none = {};
	_free_ char *list = NULL;
	const struct program *p;
	struct err e = {};

	assert_true(mkdtemp(one) && mkdtemp(two));
	put(one, "tests/a", "", 0755);
	put(one, "tests/a.c", "", 0644);
	put(one, "tests/wrapper", "", 0755);
	put(one, "monitors/one-shot/m", "", 0755);
	put(two, "tests/a", "", 0755);
	put(two, "programs/b/run", "", 0755);
	put(two, "programs/b/parse", "", 0755);
	put(two, "programs/s/setup", "", 0755);
	put(two, "programs/d/daemon", "", 0755);
	put(two, "programs/d/run", "", 0755);
	put(two, "programs/n/no-stdout-monitor", "", 0755);
	list = text_format("%s::%s", one, two);
	assert_int_equal(job_roots_open(&r, list, false, &e), 0);
	assert_int_equal(r.n, 2);
	place_is(&r, PROGRAM_TEST, "a", one, "tests/a");
	place_is(&r, PROGRAM_MONITOR, "m", one, "monitors/one-shot/m");
	place_is(&r, PROGRAM_TEST, "b", two, "programs/b/run");
	place_is(&r, PROGRAM_PARSER, "b", two, "programs/b/parse");
	place_is(&r, PROGRAM_SETUP, "s", two, "programs/s/setup");
	place_is(&r, PROGRAM_MONITOR, "n", two, "programs/n/no-stdout-monitor");
	assert_int_equal(program_find(&r, PROGRAM_TEST, "a.c", &p, &e), 0);
	assert_int_equal(program_find(&r, PROGRAM_TEST, "wrapper", &p, &e), 0);
	assert_int_equal(program_find(&r, PROGRAM_SETUP, "a", &p, &e), 0);
	assert_int_equal(program_find_any(&r, "d", &p, &e), 1);
	assert_int_equal(p->kind, PROGRAM_DAEMON);
	assert_int_equal(job_roots_open(&none, "/nowhere", false, &e), -ENOENT);
	assert_int_equal(dir_remove(one, &e), 0);
	assert_int_equal(dir_remove(two, &e), 0);
}

static const struct program_description *described(struct job_roots *r, const char *name)
{
	const struct program_description *d;
	const struct program *p;
	struct err e = {};

	assert_int_equal(program_find(r, PROGRAM_TEST, name, &p, &e), 1);
	if (program_describe(r, p, &d, &e) < 0)
		fail_msg("%s", e.text);
	return d;
}

TEST(options_stand_at_a_scripts_head)
{
	char root[] = "/tmp/krobot-root-XXXXXX";
	_job_roots_ struct job_roots r = {};
	const struct program_description *d;
	struct err e = {};

	assert_non_null(mkdtemp(root));
	put(root, "tests/s", "#!/bin/sh\n# - one\n# = two.x\n# - three (dontshow)\n#- four\n"
	    "# A sentence.\n\n# - five\n", 0755);
	put(root, "tests/empty", "", 0755);
	assert_int_equal(job_roots_open(&r, root, false, &e), 0);
	d = described(&r, "s");
	assert_int_equal(d->n_parameters, 2);
	assert_string_equal(d->parameter[0].name, "one");
	assert_false(d->parameter[0].named);
	assert_string_equal(d->parameter[1].name, "two.x");
	assert_true(d->parameter[1].named);
	assert_int_equal(described(&r, "empty")->n_parameters, 0);
	assert_int_equal(dir_remove(root, &e), 0);
}

TEST(a_description_lies_beside_a_script)
{
	char root[] = "/tmp/krobot-root-XXXXXX";
	_job_roots_ struct job_roots r = {};
	const struct program_description *d;
	struct err e = {};

	assert_non_null(mkdtemp(root));
	put(root, "tests/s", "#!/bin/sh\n# - not_this\n", 0755);
	put(root, "tests/s.yaml", "name: s\nabout: A test.\nparameters:\n"
	    "  size: { kind: size, default: 64M, help: bytes }\n  other:\nmetrics:\n"
	    "  ns: { unit: ns, better: lower, headline: true, meaning: a time }\n"
	    "needs: { memory: size, nodes: 2, root: true, kconfig: [NUMA] }\n", 0644);
	assert_int_equal(job_roots_open(&r, root, false, &e), 0);
	d = described(&r, "s");
	assert_string_equal(d->about, "A test.");
	assert_int_equal(d->n_parameters, 2);
	assert_string_equal(d->parameter[0].kind, "size");
	assert_string_equal(d->parameter[0].value, "64M");
	assert_null(d->parameter[1].value);
	assert_int_equal(d->n_metrics, 1);
	assert_true(d->metric[0].headline);
	assert_string_equal(d->metric[0].better, "lower");
	assert_string_equal(d->needs.memory, "size");
	assert_string_equal(d->needs.nodes, "2");
	assert_true(d->needs.root);
	assert_string_equal(d->needs.kconfig[0], "NUMA");
	assert_int_equal(dir_remove(root, &e), 0);
}

TEST(a_wrong_description_is_an_error_with_its_place)
{
	static const char *const wrong[][2] = {
		{ "parameters: { a: { kind: bytes } }", "1:26: not a value of 'kind'" },
		{ "metrics: { a: { better: faster } }", "1:25: not a value of 'better'" },
		{ "metrics: [ a ]", "1:12: a metric is '{ unit:, better:, meaning: }'" },
		{ "parameters: { a: 5 }", "1:18: a parameter is '{ kind:, default:, help: }'" },
	};

	for (size_t i = 0; i < COUNT(wrong); i++) {
		char root[] = "/tmp/krobot-root-XXXXXX";
		_job_roots_ struct job_roots r = {};
		const struct program_description *d;
		const struct program *p;
		struct err e = {};

		assert_non_null(mkdtemp(root));
		put(root, "tests/s", "#!/bin/sh\n", 0755);
		put(root, "tests/s.yaml", wrong[i][0], 0644);
		assert_int_equal(job_roots_open(&r, root, false, &e), 0);
		assert_int_equal(program_find(&r, PROGRAM_TEST, "s", &p, &e), 1);
		assert_int_equal(program_describe(&r, p, &d, &e), -EINVAL);
		assert_non_null(strstr(e.text, wrong[i][1]));
		assert_int_equal(dir_remove(root, &e), 0);
	}
}

TEST(a_changed_script_is_read_again)
{
	char root[] = "/tmp/krobot-root-XXXXXX";
	_job_roots_ struct job_roots r = {};
	struct err e = {};

	assert_non_null(mkdtemp(root));
	put(root, "tests/s", "# - a\n", 0755);
	assert_int_equal(job_roots_open(&r, root, false, &e), 0);
	assert_int_equal(described(&r, "s")->n_parameters, 1);
	put(root, "tests/s", "# - a\n# - b\n", 0755);
	assert_int_equal(described(&r, "s")->n_parameters, 2);
	assert_int_equal(dir_remove(root, &e), 0);
}
