/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <string.h>

#include "base/check.h"
#include "flow/warmup.h"

TEST(a_count_and_until_stable_are_read)
{
	struct warmup w;
	struct err e = {};

	assert_int_equal(warmup_parse("3", &w, &e), 0);
	assert_int_equal(w.runs, 3);
	assert_false(w.until_stable);
	assert_int_equal(warmup_parse("until-stable 2.5% 2m", &w, &e), 0);
	assert_true(w.until_stable);
	assert_true(w.tolerance > 0.0249 && w.tolerance < 0.0251);
	assert_int_equal(w.secs, 120);
	assert_int_equal(warmup_parse(NULL, &w, &e), 0);
	assert_int_equal(w.runs, 0);
}

TEST(anything_else_is_refused)
{
	static const char *const bad[] = {
		"sometimes", "-1", "1001", "until-stable", "until-stable 5%", "until-stable 5 60s",
		"until-stable 0% 60s", "until-stable nan% 60s", "until-stable 100% 60s",
		"until-stable 5% 0s", "until-stable 5% soon",
	};
	struct warmup w;

	for (size_t i = 0; i < COUNT(bad); i++) {
		struct err e = {};

		assert_int_equal(warmup_parse(bad[i], &w, &e), -EINVAL);
		assert_non_null(strstr(e.text, bad[i]));
	}
}

TEST(the_last_three_decide)
{
	static const double v[] = { 50, 100, 104, 102, 107 };
	const struct warmup w = { .until_stable = true, .tolerance = 0.05 };

	assert_false(warmup_is_steady(&w, v + 1, 2));	/* two alone */
	assert_false(warmup_is_steady(&w, v, 3));	/* 50 is among them */
	assert_true(warmup_is_steady(&w, v, 4));	/* 4 of 102 */
	assert_true(warmup_is_steady(&w, v, 5));	/* 5 of 104.3 */
	assert_false(warmup_is_steady(&(struct warmup){ .tolerance = 0.03 }, v, 4));
}
