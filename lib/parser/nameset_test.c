/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/check.h"
#include "base/text.h"
#include "parser/nameset.h"

TEST(a_name_is_new_once)
{
	struct nameset s = {};

	for (int round = 0; round < 2; round++) {
		for (int i = 0; i < 1000; i++) {
			_free_ char *name = text_format("case%d", i);

			assert_int_equal(nameset_add(&s, name), round == 0);
		}
	}
	assert_false(nameset_add(&s, "case7"));
	assert_true(nameset_add(&s, ""));
	nameset_clear(&s);
	assert_true(nameset_add(&s, "case7"));
	nameset_clear(&s);
}
