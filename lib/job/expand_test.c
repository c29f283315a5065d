/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "base/check.h"
#include "base/file.h"
#include "job/job.h"

/* A tree of its own for one test, and what a job file in it expands to. */
struct tree {
	char path[32];
	struct job_roots roots;
	struct job_host host;
	struct job_list list;
	struct err e;
};

static void put(struct tree *t, const char *name, const char *text)
{
	_free_ char *path = path_join(t->path, name), *folder = path_folder(path);

	assert_int_equal(dir_make(folder, &t->e), 0);
	assert_int_equal(file_write(AT_FDCWD, path, text, strlen(text), &t->e), 0);
	assert_int_equal(chmod(path, 0755), 0);
}

static void begin(struct tree *t)
{
	*t = (struct tree){ .path = "/tmp/krobot-expand-XXXXXX",
			    .host = { .nr_cpu = 2, .nr_node = 1, .memory = 24ULL << 30 } };
	assert_non_null(mkdtemp(t->path));
	put(t, "tests/touch", "#!/bin/sh\n# - size\n# - nr_task\n# - test\n\n# - late\n");
	put(t, "setup/fs", "#!/bin/sh\n# - mount\n");
	put(t, "monitors/vmstat", "#!/bin/sh\n# - size\n");
	assert_int_equal(job_roots_open(&t->roots, t->path, false, &t->e), 0);
}

static int expand(struct tree *t, const char *text, const struct job_param *set, size_t n_set)
{
	struct job_options o = { &t->roots, &t->host, set, n_set };
	_free_ char *file = path_join(t->path, "jobs/a.yaml");

	put(t, "jobs/a.yaml", text);
	job_list_release(&t->list);
	return job_expand(file, &o, &t->list, &t->e);
}

/* The names, without the file's, in their order. */
static void names_are(struct tree *t, const char *text, const char *want)
{
	_text_ struct text got = {};

	if (expand(t, text, NULL, 0) < 0)
		fail_msg("%s", t->e.text);
	for (size_t i = 0; i < t->list.n; i++)
		text_printf(&got, "%s%s", i ? " " : "", t->list.job[i]->name + 2);
	assert_string_equal(text_str(&got), want);
}

static void error_is(struct tree *t, const char *text, const char *want)
{
	_free_ char *full = NULL;

	assert_int_equal(expand(t, text, NULL, 0), -EINVAL);
	full = text_format("%s/jobs/%s", t->path, want);
	assert_string_equal(t->e.text, full);
}

static void end(struct tree *t)
{
	job_list_release(&t->list);
	job_roots_release(&t->roots);
	assert_int_equal(dir_remove(t->path, &t->e), 0);
}

TEST(lists_under_declared_options_are_axes_the_first_slowest)
{
	struct tree t;

	begin(&t);
	names_are(&t, "size: [1G, 2G]\ntouch:\n  test: [a, b]\n", "1G-a 1G-b 2G-a 2G-b");
	names_are(&t, "other: [1, 2]\nlate: [3, 4]\ntouch:\n", "defaults");
	names_are(&t, "touch:\n  size: 1G\nvmstat:\n  size: 2G\n", "1G");
	names_are(&t, "touch:\n- {test: [a, b], size: 1}\n- {test: c}\n", "1-a 1-b c");
	names_are(&t, "touch:\n  test: [a, ]\n  size: [~, 1G]\n", "a 1G-a");
	end(&t);
}

TEST(documents_are_laid_over_the_first_alone)
{
	struct tree t;

	begin(&t);
	names_are(&t, "touch:\n  test: a\n  size: 1\n---\ntouch.size: 2\n---\ntouch:\n  test: b\n",
		  "1-a 2-a b");
	assert_int_equal(t.list.job[1]->line, 5);
	end(&t);
}

TEST(special_keys_set_add_and_remove)
{
	struct tree t;

	begin(&t);
	names_are(&t, "touch:\n  test: [a, b]\n---\ntouch.test+: c\n---\ntouch.test-: a\n---\n"
		  "touch.test-:\ntouch.size: 4K\n", "a b a b c b 4K");
	end(&t);
}

TEST(expressions_see_the_axes_before_them)
{
	struct tree t;

	begin(&t);
	names_are(&t, "touch:\n  test: [a, b, c]\n  size: {{ case touch.test\n    when 'a' then 1\n"
		  "    when /^b/ then \"#{nr_cpu}G\" # two\n    end }}\n", "1-a 2G-b");
	names_are(&t, "nr_task: {{ nr_cpu * 3 }}x\ntouch:\n", "6x");
	end(&t);
}

TEST(options_override_all_documents)
{
	static const struct job_param set[] = { { "touch.size", "[1, 2]" }, { "nr_task", "3" } };
	struct tree t;

	begin(&t);
	assert_int_equal(expand(&t, "touch:\n  size: 9\n---\nnr_task: 4\n", set, 2), 0);
	assert_int_equal(t.list.n, 4);
	assert_string_equal(t.list.job[3]->name, "a-3-2");
	end(&t);
}

