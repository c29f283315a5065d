/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/check.h"
#include "base/clock.h"
#include "base/proc.h"

TEST(output_and_status_come_back)
{
	_proc_ struct proc p = { .argv = ARGV("sh", "-c", "cat; echo oops >&2; exit 3"),
				 .in = "text", .in_len = 4 };
	struct err e = {};

	assert_int_equal(proc_run(&p, &e), 0);
	assert_int_equal(p.status, 3);
	assert_string_equal(text_str(&p.out), "text");
	assert_string_equal(text_str(&p.errs), "oops\n");
}

TEST(a_program_that_is_not_there)
{
	_proc_ struct proc p = { .argv = ARGV("no-such-program") };
	struct err e = {};

	assert_int_equal(proc_run(&p, &e), -ENOENT);
	assert_string_equal(e.text, "no-such-program: No such file or directory");
}

TEST(bad_status_shows_the_last_words)
{
	_proc_ struct proc p = { .argv = ARGV("sh", "-c", "echo no luck >&2; exit 1") };
	struct err e = {};

	assert_int_equal(proc_ok(&p, &e), -EIO);
	assert_string_equal(e.text, "sh: status 1: no luck");
}

TEST(time_and_output_are_bounded)
{
	_proc_ struct proc slow = { .argv = ARGV("sleep", "100"), .timeout_ns = 50000000 };
	_proc_ struct proc loud = { .argv = ARGV("yes"), .out_max = 100000 };
	struct err e = {};

	assert_int_equal(proc_run(&slow, &e), -ETIMEDOUT);
	assert_int_equal(slow.status, 128 + 9);
	assert_int_equal(proc_run(&loud, &e), -EFBIG);
}

TEST(input_larger_than_a_pipe_and_not_read)
{
	_free_ char *big = mem_zero(1, 1 << 20);
	_proc_ struct proc p = { .argv = ARGV("true"), .in = big, .in_len = 1 << 20 };
	_proc_ struct proc count = { .argv = ARGV("wc", "-c"), .in = big, .in_len = 1 << 20 };
	struct err e = {};

	assert_int_equal(proc_run(&p, &e), 0);
	assert_int_equal(p.status, 0);
	assert_int_equal(proc_run(&count, &e), 0);
	assert_string_equal(text_str(&count.out), "1048576\n");
}
