/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/check.h"
#include "base/record.h"

TEST(any_value_survives)
{
	_record_ struct record a = {}, b = {};
	_text_ struct text t = {};
	struct err e = {};
	uint64_t n;

	record_add(&a, "k", "two\nlines\tand \\x41 \x01 \x7f \xff end ");
	record_add(&a, "k", "");
	record_add_u64(&a, "n", UINT64_MAX);
	record_print(&a, &t);
	assert_int_equal(record_parse(&b, text_str(&t), t.len, "t", &e), 0);
	assert_int_equal(b.n, 3);
	assert_string_equal(b.line[0].value, a.line[0].value);
	assert_string_equal(b.line[1].value, "");
	assert_int_equal(record_get_u64(&b, "n", &n, &e), 0);
	assert_true(n == UINT64_MAX);
}

TEST(bad_lines_are_named)
{
	static const struct {
		const char *in;
		size_t n;
		const char *text;
	} rows[] = {
		{ "a b\nnokey\n", 10, "plan: line 2: not 'key value'" },
		{ " x\n", 3, "plan: line 1: not 'key value'" },
		{ "# c\n\na \\q\n", 10, "plan: line 3: bad escape" },
		{ "a \\x00\n", 7, "plan: line 1: bad escape" },
		{ "a \0\n", 4, "plan: line 1: a NUL byte" },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		_record_ struct record r = {};
		struct err e = {};

		assert_int_equal(record_parse(&r, rows[i].in, rows[i].n, "plan", &e), -EINVAL);
		assert_string_equal(e.text, rows[i].text);
	}
}
