/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <math.h>
#include <stdlib.h>

#include "base/check.h"
#include "judge/draw.h"
#include "judge/verdict.h"

#define BOOTS(...) (const double[]){ __VA_ARGS__ }, \
		   sizeof((double[]){ __VA_ARGS__ }) / sizeof(double)

struct sides {
	struct verdict_run a[64], b[64];
};

/* Boots of one run each, in the order A B B A while both sides last. */
static struct verdict_case boots(struct sides *s, const double *a, size_t n_a, const double *b,
				 size_t n_b)
{
	size_t i = 0, j = 0;

	for (unsigned int k = 0; i < n_a || j < n_b; k++) {
		bool side = i == n_a || (j < n_b && verdict_order(k));

		if (side)
			s->b[j] = (struct verdict_run){ b[j], k, k }, j++;
		else
			s->a[i] = (struct verdict_run){ a[i], k, k }, i++;
	}
	return (struct verdict_case){ .a = { s->a, n_a }, .b = { s->b, n_b },
				      .metric = { .name = "m", .better = BETTER_LOWER } };
}

static struct verdict_result judge(const struct verdict_case *c)
{
	struct verdict_result r;
	struct err e = {};

	assert_int_equal(verdict_judge(c, &r, &e), 0);
	return r;
}

static void assert_near(double got, double want)
{
	if (!(fabs(got - want) <= 1e-7 * fmax(1, fabs(want))))
		fail_msg("got %.12g, want %.12g", got, want);
}

TEST(ties_on_both_sides_are_a_regression)
{
	struct sides s;
	struct verdict_case c = boots(&s, BOOTS(25, 25, 25), BOOTS(37, 37, 37));
	struct verdict_result r = judge(&c);

	assert_int_equal(r.verdict, VERDICT_REGRESSION);
	assert_near(r.change, 0.48);
	/* The spread is that of rounding to whole numbers. */
	assert_near(r.noise, 1 / sqrt(12) / 25);
	assert_true(r.low < 0.48 && r.low > 0.40);
}

TEST(direction_follows_the_metric)
{
	struct sides s;
	struct verdict_case c = boots(&s, BOOTS(25, 25, 25), BOOTS(37, 37, 37));

	c.metric.better = BETTER_HIGHER;
	assert_int_equal(judge(&c).verdict, VERDICT_IMPROVEMENT);
	c.metric.better = BETTER_NONE;
	assert_int_equal(judge(&c).verdict, VERDICT_CHANGE);
}

TEST(equal_ties_are_the_same_where_the_resolution_allows)
{
	struct sides s;
	struct verdict_case c = boots(&s, BOOTS(2500, 2500, 2500), BOOTS(2500, 2500, 2500));

	assert_int_equal(judge(&c).verdict, VERDICT_SAME);
	/* 25 against 25 in whole numbers may be a difference of 4 %. */
	c = boots(&s, BOOTS(25, 25, 25), BOOTS(25, 25, 25));
	assert_int_equal(judge(&c).verdict, VERDICT_UNSURE);
}

TEST(values_without_any_spread_at_all)
{
	struct sides s;
	struct verdict_case c = boots(&s, BOOTS(M_PI, M_PI, M_PI), BOOTS(M_PI, M_PI, M_PI));

	assert_int_equal(judge(&c).verdict, VERDICT_SAME);
	c = boots(&s, BOOTS(M_PI, M_PI, M_PI, M_PI, M_PI),
		  BOOTS(M_E, M_E, M_E, M_E, M_E));
	assert_int_equal(judge(&c).verdict, VERDICT_IMPROVEMENT);
}

TEST(few_boots_are_unsure_and_say_how_many_more)
{
	struct sides s;
	struct verdict_case c = boots(&s, BOOTS(25), BOOTS(37));
	struct verdict_result r = judge(&c);

	assert_int_equal(r.verdict, VERDICT_UNSURE);
	assert_int_equal(r.reason, REASON_FEW_BOOTS);
	assert_int_equal(r.boots_wanted, 2);
	assert_int_equal(r.boots_next, 2);
	assert_true(isnan(r.p) && isnan(r.low) && isnan(r.a.spread));
	c = boots(&s, BOOTS(25, 26), BOOTS(37, 36));
	r = judge(&c);
	assert_int_equal(r.reason, REASON_FEW_BOOTS);
	assert_int_equal(r.boots_next, 1);
}

TEST(few_boots_decide_large_changes_or_with_history)
{
	struct sides s;
	struct verdict_case c = boots(&s, BOOTS(1000, 1001, 999), BOOTS(1100, 1101, 1099));
	struct verdict_result r = judge(&c);

	assert_int_equal(r.reason, REASON_LUCK);
	assert_int_equal(r.boots_wanted, 2);
	c.history = (struct verdict_history){ .d0 = 20, .s0 = 0.005 };
	assert_int_equal(judge(&c).verdict, VERDICT_REGRESSION);
	/* History that knows of two modes does not take this for a change. */
	c.history.s0 = 0.045;
	assert_int_equal(judge(&c).verdict, VERDICT_UNSURE);
}

