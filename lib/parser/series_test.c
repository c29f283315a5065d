/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/check.h"
#include "parser/series.h"

static void add(struct series *s, const char *name, const char *number)
{
	struct err e = {};

	if (series_add(s, span_of(name), span_of(number), &e) < 0)
		fail_msg("%s", e.text);
}

static void prints(struct series *s, const char *want)
{
	_text_ struct text t = {};

	series_print(s, &t);
	assert_string_equal(text_str(&t), want);
	series_free(s);
}

TEST(counters_become_growth_and_gauges_means)
{
	struct series *s = series_new("proc-vmstat");

	add(s, "pgfault", "100");
	add(s, "nr_free_pages", "10");
	add(s, "pgfault", "170");
	add(s, "nr_free_pages", "30");
	prints(s, "pgfault: 70\nnr_free_pages: 20\n");
}

TEST(growth_is_exact_where_a_double_is_not)
{
	struct series *s = series_new("proc-vmstat");

	add(s, "pgfault", "18446744073709551612");
	add(s, "pgfault", "18446744073709551615");
	prints(s, "pgfault: 3\n");
}

TEST(what_has_no_growth_is_null)
{
	struct series *s = series_new("proc-vmstat");

	add(s, "pgfault", "100");
	add(s, "pgfree", "100");
	add(s, "pgfree", "99");
	add(s, "pgfree", "200");
	prints(s, "pgfault: null a counter seen once has no growth\n"
		  "pgfree: null the counter went back\n");
}

TEST(names_are_found_in_any_order)
{
	struct series *s = series_new("meminfo");
	_text_ struct text want = {};

	for (int round = 0; round < 2; round++) {
		for (int i = 0; i < 3000; i++) {
			char name[20], value[20];
			int k = round ? 2999 - i : i;

			snprintf(name, sizeof(name), "x%d", k);
			snprintf(value, sizeof(value), "%d", 2 * k + round);
			add(s, name, value);
		}
	}
	for (int i = 0; i < 3000; i++)
		text_printf(&want, "x%d: %d.5\n", i, 2 * i);
	prints(s, text_str(&want));
}

TEST(what_is_no_number_or_no_name_is_refused)
{
	struct series *s = series_new("x");
	struct err e = {};

	assert_int_equal(series_add(s, SPAN("a"), SPAN("1,5"), &e), -EINVAL);
	assert_int_equal(series_add(s, SPAN("a b"), SPAN("1"), &e), -EINVAL);
	assert_int_equal(series_add(s, SPAN(""), SPAN("1"), &e), -EINVAL);
	series_free(s);
}
