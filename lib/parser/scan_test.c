/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/check.h"
#include "base/text.h"
#include "parser/scan.h"

static void is(struct span s, const char *want)
{
	if (!span_is(s, want))
		fail_msg("'%.*s' is not '%s'", (int)s.n, s.p, want);
}

TEST(a_template_looks_like_its_line)
{
	struct span a, b, c;

	assert_true(scan("  Time: 9.541  ", "Time: %n", &a));
	is(a, "9.541");
	assert_true(scan("Elapsed Time 28.094 (0.182565)", "%s %n (%n)", &a, &b, &c));
	is(a, "Elapsed Time");
	is(b, "28.094");
	is(c, "0.182565");
	assert_true(scan("cpu.usr: 5", "%w: %n", &a, &b));
	is(a, "cpu.usr");
	assert_true(scan("Averaged 49 operations/sec (+- 0.19%), total secs = 300",
			 "Averaged %n operations/sec (+- %n%%), %*", &a, &b));
	is(b, "0.19");
}

TEST(the_whole_line_must_match)
{
	struct span a, b;

	assert_false(scan("Time: 9.541 s", "Time: %n", &a));
	assert_false(scan("My Time: 9", "Time: %n", &a));
	assert_true(scan("Time: 9.541 s", "Time: %n %*", &a));
	assert_true(scan("a b b", "%s b", &a));
	is(a, "a b");
	assert_true(scan("x [1] y [2]", "%s [%n]", &a, &b));
	is(a, "x [1] y");
	is(b, "2");
	assert_true(scan("Time:", "Time:%s", &a));
	is(a, "");
}

TEST(numbers_that_could_be_read_two_ways_are_none)
{
	static const char *const rows[] = {
		"1,234", "1.000.000", "1.000,21", "3.391.685.408", "", "-", ".", "e5",
	};
	struct span a;

	for (size_t i = 0; i < COUNT(rows); i++) {
		char line[50];

		snprintf(line, sizeof(line), "n %s", rows[i]);
		if (scan(line, "n %n %*", &a))
			fail_msg("%s was read", rows[i]);
	}
	assert_true(scan("n 1, 2", "n %n, %*", &a));
	is(a, "1");
	assert_true(scan("n 1e3x", "n %nx", &a));
	is(a, "1e3");
	assert_true(scan("n 3.", "n %n.", &a));
	is(a, "3");
	assert_true(scan("n 5elements", "n %nelements", &a));
	is(a, "5");
	assert_true(scan("n -.5s", "n %ns", &a));
	is(a, "-.5");
}

TEST(a_failed_match_writes_nothing)
{
	struct span a = SPAN("kept");

	assert_false(scan("12 apples", "%n pears", &a));
	is(a, "kept");
}

TEST(a_long_hostile_line_takes_no_time)
{
	size_t n = 1U << 20;
	_free_ char *line = mem_zero(n + 1, 1);
	struct span a, b, c;

	memset(line, '1', n);
	assert_false(scan(line, "%s = %n %s = %n", &a, &b, &c, &c));
	for (size_t i = 0; i < n; i += 2)
		line[i] = '=';
	assert_false(scan(line, "%s = %n %s = x", &a, &b, &c));
	memset(line, 'x', n);
	assert_false(scan(line, "%*x%w:%n", &a, &b));
}

TEST(lines_are_split)
{
	struct span f[4];

	assert_int_equal(split_blanks("  a \tbc  d ", f, 4), 3);
	is(f[1], "bc");
	assert_int_equal(split_blanks("a b c d e", f, 4), 4);
	assert_int_equal(split_blanks("", f, 4), 0);
	assert_int_equal(split_at("a,,b", ',', f, 4), 3);
	is(f[1], "");
	assert_int_equal(split_at("", ',', f, 4), 1);
	assert_int_equal(split_at("1,2,3,4,5", ',', f, 4), 4);
	is(f[3], "4");
}

TEST(whole_numbers_end_at_two_to_the_64)
{
	uint64_t v;

	assert_true(span_u64(SPAN("18446744073709551615"), &v));
	assert_true(v == UINT64_MAX);
	assert_false(span_u64(SPAN("18446744073709551616"), &v));
	assert_false(span_u64(SPAN("-1"), &v));
	assert_false(span_u64(SPAN(""), &v));
}
