/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <math.h>

#include "base/check.h"
#include "base/text.h"
#include "judge/trend.h"
#include "math/random.h"

#define N 200

/* A level of 100 with 1 % of noise; steps as given. */
static void rows_draw(struct trend_row *row, size_t n, uint64_t seed)
{
	struct random random;

	random_seed(&random, seed);
	for (size_t i = 0; i < n; i++)
		row[i] = (struct trend_row){ 100 * (1 + 0.01 * random_normal(&random)), (uint32_t)i };
}

static void rows_step(struct trend_row *row, size_t from, size_t to, double by)
{
	for (size_t i = from; i < to; i++)
		row[i].value *= by;
}

static void find(struct trend *t, const struct trend_row *row, size_t n, enum metric_better better)
{
	struct trend_options o = { .better = better };
	struct err e = {};

	assert_int_equal(trend_find(t, row, n, &o, &e), 0);
}

TEST(a_step_is_found_with_its_size_and_place)
{
	struct trend_row row[N];
	_trend_ struct trend t = {};

	rows_draw(row, N, 1);
	rows_step(row, 120, N, 1.05);
	find(&t, row, N, BETTER_LOWER);
	assert_int_equal(t.n_changes, 1);
	assert_int_equal(t.change[0].at, 120);
	assert_int_equal(t.change[0].before, 119);
	assert_true(t.change[0].low <= 120 && t.change[0].high >= 120);
	assert_true(t.change[0].change_low < 0.05 && t.change[0].change_high > 0.05);
	assert_true(t.change[0].p <= 0.01);
	assert_true(t.change[0].mail && t.change[0].worse);
	assert_true(fabs(t.noise - 0.01) < 0.002);
}

TEST(there_and_back_are_two_changes)
{
	struct trend_row row[N];
	_trend_ struct trend t = {};

	rows_draw(row, N, 2);
	rows_step(row, 80, 110, 0.95);
	find(&t, row, N, BETTER_LOWER);
	assert_int_equal(t.n_changes, 2);
	assert_int_equal(t.change[0].at, 80);
	assert_int_equal(t.change[1].at, 110);
	assert_false(t.change[0].worse);
	assert_true(t.change[1].worse);
}

TEST(a_spike_is_none)
{
	struct trend_row row[N];
	_trend_ struct trend t = {};

	rows_draw(row, N, 3);
	rows_step(row, 60, 61, 30);
	rows_step(row, 150, 152, 0.1);
	find(&t, row, N, BETTER_NONE);
	assert_int_equal(t.n_changes, 0);
}

TEST(a_step_below_half_a_percent_is_none)
{
	struct trend_row row[N];
	_trend_ struct trend t = {};

	for (uint32_t i = 0; i < N; i++)
		row[i] = (struct trend_row){ 1e6 + (i % 3) + (i < 100 ? 0 : 3000), i };
	find(&t, row, N, BETTER_NONE);
	assert_int_equal(t.n_changes, 0);
}

TEST(a_change_across_a_gap_is_a_range)
{
	struct trend_row row[N];
	_trend_ struct trend t = {};
	double weight[64], all = 0;

	rows_draw(row, N, 4);
	rows_step(row, 100, N, 1.2);
	for (size_t i = 100; i < N; i++)
		row[i].commit += 40;
	find(&t, row, N, BETTER_NONE);
	assert_int_equal(t.n_changes, 1);
	assert_int_equal(t.change[0].before, 99);
	assert_int_equal(t.change[0].at, 140);
	assert_int_equal(t.change[0].low, 100);
	assert_int_equal(t.change[0].high, 140);
	trend_weights(&t, &t.change[0], weight);
	for (size_t i = 0; i < 41; i++) {
		assert_true(fabs(weight[i] - 1 / 41.) < 1e-9);
		all += weight[i];
	}
	assert_true(fabs(all - 1) < 1e-9);
}

TEST(boots_of_a_commit_count_together)
{
	struct trend_row row[60];
	_trend_ struct trend t = {};

	rows_draw(row, 60, 5);
	for (uint32_t i = 0; i < 60; i++)
		row[i].commit = i / 3;
	rows_step(row, 48, 60, 1.1);
	find(&t, row, 60, BETTER_NONE);
	assert_int_equal(t.n, 20);
	assert_int_equal(t.n_changes, 1);
	assert_int_equal(t.change[0].at, 16);
}

TEST(levels_without_noise_differ)
{
	struct trend_row row[30];
	_trend_ struct trend t = {};

	for (uint32_t i = 0; i < 30; i++)
		row[i] = (struct trend_row){ i < 12 ? 37 : 41, i };
	find(&t, row, 30, BETTER_HIGHER);
	assert_int_equal(t.n_changes, 1);
	assert_int_equal(t.change[0].at, 12);
	assert_int_equal(t.change[0].low, 12);
	assert_int_equal(t.change[0].high, 12);
}

TEST(values_about_zero_have_absolute_steps)
{
	struct trend_row row[N];
	_trend_ struct trend t = {};
	struct random random;

	random_seed(&random, 6);
	for (uint32_t i = 0; i < N; i++)
		row[i] = (struct trend_row){ random_normal(&random) + (i < 90 ? 0 : 10), i };
	find(&t, row, N, BETTER_NONE);
	assert_false(t.relative);
	assert_int_equal(t.n_changes, 1);
	assert_true(fabs(t.change[0].change - 10) < 0.5);
}

TEST(few_points_and_bad_ones)
{
	struct trend_row row[] = { { 1, 0 }, { 2, 1 }, { NAN, 2 } }, back[] = { { 1, 3 }, { 1, 2 } };
	struct trend_options o = {};
	_trend_ struct trend t = {}, none = {}, bad = {}, order = {};
	struct err e = {};

	assert_int_equal(trend_find(&t, row, 2, &o, &e), 0);
	assert_int_equal(trend_find(&none, row, 0, &o, &e), 0);
	assert_int_equal(t.n_changes, 0);
	assert_int_equal(trend_find(&bad, row, 3, &o, &e), -EINVAL);
	assert_string_equal(e.text, "row 3: the value is nan");
	assert_int_equal(trend_find(&order, back, 2, &o, &e), -EINVAL);
}