TEST(a_side_may_be_missing)
{
	struct sides s;
	struct verdict_case c = boots(&s, BOOTS(25, 25, 25), NULL, 0);
	struct verdict_result r = judge(&c);

	assert_int_equal(r.verdict, VERDICT_UNSURE);
	assert_int_equal(r.reason, REASON_ABSENT_B);
	assert_true(isnan(r.change));
	c = boots(&s, NULL, 0, BOOTS(25, 25, 25));
	assert_int_equal(judge(&c).reason, REASON_ABSENT_A);
	c = boots(&s, NULL, 0, NULL, 0);
	assert_int_equal(judge(&c).verdict, VERDICT_UNSURE);
}

TEST(unequal_numbers_of_boots_are_fine)
{
	struct sides s;
	struct verdict_case c = boots(&s, BOOTS(100, 101, 99, 100.5, 99.5, 100.2, 99.8),
				      BOOTS(120, 121, 119, 120.5, 119.5));
	struct verdict_result r = judge(&c);

	assert_int_equal(r.verdict, VERDICT_REGRESSION);
	assert_int_equal(r.a.boots, 7);
	assert_int_equal(r.b.boots, 5);
}

TEST(about_zero_differences_are_absolute)
{
	struct sides s;
	struct verdict_case c = boots(&s, BOOTS(0, 0, 1, 0), BOOTS(700, 705, 695, 702));
	struct verdict_result r = judge(&c);
	_text_ struct text t = {};

	assert_false(r.relative);
	assert_int_equal(r.verdict, VERDICT_REGRESSION);
	assert_near(r.change, 700.25);
	verdict_put_change(&r, r.change, &t);
	assert_string_equal(text_str(&t), "+700.2");
	c = boots(&s, BOOTS(-5, -4, -5, -5, -4), BOOTS(-5, -4, -4, -5, -5));
	assert_int_equal(judge(&c).verdict, VERDICT_SAME);
}

TEST(the_floor_of_a_metric_counts)
{
	struct sides s;
	struct verdict_case c = boots(&s, BOOTS(100, 100.1, 99.9, 100, 100),
				      BOOTS(105, 105.1, 104.9, 105, 105));

	assert_int_equal(judge(&c).verdict, VERDICT_REGRESSION);
	c.metric.floor = 10;
	assert_int_equal(judge(&c).verdict, VERDICT_UNSURE);
	assert_int_equal(judge(&c).reason, REASON_SMALL);
}

TEST(a_drifting_machine_gets_no_verdict)
{
	struct sides s;
	/* Both lie on one line that rises by 1 % a boot, B after A. */
	struct verdict_case c = boots(&s, BOOTS(100, 101, 102, 103, 104, 105, 106, 107, 108, 109),
				      NULL, 0);
	struct verdict_result r;

	for (unsigned int i = 0; i < 10; i++)
		s.b[i] = (struct verdict_run){ 110 + i, 100 + i, 100 + i };
	c.b = (struct verdict_side){ s.b, 10 };
	r = judge(&c);
	assert_int_equal(r.verdict, VERDICT_UNSURE);
	assert_int_equal(r.reason, REASON_DRIFT);
	assert_near(r.drift, pow(105. * 106 * 107 * 108 * 109 / (100. * 101 * 102 * 103 * 104), 0.2) - 1);
}

TEST(one_wild_boot_decides_nothing)
{
	struct sides s;
	struct verdict_case c = boots(&s, BOOTS(100, 100.1, 99.9, 100, 100.05, 99.95),
				      BOOTS(100, 100.1, 99.9, 100, 100.05, 300));

	assert_int_equal(judge(&c).verdict, VERDICT_UNSURE);
}

TEST(failures_are_counted_exactly)
{
	struct sides s;
	struct verdict_case c = boots(&s, BOOTS(1, 1, 1), NULL, 0);
	struct verdict_result r;

	c.a.tried = 3;
	c.b.tried = c.b.failed = 3;
	r = judge(&c);
	assert_int_equal(r.verdict, VERDICT_BROKEN);
	assert_near(r.fisher_p, 0.1);
	c.a.tried = 10;
	c.b = (struct verdict_side){ s.a, 3, .tried = 10, .failed = 7 };
	r = judge(&c);
	assert_int_equal(r.verdict, VERDICT_BROKEN);
	assert_near(r.fisher_p, 0.0030959752);
	c.b.failed = 2;
	assert_int_not_equal(judge(&c).verdict, VERDICT_BROKEN);
	c.a.failed = 10;
	assert_int_equal(judge(&c).reason, REASON_FAILED_A);
}

TEST(nan_and_infinity_are_refused)
{
	struct sides s;
	struct verdict_case c = boots(&s, BOOTS(25, NAN, 25), BOOTS(37, 37, 37));
	struct verdict_result r;
	struct err e = {};

	assert_int_equal(verdict_judge(&c, &r, &e), -EINVAL);
	assert_string_equal(e.text, "m: run 2 of side A has the value nan");
	c = boots(&s, BOOTS(25, 25), BOOTS(37, INFINITY));
	assert_int_equal(verdict_judge(&c, &r, &e), -EINVAL);
}

