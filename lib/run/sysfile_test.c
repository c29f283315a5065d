/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "run/fake.h"
#include "run/sysfile.h"

static void add(const char *path, void *arg)
{
	text_printf(arg, "%s ", path);
}

TEST(numbered_folders_come_in_the_order_of_their_numbers)
{
	_text_ struct text t = {};
	struct fake f;

	fake_open(&f);
	fake_put(&f, "sys/cpu10/x", "");
	fake_put(&f, "sys/cpu2/x", "");
	fake_put(&f, "sys/cpu2b/x", "");
	fake_put(&f, "sys/cpufreq/x", "");
	fake_put(&f, "sys/cpu/x", "");
	fake_put(&f, "sys/cpu3/y", "");
	fake_put(&f, "sys/y", "");
	sysfile_each(f.root, "sys/cpu*/x", add, &t);
	sysfile_each(f.root, "sys/y", add, &t);
	sysfile_each(f.root, "sys/z", add, &t);
	sysfile_each(f.root, "nothing/cpu*/x", add, &t);
	fake_close(&f);
	assert_string_equal(text_str(&t), "sys/cpu2/x sys/cpu10/x sys/y ");
}

TEST(what_is_not_there_leaves_no_trace)
{
	_text_ struct text t = {};
	struct fake f;

	fake_open(&f);
	fake_put(&f, "a", "12 of them\n");
	fake_put(&f, "b", "none\n");
	fake_put(&f, "c", "-3\n");
	text_puts(&t, "before");
	assert_false(sysfile_read(f.root, "no", &t));
	assert_false(sysfile_read(f.root, ".", &t));
	assert_string_equal(text_str(&t), "before");
	assert_true(sysfile_number(f.root, "a") == 12);
	assert_true(sysfile_number(f.root, "b") == -1);
	assert_true(sysfile_number(f.root, "c") == -1);
	assert_true(sysfile_number(f.root, "no") == -1);
	fake_close(&f);
}