TEST(a_job_says_what_to_run_and_with_what)
{
	const struct job *job;
	struct tree t;

	begin(&t);
	names_are(&t, "suite: x\nruntime: 5m\nfs: xfs\nneed_memory: 1G\nwarmup: 3\ntouch:\n"
		  "  nr_task: [50%, 150%]\n  test: a\nvmstat:\n", "xfs-50%-a xfs-150%-a");
	job = t.list.job[1];
	assert_string_equal(job->test, "touch");
	assert_int_equal(job->runtime_secs, 300);
	assert_string_equal(job->warmup, "3");
	assert_string_equal(job->needs.memory, "1G");
	assert_int_equal(job->n_programs, 3);
	assert_int_equal(job->program[0].kind, PROGRAM_SETUP);
	assert_string_equal(job->program[0].value, "xfs");
	assert_int_equal(job->program[2].kind, PROGRAM_MONITOR);
	assert_string_equal(job_param_get(&job->params, "nr_task"), "150%");
	assert_string_equal(job_param_get(&job->env, "nr_task"), "3");
	assert_string_equal(job_param_get(&job->env, "runtime"), "300");
	assert_null(job_param_get(&job->env, "need_memory"));
	assert_int_equal(job->axes.n, 1);
	assert_string_equal(job->axes.v[0].value, "150%");
	assert_string_equal(job_get(job, "touch.test"), "a");
	end(&t);
}

TEST(identity_does_not_depend_on_the_order_of_keys)
{
	char first[400];
	struct tree t;

	begin(&t);
	names_are(&t, "suite: x\ntouch: {test: a, size: 1}\n", "1-a");
	snprintf(first, sizeof(first), "%s", t.list.job[0]->canonical);
	names_are(&t, "touch:\n  size: 1\n  test: a\nneed_cpu: 2\nsuite: x\n", "1-a");
	assert_string_equal(t.list.job[0]->canonical, first);
	assert_string_equal(first, "{\"suite\":\"x\",\"touch\":{\"size\":\"1\",\"test\":\"a\"}}");
	end(&t);
}

TEST(includes_are_text_in_their_place)
{
	struct tree t;

	begin(&t);
	put(&t, "jobs/base.yaml", "size: 1G\nfs: xfs\ntouch:\n  test: [a, b]\n---\nsize: 2G\n");
	put(&t, "jobs/deep/part.yaml", "test: c\nsize:\n  - 3\n  - 4\n");
	names_are(&t, "<<: base.yaml\n", "xfs-1G-a xfs-1G-b xfs-2G-a xfs-2G-b");
	names_are(&t, "<<: {file: base.yaml, size: 4K, ignore: [fs]}\n",
		  "4K-a 4K-b 4K-a 4K-b");
	names_are(&t, "<<: {file: base.yaml, touch: {test: z}}\n", "xfs-1G-z xfs-2G-z");
	names_are(&t, "touch:\n  <<: part.yaml\n", "3-c 4-c");
	names_are(&t, "vmstat: &x {test: q}\ntouch:\n  <<: *x\n  size: 1\n", "1-q");
	end(&t);
}

TEST(a_slip_is_named_with_its_place)
{
	struct tree t;

	begin(&t);
	error_is(&t, "touch:\n  nr_tsk: 2\n",
		 "a.yaml:2:3: nobody knows 'nr_tsk'; did you mean 'nr_task'?");
	error_is(&t, "touch:\n  test: a\n  test: b\n",
		 "a.yaml:3:3: the key 'test' stands in line 2 already");
	error_is(&t, "touch: [*x]\n", "a.yaml:1:9: no '&x' before '*x'");
	error_is(&t, "touch: &x [*x]\n", "a.yaml:1:12: '*x' stands within what it stands for");
	error_is(&t, "touch:\n\ttest: a\n", "a.yaml:2:1: a tab in the indentation; YAML wants spaces");
	error_is(&t, "touch:\n  test: {{ 1 +\n    }}\n",
		 "a.yaml:3:5: the expression ends where a value is expected");
	error_is(&t, "<<: none.yaml\n", "a.yaml:1:1: no file 'none.yaml' to include");
	assert_int_equal(expand(&t, "<<: a.yaml\n", NULL, 0), -EINVAL);
	assert_non_null(strstr(t.e.text, "a.yaml:1:1: '"));
	assert_non_null(strstr(t.e.text, "' includes itself"));
	assert_int_equal(expand(&t, "<<: /etc/passwd\n", NULL, 0), -EINVAL);
	assert_non_null(strstr(t.e.text, "lies outside the trees that may be included"));
	end(&t);
}

static bool has_program(const struct job *job, const char *name, bool by_default)
{
	for (size_t i = 0; i < job->n_programs; i++)
		if (!strcmp(job->program[i].name, name))
			return job->program[i].by_default == by_default;
	return false;
}