TEST(runs_of_a_boot_are_one_value_and_warm_up_is_left_out)
{
	struct verdict_run a[12], b[12];
	struct verdict_case c = { .a = { a, 12 }, .b = { b, 12 },
				  .options = { .warmup = 1 } };
	struct verdict_result r;

	for (unsigned int i = 0; i < 12; i++) {
		a[i] = (struct verdict_run){ i % 3 ? 100 + i % 3 : 500, i / 3, i };
		b[i] = (struct verdict_run){ i % 3 ? 110 + i % 3 : 50, 10 + i / 3, i };
	}
	r = judge(&c);
	assert_int_equal(r.unit, UNIT_BOOT);
	assert_int_equal(r.a.boots, 4);
	assert_int_equal(r.a.runs, 8);
	assert_near(r.a.mean, 101.5);
	assert_near(r.b.mean, 111.5);
	assert_near(r.a.within, sqrt(0.5) / 101.5);
	assert_near(r.without_first, 112. / 102 - 1);
}

TEST(both_sides_in_one_boot_are_compared_by_runs)
{
	struct sides s;
	struct verdict_case c = boots(&s, BOOTS(100, 101, 99, 100), BOOTS(130, 131, 129, 130));

	for (unsigned int i = 0; i < 4; i++)
		s.a[i].boot = s.b[i].boot = 7;
	assert_int_equal(judge(&c).unit, UNIT_RUN);
	assert_int_equal(judge(&c).verdict, VERDICT_REGRESSION);
	assert_int_equal(judge(&c).a.boots, 1);
}

TEST(both_sides_in_each_boot_are_compared_within_boots)
{
	struct sides s;
	/* Boots differ by more than the sides do; within boots it is always 5 %. */
	struct verdict_case c = boots(&s, BOOTS(1000, 1200, 900, 1100, 1300, 800),
				      BOOTS(1050, 1261, 945, 1154, 1366, 840));

	for (unsigned int i = 0; i < 6; i++)
		s.a[i].boot = s.b[i].boot = i;
	assert_int_equal(judge(&c).unit, UNIT_PAIR);
	assert_int_equal(judge(&c).verdict, VERDICT_REGRESSION);
	assert_near(round(judge(&c).change * 1000), 50);
}

/* Draws cases and gives their rows in another order: not a bit may change. */
TEST(the_order_of_rows_does_not_matter)
{
	struct random random;

	random_seed(&random, 4);
	for (unsigned int i = 0; i < 300; i++) {
		struct draw_session s = {
			.how = { i % DRAW_KINDS, 0.01 * (1 + i % 4), (i % 7) * 0.02, 0 },
			.random = &random,
		};
		struct verdict_result one, two;

		draw_boots(&s, 2 + i % 12);
		one = judge(&(struct verdict_case[]){ draw_case(&s) }[0]);
		random_shuffle(&random, s.a, s.n_a, sizeof(s.a[0]));
		random_shuffle(&random, s.b, s.n_b, sizeof(s.b[0]));
		two = judge(&(struct verdict_case[]){ draw_case(&s) }[0]);
		assert_memory_equal(&one.change, &two.change, sizeof(one.change));
		assert_memory_equal(&one.p, &two.p, sizeof(one.p));
		assert_memory_equal(&one.drift, &two.drift, sizeof(one.drift));
		assert_int_equal(one.verdict, two.verdict);
		assert_int_equal(one.boots_wanted, two.boots_wanted);
	}
}

TEST(history_is_learned_from_sets_of_boots)
{
	struct verdict_set sets[] = {
		{ (double[]){ 100, 102, 98 }, 3 }, { (double[]){ 50, 51 }, 2 },
		{ (double[]){ 7 }, 1 }, { (double[]){ 5, -1 }, 2 },
	};
	struct verdict_history h = verdict_learn(sets, COUNT(sets));

	assert_near(h.d0, 3);
	assert_true(h.s0 > 0.015 && h.s0 < 0.021);
	assert_near(verdict_learn(NULL, 0).d0, 0);
}

TEST(an_explanation_has_every_step)
{
	struct sides s;
	struct verdict_case c = boots(&s, BOOTS(100, 101, 99, 100.5), BOOTS(110, 111, 109, 110.5));
	struct verdict_result r = judge(&c);
	_text_ struct text t = {};

	verdict_explain(&r, &c.metric, &t);
	for (const char *const *want = (const char *const[]){
		     "metric: m, lower is better", "side A: 4 boots, 4 runs used, mean 100.125",
		     "unit: boots", "change: +10.0%, 95% interval [", "drift, later against",
		     "check by the median", "verdict: ", NULL }; *want; want++)
		if (!strstr(text_str(&t), *want))
			fail_msg("no '%s' in:\n%s", *want, text_str(&t));
}
