/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <math.h>
#include <jansson.h>
#include <stdlib.h>

#include "base/check.h"
#include "report/table.h"

#define N 6

static struct verdict_run runs[8][N];

/* Six boots about @mean, interleaved with those of side 0. */
static struct verdict_side side(unsigned int k, double mean)
{
	static const double wobble[N] = { -0.01, 0.01, 0, 0.005, -0.005, 0 };

	for (unsigned int i = 0; i < N; i++)
		runs[k][i] = (struct verdict_run){ mean * (1 + wobble[i]), 10 * k + i,
						   10 * i + (k ? (i % 2 ? -1 : 1) * (int)k : 0) };
	return (struct verdict_side){ runs[k], N };
}

static struct verdict_result against(double a, double b, unsigned int k)
{
	struct verdict_case c = { .a = side(0, a), .b = side(k, b),
				  .metric = { .name = "x", .better = BETTER_LOWER } };
	struct verdict_result r;
	struct err e = {};

	assert_int_equal(verdict_judge(&c, &r, &e), 0);
	return r;
}

static void assert_lines_fit(const char *s, size_t width)
{
	for (; *s; s += strcspn(s, "\n"), s += *s == '\n')
		if (strcspn(s, "\n") > width)
			fail_msg("a line of %zu: %s", strcspn(s, "\n"), s);
}

static void assert_has(const char *s, const char *part)
{
	if (!strstr(s, part))
		fail_msg("no '%s' in:\n%s", part, s);
}

TEST(two_columns_take_a_line_each_row)
{
	struct verdict_result slower = against(38.3, 53.5, 1), same = against(500, 500, 1);
	struct verdict_result large = against(299674, 289568, 1);
	struct table_row row[] = {
		{ NULL, { "b.same", "1", BETTER_LOWER }, &same },
		{ NULL, { "b.ns", "ns", BETTER_LOWER, .headline = true }, &slower },
		{ NULL, { "b.a_metric_with_a_name_that_does_not_fit_its_column" }, &large },
	};
	const char *label[] = { "parent", "child" };
	struct table t = { NULL, label, 2, row, 3 };
	_text_ struct text out = {};

	table_put_text(&t, &out);
	assert_string_equal(text_str(&out),
"                                 parent               child      change 95% interval     verdict\n"
"b.ns                       38.3 +-0.7% n=6     53.5 +-0.7% n=6   +39.7% [+38.4%, +41.0%] regression\n"
"b.a_metric_with_a_name_that_does_not_fit_its_column\n"
"                         299674 +-0.7% n=6   289568 +-0.7% n=6    -3.4% [-4.2%, -2.5%]   improvement\n"
"drift of the base, b.ns: +0.0%\n"
"1 row did not change\n");
	assert_lines_fit(text_str(&out), 100);
}

TEST(more_columns_take_a_block_each_row)
{
	struct verdict_result vs[] = { against(38.3, 53.5, 1), against(38.3, 40.6, 2) };
	struct table_row row[] = { { "a job", { "b.ns", "ns", BETTER_LOWER, .headline = true },
				     vs } };
	const char *label[] = { "6.16.0-rc5-mprotect-cac-parent", "6.16.0-rc5-mprotect-cac-child",
				"6.16.0-rc5-mprotect-cac-fixed\033[2J" };
	const char *config[] = { "a", "b", NULL };
	struct table_axis axis = { "kconfig", config };
	struct table t = { "title", label, 3, row, 1, &axis, 1 };
	_text_ struct text out = {};

	table_put_text(&t, &out);
	assert_has(text_str(&out), "also differs: kconfig: a | b | (not known)\n");
	assert_has(text_str(&out), "b.ns (ns, lower is better)\n");
	assert_has(text_str(&out), "  6.16.0-rc5-mprotect-cac-parent   ");
	assert_has(text_str(&out), "  6.16.0-rc5-mprotect-cac-fixe..   ");
	assert_lines_fit(text_str(&out), 100);
	assert_null(strchr(text_str(&out), '\033'));
}

TEST(what_is_not_there_is_absent)
{
	struct verdict_run run[] = { { 5, 1, 1 }, { 5, 2, 2 }, { 6, 3, 3 } };
	struct verdict_case c = { .a = { run, 3 }, .metric = { .name = "x" } };
	struct verdict_result r;
	struct table_row row[] = { { NULL, { "x", .headline = true }, &r } };
	const char *label[] = { "a", "b" };
	struct table t = { NULL, label, 2, row, 1 };
	_text_ struct text out = {};
	struct err e = {};

	assert_int_equal(verdict_judge(&c, &r, &e), 0);
	table_put_text(&t, &out);
	assert_has(text_str(&out), "absent        n=0      n/a");
	assert_null(strstr(text_str(&out), "nan"));
	assert_has(text_str(&out), "unsure: absent\n");
}