TEST(defaults_come_from_include_by_the_jobs_values)
{
	struct tree t;

	begin(&t);
	put(&t, "monitors/mpstat", "");
	put(&t, "include/category/benchmark", "mpstat:\nvmstat:\n  size: 3\nneed_kconfig: [A]\n"
	    "% unless fs == 'xfs'\nneed_root: 1\n% end\n");
	put(&t, "include/fs/xfs", "need_kconfig: [XFS_<%= ___.upcase %>]\n");
	names_are(&t, "category: benchmark\nfs: [xfs, ext4]\nvmstat-:\nmpstat:\nneed_kconfig: B\n"
		  "touch:\n", "xfs ext4");
	assert_true(has_program(t.list.job[0], "mpstat", false));
	assert_false(has_program(t.list.job[0], "vmstat", true));
	assert_int_equal(t.list.job[0]->needs.n_kconfig, 3);
	assert_string_equal(t.list.job[0]->needs.kconfig[2], "XFS_XFS");
	assert_int_equal(t.list.job[1]->needs.n_kconfig, 2);
	assert_true(t.list.job[1]->needs.root);
	names_are(&t, "category: benchmark\ntouch:\n", "defaults");
	assert_true(has_program(t.list.job[0], "vmstat", true));
	assert_null(strstr(t.list.job[0]->canonical, "vmstat"));
	put(&t, "include/category/bad", "a: 1\n% while true\n% end\n");
	assert_int_equal(expand(&t, "category: bad\ntouch:\n", NULL, 0), -EINVAL);
	assert_non_null(strstr(t.e.text, "include/category/bad:2:1: '% while true' is not known"));
	end(&t);
}

TEST(what_is_not_known_is_refused)
{
	struct tree t;

	begin(&t);
	error_is(&t, "a: 1\n  b: <%= `ls` %>\n",
		 "a.yaml:2:6: '<%': templates are known below include/ only");
	error_is(&t, "a: 1\n% if x\n", "a.yaml:2:1: '% ': templates are known below include/ only");
	error_is(&t, "a: {{ 1\n", "a.yaml:1:4: '{{' without '}}'");
	error_is(&t, "touch:\n  size: {{ `ls` }}\n",
		 "a.yaml:2:12: '`' is not known in expressions");
	error_is(&t, "touch:\n  size: []\n", "a.yaml:2:9: 'size' has no value to take");
	error_is(&t, "- a\n", "a.yaml:1:1: a job file is lines of 'key: value'");
	error_is(&t, "touch: 1\n---\ntouch.size: 2\n",
		 "a.yaml:3:1: 'touch.size': 'touch' holds a value, not a map");
	error_is(&t, "timeout: soon\n", "a.yaml:1:10: 'soon' is not a time");
	error_is(&t, "need_memory: much\n",
		 "a.yaml:1:14: 'need_memory' is a size: 64G, or 50% of the memory");
	error_is(&t, "need_cpu: few\n", "a.yaml:1:11: 'need_cpu' is a count");
	put(&t, "jobs/two.yaml", "x: 1\n  y: 2\n");
	error_is(&t, "touch:\n  <<: two.yaml\n",
		 "two.yaml:2:4: mapping values are not allowed in this context");
	end(&t);
}

TEST(an_include_by_a_link_leaves_the_tree)
{
	char outside[] = "/tmp/krobot-outside-XXXXXX";
	_close_ int fd = -1;
	_free_ char *link = NULL;
	struct tree t;

	begin(&t);
	fd = mkstemp(outside);
	assert_true(fd >= 0);
	put(&t, "jobs/x", "");
	link = path_join(t.path, "jobs/link.yaml");
	assert_int_equal(symlink(outside, link), 0);
	assert_int_equal(expand(&t, "<<: link.yaml\n", NULL, 0), -EINVAL);
	assert_non_null(strstr(t.e.text, "lies outside the trees"));
	unlink(outside);
	end(&t);
}

TEST(a_small_file_that_stands_for_too_much_ends)
{
	static const char ten[] = "[1, 2, 3, 4, 5, 6, 7, 8, 9, 10]";
	_text_ struct text never = {}, heads = {};
	struct tree t;

	begin(&t);
	text_puts(&heads, "#!/bin/sh\n");
	for (int i = 0; i < 12; i++)
		text_printf(&heads, "# - o%d\n", i);
	put(&t, "tests/many", text_str(&heads));
	text_puts(&never, "many:\n");
	for (int i = 0; i < 12; i++)
		text_printf(&never, "  o%d: %s\n", i, ten);
	text_puts(&never, "z: {{ nil }}\n");
	assert_int_equal(expand(&t, text_str(&never), NULL, 0), -E2BIG);
	assert_non_null(strstr(t.e.text, "too many combinations"));
	end(&t);
}

TEST(only_the_robots_own_timeout_is_a_deadline)
{
	struct tree t;

	begin(&t);
	names_are(&t, "timeout: 1h\ntouch:\n  timeout: 5\n  runtime: 10\n", "defaults");
	assert_int_equal(t.list.job[0]->deadline_secs, 3600);
	assert_int_equal(t.list.job[0]->runtime_secs, 10);
	assert_string_equal(job_param_get(&t.list.job[0]->env, "timeout"), "5");
	end(&t);
}
