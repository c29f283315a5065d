/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <math.h>

#include "base/check.h"
#include "judge/many.h"

static const struct verdict_metric head = { .name = "h", .headline = true };
static const struct verdict_metric watched = { .name = "w", .better = BETTER_LOWER };

static struct verdict_result result(enum verdict v, double p, double change)
{
	return (struct verdict_result){ .verdict = v, .reason = REASON_NOISE, .relative = true,
					.p = p, .change = change, .needed = 0.01 };
}

TEST(q_is_that_of_benjamini_and_hochberg)
{
	double p[] = { 0.01, 0.04, NAN, 0.03, 0.5 }, q[5];

	many_q(p, 5, q);
	assert_true(fabs(q[0] - 0.04) < 1e-12);
	assert_true(fabs(q[1] - 0.16 / 3) < 1e-12);
	assert_true(isnan(q[2]));
	assert_true(fabs(q[3] - 0.16 / 3) < 1e-12);
	assert_true(fabs(q[4] - 0.5) < 1e-12);
}

TEST(watched_metrics_explain_a_headline)
{
	struct verdict_result r[] = {
		result(VERDICT_REGRESSION, 1e-6, 0.1), result(VERDICT_UNSURE, 1e-3, 0.2),
		result(VERDICT_UNSURE, 0.9, 0.2), result(VERDICT_UNSURE, 1e-3, 0.001),
	};
	struct many_row row[] = { { .r = &r[0], .metric = &head }, { .r = &r[1], .metric = &watched },
				  { .r = &r[2], .metric = &watched }, { .r = &r[3], .metric = &watched } };

	many_judge(row, 4);
	assert_int_equal(r[0].verdict, VERDICT_REGRESSION);
	assert_int_equal(r[1].verdict, VERDICT_REGRESSION);
	assert_int_equal(r[2].verdict, VERDICT_UNSURE);
	assert_int_equal(r[3].verdict, VERDICT_UNSURE);
	assert_false(row[1].unconfirmed);
}

TEST(without_a_headline_they_are_unconfirmed_at_most)
{
	struct verdict_result r[] = {
		result(VERDICT_SAME, 0.5, 0.001), result(VERDICT_REGRESSION, 1e-4, 0.2),
		result(VERDICT_REGRESSION, 1e-4, 0.03),
	};
	struct many_row row[] = { { .r = &r[0], .metric = &head }, { .r = &r[1], .metric = &watched },
				  { .r = &r[2], .metric = &watched } };

	many_judge(row, 3);
	assert_true(row[1].unconfirmed);
	assert_false(row[2].unconfirmed);
	assert_int_equal(r[1].verdict, VERDICT_UNSURE);
	assert_int_equal(r[1].reason, REASON_MANY);
}

TEST(among_many_jobs_a_lone_change_may_be_chance)
{
	enum { N = 1000 };
	static struct verdict_result r[N];
	static struct many_row row[N];

	for (int i = 0; i < N; i++) {
		r[i] = result(i ? VERDICT_UNSURE : VERDICT_REGRESSION, i ? 0.5 : 1.5e-4, 0.1);
		row[i] = (struct many_row){ .r = &r[i], .metric = &head };
	}
	many_headlines(row, N);
	assert_int_equal(r[0].verdict, VERDICT_UNSURE);
	r[0] = result(VERDICT_REGRESSION, 1e-6, 0.1);
	many_headlines(row, N);
	assert_int_equal(r[0].verdict, VERDICT_REGRESSION);
}
