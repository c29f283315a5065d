/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <math.h>

#include "base/check.h"
#include "parser/parse.h"

/* A parser for the tests: "NAME = NUMBER"; "gone NAME" is a null. */
static int demo_line(struct parse *p, char *line, struct err *e)
{
	struct span name, v;

	if (scan(line, "%s = %s", &name, &v))
		emit_as(p, v, "%.*s", SPANF(name));
	else if (scan(line, "gone %s", &name))
		emit_null(p, "it is gone", "%.*s", SPANF(name));
	else if (scan(line, "half %n", &v))
		emit_float(p, 41, "half");
	else
		return LINE_UNKNOWN;
	return LINE_KNOWN;
}

static const struct parser demo = {
	.name = "demo", .line = demo_line, .expects = "a line 'NAME = NUMBER'", .strict = true,
};

static int run(const char *text, bool lkp, struct parse *p, struct err *e)
{
	_input_ struct input *in = input_memory(text, strlen(text));

	p->out_fd = -1;
	p->lkp = lkp;
	return parse_run(p, &demo, in, e);
}

static void gives(const char *text, bool lkp, const char *want)
{
	_parse_ struct parse p = {};
	struct err e = {};

	if (run(text, lkp, &p, &e) < 0)
		fail_msg("%s", e.text);
	assert_string_equal(text_str(&p.out), want);
}

static void refuses(const char *text, const char *want)
{
	_parse_ struct parse p = {};
	struct err e = {};

	assert_true(run(text, false, &p, &e) < 0);
	assert_string_equal(e.text, want);
}

TEST(numbers_stay_as_they_stand)
{
	gives("a = 1.50\nb = 007\n", false, "a: 1.50\nb: 007\n");
	gives("half 1", false, "half: 41\n");
	gives("half 1", true, "half: 41.0\n");
}

TEST(names_lose_their_blanks)
{
	gives("a b\tc = 1", false, "a_b_c: 1\n");
}

TEST(null_is_for_our_own_mode)
{
	gives("gone x", false, "x: null it is gone\n");
	gives("gone x", true, "");
}

TEST(unknown_lines_are_counted)
{
	gives("a = 1\nwhat\n\n  \nelse\n", false, "a: 1\nkrobot.unknown_lines: 2\n");
	gives("a = 1\nwhat\n", true, "a: 1\n");
}

TEST(nothing_in_nothing_out)
{
	gives("", false, "");
}

TEST(a_text_with_nothing_in_it_is_an_error_that_says_what_was_expected)
{
	refuses("what\n",
		"nothing found that this parser knows; it expects a line 'NAME = NUMBER'");
	gives("what\n", true, "");
}

TEST(errors_name_the_line)
{
	refuses("a = 1\nb = 1,5\n", "line 2: '1,5' is no number");
	refuses("\n\nx\xff = 1\n", "line 3: a metric's name is not printable");
}

TEST(floats_print_as_ruby_prints_them)
{
	static const struct {
		double v;
		const char *text;
	} rows[] = {
		{ 0, "0.0" },
		{ 41, "41.0" },
		{ 0.1, "0.1" },
		{ 11036316035.601023, "11036316035.601023" },
		{ 1e15, "1000000000000000.0" },
		{ 1e16, "1.0e+16" },
		{ 1.5e-5, "1.5e-05" },
		{ 0.0001, "0.0001" },
		{ -2.5, "-2.5" },
		{ 123456789012345680., "1.2345678901234568e+17" },
		{ 111.96000000000001, "111.96000000000001" },
		{ NAN, "NaN" },
		{ INFINITY, "Infinity" },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		_text_ struct text t = {};

		put_ruby_float(&t, rows[i].v);
		assert_string_equal(text_str(&t), rows[i].text);
	}
}
