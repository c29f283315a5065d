/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/check.h"
#include "base/text.h"

TEST(text_grows_and_is_handed_on)
{
	_text_ struct text t = {};
	_free_ char *s = NULL;

	assert_string_equal(text_str(&t), "");
	for (int i = 0; i < 1000; i++)
		text_printf(&t, "%d,", i);
	assert_int_equal(t.len, 3890);
	s = text_steal(&t);
	assert_int_equal(strlen(s), 3890);
	assert_string_equal(text_str(&t), "");
}

TEST(vectors_double)
{
	_free_ int *v = NULL;

	for (int n = 0; n < 1000; n++) {
		GROW(v, (size_t)n);
		v[n] = n;
	}
	assert_int_equal(v[999], 999);
}

TEST(hostile_bytes_become_visible)
{
	static const struct {
		const char *in, *out;
	} rows[] = {
		{ "plain \xc3\xa9", "plain \xc3\xa9" },
		{ "a\033[2Jb", "a\\x1b[2Jb" },
		{ "bad \xff utf", "bad \\xff utf" },
		{ "cut \xe2\x82", "cut \\xe2\\x82" },
		{ "overlong \xc0\xaf", "overlong \\xc0\\xaf" },
		{ "c1 \xc2\x9b", "c1 \\xc2\\x9b" },
		{ "bidi \xe2\x80\xae", "bidi \\xe2\\x80\\xae" },
		{ "two\nlines", "two\\x0alines" },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		_text_ struct text t = {};

		text_put_visible(&t, rows[i].in, strlen(rows[i].in), true);
		assert_string_equal(text_str(&t), rows[i].out);
	}
}
