/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/record.h"
#include "run/ending.h"
#include "run/fake.h"

/* The fake machine's root is the result folder as well. */

#define EXITED(n) ((n) << 8)
#define KILLED(n) (n)

static const struct {
	const char *out, *err;
	int status;
	bool timed_out;
	const char *cut;
	enum run_state state;
	const char *reason;
} cases[] = {
	{ "x: 1\n", "", EXITED(0), false, NULL, RUN_OK, NULL },
	{ "", "no perf here\n", EXITED(77), false, NULL, RUN_SKIPPED, "no perf here" },
	{ "said so\n\n", "+ exit 77\n", EXITED(77), false, NULL, RUN_SKIPPED, "said so" },
	{ "", "", EXITED(77), false, NULL, RUN_SKIPPED, "it did not say why" },
	{ "", "a\nb\n", EXITED(1), false, NULL, RUN_FAILED, "exit status 1: b" },
	{ "", "", KILLED(9), false, NULL, RUN_FAILED, "killed by signal 9 (Killed)" },
	{ "krobot.invalid: 1 cold\n", "", EXITED(1), false, NULL, RUN_INVALID, "cold" },
	{ "x: 1\nkrobot.invalid: 1 cold", "", EXITED(0), false, NULL, RUN_INVALID, "cold" },
	{ "krobot.invalid: 1\n", "", EXITED(0), false, NULL, RUN_INVALID, "" },
	{ "x krobot.invalid: 1 cold\n", "", EXITED(0), false, NULL, RUN_OK, NULL },
	{ "krobot.invalid: 0 fine\n", "", EXITED(0), false, NULL, RUN_OK, NULL },
	{ "krobot.invalid: 1 cold\n", "", EXITED(0), true, NULL, RUN_TIMEOUT, "not done after 7 s" },
	{ "", "", KILLED(9), false, "stdout", RUN_FAILED, "more than 9 bytes on stdout" },
};

TEST(the_first_that_holds_counts)
{
	for (size_t i = 0; i < COUNT(cases); i++) {
		_plan_ struct plan plan;
		_result_exit_ struct result_exit x;
		struct fake f;

		fake_open(&f);
		plan_init(&plan);
		plan.deadline_secs = 7;
		plan.out_max_bytes = 9;
		result_exit_init(&x);
		fake_put(&f, RESULT_STDOUT, cases[i].out);
		fake_put(&f, RESULT_STDERR, cases[i].err);
		ending_judge(&(struct ending){ f.root, &plan, true, cases[i].status,
					       cases[i].timed_out, cases[i].cut }, &x);
		fake_close(&f);
		assert_int_equal(x.state, cases[i].state);
		if (cases[i].reason)
			assert_string_equal(x.reason, cases[i].reason);
		else
			assert_null(x.reason);
	}
}

static void troubled(const char *kmsg, enum run_state before, const char *reason,
		     enum run_state after, const char *want, const char *kind)
{
	_result_exit_ struct result_exit x;
	_record_ struct record r = {};
	struct err e = {};
	struct fake f;

	fake_open(&f);
	result_exit_init(&x);
	x.state = before;
	x.reason = text_copy(reason);
	fake_put(&f, RESULT_KMSG, kmsg);
	assert_int_equal(ending_add_trouble(&x, f.root, f.root, 0, &e), 0);
	assert_int_equal(x.state, after);
	if (want)
		assert_string_equal(x.reason, want);
	else
		assert_null(x.reason);
	if (kind) {
		assert_int_equal(record_read(&r, f.root, RESULT_TROUBLE, &e), 0);
		assert_string_equal(r.line[0].key, kind);
	} else {
		assert_true(faccessat(f.root, RESULT_TROUBLE, F_OK, 0) < 0);
	}
	fake_close(&f);
}

#define OOPS "[    1.000000] BUG: kernel NULL pointer dereference, address: 0\n"
#define OOM "[    1.000000] Out of memory: Killed process 1 (a)\n"
#define WARN "[    1.000000] WARNING: CPU: 0 PID: 1 at a.c:1\n"

TEST(the_kernels_trouble_changes_the_state)
{
	troubled("", RUN_OK, NULL, RUN_OK, NULL, NULL);
	troubled(WARN, RUN_OK, NULL, RUN_OK, NULL, "warning");
	troubled(OOM, RUN_OK, NULL, RUN_INVALID,
		 "the kernel: Out of memory: Killed process 1 (a)", "oom");
	troubled(OOM, RUN_FAILED, "x", RUN_FAILED,
		 "x; the kernel: Out of memory: Killed process 1 (a)", "oom");
	troubled(OOPS, RUN_OK, NULL, RUN_FAILED,
		 "the kernel: BUG: kernel NULL pointer dereference, address: 0", "oops");
	troubled(OOPS, RUN_TIMEOUT, "late", RUN_TIMEOUT,
		 "late; the kernel: BUG: kernel NULL pointer dereference, address: 0", "oops");
}

TEST(new_taint_is_told)
{
	_result_exit_ struct result_exit x;
	_record_ struct record r = {};
	struct err e = {};
	struct fake f;

	fake_open(&f);
	fake_put(&f, "proc/sys/kernel/tainted", "512\n");
	fake_put(&f, RESULT_KMSG, "");
	result_exit_init(&x);
	x.state = RUN_OK;
	assert_int_equal(ending_taint(f.root), 512);
	assert_int_equal(ending_add_trouble(&x, f.root, f.root, 1, &e), 0);
	assert_int_equal(record_read(&r, f.root, RESULT_TROUBLE, &e), 0);
	assert_string_equal(record_get(&r, "taint"), "1 -> 512");
	assert_int_equal(x.state, RUN_OK);
	fake_close(&f);
}
