/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <fcntl.h>

#include "base/check.h"
#include "base/text.h"
#include "run/plan.h"

static int parse(struct plan *p, const char *text, struct err *e)
{
	return plan_parse(p, text, strlen(text), "plan", e);
}

#define HEAD "version 1\ntest t\nprogram /bin/true\n"

TEST(a_plan_that_was_written_reads_the_same)
{
	char folder[] = "/tmp/plan-XXXXXX";
	_plan_ struct plan a, b;
	_free_ char *path = NULL;
	struct err e = {};

	plan_init(&a);
	plan_init(&b);
	a.test = text_copy("t");
	a.program = text_copy("/a b/program");
	a.job = text_copy("{\"test\":\"t\"}\nsecond\tline\\");
	a.deadline_secs = 600;
	plan_list_add(&a.params, "size=64M");
	plan_list_add(&a.params, "odd=a\nb=c");
	plan_list_addf(&a.env, "TMP=%s", "/var/tmp");
	plan_list_add(&a.args, "--fast");
	plan_list_add(&a.set, "thp_enabled=never");
	plan_monitor_add(&a, "proc-vmstat", 500000000);
	assert_non_null(mkdtemp(folder));
	path = text_format("%s/plan", folder);
	assert_int_equal(plan_write(&a, AT_FDCWD, path, &e), 0);
	assert_int_equal(plan_read(&b, AT_FDCWD, path, &e), 0);
	unlink(path);
	rmdir(folder);
	assert_string_equal(b.program, a.program);
	assert_string_equal(b.job, a.job);
	assert_int_equal(b.deadline_secs, 600);
	assert_int_equal(b.grace_secs, PLAN_GRACE_SECS);
	assert_int_equal(b.out_max_bytes, PLAN_OUT_MAX_BYTES);
	assert_int_equal(b.params.n, 2);
	assert_string_equal(b.params.v[1], "odd=a\nb=c");
	assert_string_equal(b.env.v[0], "TMP=/var/tmp");
	assert_string_equal(b.args.v[0], "--fast");
	assert_string_equal(b.set.v[0], "thp_enabled=never");
	assert_int_equal(b.n_monitors, 1);
	assert_string_equal(b.monitors[0].name, "proc-vmstat");
	assert_int_equal(b.monitors[0].interval_ns, 500000000);
}

TEST(what_is_wrong_is_named)
{
	static const struct {
		const char *text, *said;
	} cases[] = {
		{ "", "plan: no 'version'" },
		{ "version 2\n", "plan: version 2, this agent knows 1" },
		{ "version 1\ntest t\n", "plan: no 'program'" },
		{ HEAD "test u\n", "plan: 'test' comes twice" },
		{ HEAD "progam x\n", "plan: unknown key 'progam'" },
		{ HEAD "param size\n", "plan: param 'size' is not NAME=VALUE" },
		{ HEAD "param =5\n", "plan: param '=5' is not NAME=VALUE" },
		{ HEAD "deadline_secs -1\n", "plan: deadline_secs '-1' is not a number" },
		{ HEAD "deadline_secs 99999999999\n", "plan: more than a hundred years" },
		{ HEAD "monitor ../x\n", "plan: monitor '../x': not a name" },
		{ HEAD "monitor m secs=1\n", "plan: monitor 'm secs=1': not 'NAME interval_secs=N'" },
		{ HEAD "monitor m interval_secs=0\n",
		  "plan: monitor m: interval '0' is not between 1 ms and a day" },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		_plan_ struct plan p;
		struct err e = {};

		assert_true(parse(&p, cases[i].text, &e) < 0);
		assert_string_equal(e.text, cases[i].said);
	}
}
