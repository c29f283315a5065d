/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/check.h"
#include "run/cpulist.h"

TEST(lists_read_and_print_the_same)
{
	static const char *const texts[] = { "", "0", "0-3", "0-3,8,10-11", "63-64,16383" };

	for (size_t i = 0; i < COUNT(texts); i++) {
		struct cpulist l = {};
		_text_ struct text t = {};

		assert_true(cpulist_parse(&l, texts[i]));
		cpulist_print(&l, &t);
		assert_string_equal(text_str(&t), texts[i]);
	}
}

TEST(members_are_counted_and_walked_over_holes)
{
	struct cpulist l = {};
	unsigned int sum = 0;

	assert_true(cpulist_parse(&l, "1,3-5,200\n"));
	assert_int_equal(cpulist_count(&l), 5);
	cpulist_each(cpu, &l)
		sum += cpu;
	assert_int_equal(sum, 213);
	assert_true(cpulist_has(&l, 4));
	assert_false(cpulist_has(&l, 2));
	assert_false(cpulist_has(&l, CPULIST_MAX));
}

TEST(what_is_no_list_is_refused)
{
	static const char *const texts[] = { "a", "0-", "3-1", "0,", ",0", "0 1", "-1", "16384",
					     "0-99999999999999999999", "1--2", "0x1" };

	for (size_t i = 0; i < COUNT(texts); i++) {
		struct cpulist l = {};

		assert_false(cpulist_parse(&l, texts[i]));
	}
}