TEST(labels_are_cut_so_that_they_differ)
{
	static const struct {
		const char *in[3], *out[3];
	} rows[] = {
		{ { "a", "b", "c" }, { "a", "b", "c" } },
		{ { "different-start-1", "other-start-2", "x" },
		  { "differen..", "other-st..", "x" } },
		{ { "the-same-start-1", "the-same-start-2", "x" },
		  { "..-start-1", "..-start-2", "x" } },
		{ { "ax-the-same-middle-and-end", "a-the-same-middle-and-end", "a-the-same-start" },
		  { "ax-t..-end", "a-th..-end", "a-th..tart" } },
		{ { "start-the-same-1-the-same-end", "start-the-same-2-the-same-end", "x" },
		  { "start~1", "start~2", "x~3" } },
		{ { "equal-labels-stay", "equal-labels-stay", "x" },
		  { "equal-la..", "equal-la..", "x" } },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		char **cut = table_cut_labels(rows[i].in, 3, 10);

		for (size_t k = 0; k < 3; k++) {
			assert_string_equal(cut[k], rows[i].out[k]);
			free(cut[k]);
		}
		free(cut);
	}
}

TEST(order_is_headlines_then_change_over_noise)
{
	struct verdict_result small = against(100, 103, 1), big = against(100, 150, 1);
	struct verdict_result same = against(100, 100, 1);
	struct table_row row[] = {
		{ NULL, { "small" }, &small },
		{ NULL, { "big" }, &big },
		{ NULL, { "head", .headline = true }, &same },
		{ NULL, { "same" }, &same },
	};
	const char *label[] = { "a", "b" };
	struct table t = { NULL, label, 2, row, 4 };
	_free_ const struct table_row **order = NULL;
	size_t hidden;

	assert_int_equal(table_order(&t, &order, &hidden), 3);
	assert_int_equal(hidden, 1);
	assert_string_equal(order[0]->metric.name, "head");
	assert_string_equal(order[1]->metric.name, "big");
	assert_string_equal(order[2]->metric.name, "small");
}

/* ---- Formats ---- */

static void format_put(enum table_format f, const char *title, const char *name, struct text *out)
{
	static struct verdict_result vs[2];
	static struct table_row row[1];
	static const char *label[] = { "base|<b>", "head\"&", "third" };
	struct table t = { title, label, 3, row, 1 };

	vs[0] = against(100, 150, 1);
	vs[1] = against(100, 100, 2);
	row[0] = (struct table_row){ "job <i>", { name, "ns", BETTER_LOWER, .headline = true }, vs };
	table_put(&t, f, out);
}

TEST(json_has_the_verdicts_and_every_figure)
{
	_text_ struct text out = {};
	json_t *all, *first;

	format_put(TABLE_JSON, NULL, "m\xff", &out);
	all = json_loads(text_str(&out), 0, NULL);
	assert_non_null(all);
	assert_int_equal(json_array_size(all), 2);
	first = json_array_get(all, 0);
	assert_string_equal(json_string_value(json_object_get(first, "verdict")), "regression");
	assert_string_equal(json_string_value(json_object_get(first, "metric")), "m\\xff");
	assert_true(fabs(json_number_value(json_object_get(first, "change")) - 0.5) < 1e-9);
	assert_true(json_is_null(json_object_get(first, "fisher_p")));
	assert_int_equal(json_integer_value(json_object_get(first, "boots")), N);
	json_decref(all);
}

TEST(csv_has_a_line_each_comparison_with_all_fields)
{
	_text_ struct text out = {};
	size_t commas = 0;

	format_put(TABLE_CSV, NULL, "=1+1", &out);
	for (const char *s = text_str(&out); *s != '\r'; s++)
		commas += *s == ',';
	assert_int_equal(commas, 42);
	assert_has(text_str(&out), "\r\njob <i>,'=1+1,ns,lower,yes,base|<b>,\"head\"\"&\",regression,");
}

TEST(markdown_escapes_what_would_be_markup)
{
	_text_ struct text out = {};

	format_put(TABLE_MARKDOWN, "a_b", "m|x", &out);
	assert_has(text_str(&out), "a\\_b\n\n| metric | base\\|\\<b\\> | head\"& |");
	assert_has(text_str(&out), "| m\\|x | 100 +-0.7% n=6 | 150 +-0.7% n=6 | +50.0% [");
	assert_has(text_str(&out), " | regression | ");
}

TEST(html_is_one_page_without_foreign_markup_or_links)
{
	_text_ struct text out = {};

	format_put(TABLE_HTML, "<script>alert(1)</script>", "m<x>", &out);
	assert_null(strstr(text_str(&out), "<script"));
	assert_null(strstr(text_str(&out), "http"));
	assert_null(strstr(text_str(&out), "<i>"));
	assert_has(text_str(&out), "<th scope=\"row\">m&lt;x&gt;</th><td>100 +-0.7% n=6</td>");
	assert_has(text_str(&out), "<svg ");
	assert_has(text_str(&out), "</body></html>\n");
}

TEST(formats_are_found_by_their_words)
{
	assert_int_equal(table_format_find("markdown"), TABLE_MARKDOWN);
	assert_int_equal(table_format_find("xml"), TABLE_FORMATS);
}
