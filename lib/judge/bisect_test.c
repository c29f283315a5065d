/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <math.h>

#include "base/check.h"
#include "judge/bisect.h"
#include "judge/forecast.h"

#define STEPS	300

/* A bisection whose boots have no noise beyond what a test writes down. */
struct lab {
	struct bisect b;
	struct bisect_commit commit[64];
	struct bisect_boot boot[STEPS];
	size_t culprit;			/* b.n: none */
	double change;
	struct bisect_step step;
};

static void lab_make(struct lab *l, size_t n, size_t culprit)
{
	*l = (struct lab){ .culprit = culprit, .change = 0.1 };
	for (size_t i = 0; i < n; i++)
		l->commit[i].weight = 1;
	l->b = (struct bisect){ .commit = l->commit, .n = n, .boot = l->boot, .direction = 1,
				.change = 0.1, .a0 = 20, .s0 = 0.01 };
}

static void add(struct lab *l, int64_t at, double value)
{
	assert_true(l->b.n_boots < STEPS);
	l->boot[l->b.n_boots++] = (struct bisect_boot){ .at = at, .value = value,
							.reference = NAN };
}

static void boot(struct lab *l, int64_t at)
{
	bool bad = l->culprit < l->b.n && (at == BISECT_BAD || at >= (int64_t)l->culprit);

	add(l, at, (bad ? l->change : 0) + (l->b.n_boots % 2 ? 0.004 : -0.004));
}

static void next(struct lab *l)
{
	struct err e = {};

	if (bisect_next(&l->b, NULL, &l->step, &e) < 0)
		fail_msg("%s", e.text);
}

static void run(struct lab *l)
{
	for (next(l); l->step.action == BISECT_BOOT; next(l))
		boot(l, l->step.at);
}

TEST(the_ends_are_booted_first_and_in_the_order_a_b_b_a)
{
	static struct lab l;

	lab_make(&l, 16, 5);
	for (int i = 0; i < 6; i++) {
		next(&l);
		assert_int_equal(l.step.action, BISECT_BOOT);
		assert_int_equal(l.step.reason, BISECT_ENDS);
		assert_int_equal(l.step.at, (i + 1) / 2 % 2 ? BISECT_BAD : BISECT_GOOD);
		boot(&l, l.step.at);
	}
	next(&l);
	assert_int_equal(l.step.reason, BISECT_GAIN);
	assert_in_range(l.step.at, 6, 8);
}

TEST(each_culprit_is_found_with_about_one_boot_a_bit)
{
	static struct lab l;

	for (size_t k = 0; k < 16; k++) {
		lab_make(&l, 16, k);
		run(&l);
		assert_int_equal(l.step.action, BISECT_CULPRIT);
		assert_int_equal(l.step.first, k);
		assert_int_equal(l.step.last, k);
		assert_true(l.step.confidence >= 0.95);
		assert_in_range(l.b.n_boots, 6 + 3, 6 + 8);
	}
}

TEST(a_single_commit_needs_only_the_ends)
{
	static struct lab l;

	lab_make(&l, 1, 0);
	run(&l);
	assert_int_equal(l.step.action, BISECT_CULPRIT);
	assert_int_equal(l.b.n_boots, 6);
}

TEST(no_difference_is_not_reproduced)
{
	static struct lab l;

	lab_make(&l, 16, 16);
	run(&l);
	assert_int_equal(l.step.action, BISECT_NOT_REPRODUCED);
	assert_true(l.step.confidence >= 0.95);
	for (size_t i = 0; i < l.b.n_boots; i++)
		assert_true(l.boot[i].at < 0);
}

TEST(a_difference_in_the_other_direction_is_not_reproduced)
{
	static struct lab l;

	lab_make(&l, 16, 3);
	l.b.direction = -1;
	l.b.change = -0.1;
	run(&l);
	assert_int_equal(l.step.action, BISECT_NOT_REPRODUCED);
}

TEST(without_a_known_direction_either_sign_is_found)
{
	static struct lab l;

	lab_make(&l, 16, 3);
	l.b.direction = 0;
	l.b.change = 0;
	l.change = -0.1;
	run(&l);
	assert_int_equal(l.step.action, BISECT_CULPRIT);
	assert_int_equal(l.step.first, 3);
	assert_true(l.step.change < -0.08);
}

TEST(one_misleading_boot_costs_boots_and_not_the_answer)
{
	static struct lab l;

	lab_make(&l, 16, 12);
	l.b.s0 = 0.02;
	for (int i = 0; i < 6; i++)
		boot(&l, i % 2 ? BISECT_BAD : BISECT_GOOD);
	add(&l, 7, 0.07);	/* rather bad than good */
	next(&l);
	assert_true(l.step.good_p > 0.4 && l.step.at < 7);
	run(&l);
	assert_int_equal(l.step.action, BISECT_CULPRIT);
	assert_int_equal(l.step.first, 12);
}

TEST(unbuildable_commits_are_passed_over_and_stay_suspects)
{
	static struct lab l;

	lab_make(&l, 16, 7);
	for (int i = 6; i < 9; i++)
		l.commit[i].builds = BISECT_NO;
	run(&l);
	assert_int_equal(l.step.action, BISECT_SET);
	assert_int_equal(l.step.first, 6);
	assert_int_equal(l.step.last, 9);
	for (size_t i = 0; i < l.b.n_boots; i++)
		assert_false(l.boot[i].at >= 6 && l.boot[i].at <= 8);
}

TEST(a_culprit_beside_an_unbootable_range_is_still_one_commit)
{
	static struct lab l;

	lab_make(&l, 16, 11);
	for (int i = 6; i < 9; i++)
		l.commit[i].boots = BISECT_NO;
	run(&l);
	assert_int_equal(l.step.action, BISECT_CULPRIT);
	assert_int_equal(l.step.first, 11);
}

TEST(a_commit_with_its_parents_build_is_never_booted_nor_blamed)
{
	static struct lab l;
	double p[17];
	struct err e = {};

	lab_make(&l, 16, 5);
	for (uint32_t i = 0; i < 16; i++)
		l.commit[i].build = 100 + (i > 5 && i < 12 ? 5 : i);
	run(&l);
	assert_int_equal(l.step.action, BISECT_CULPRIT);
	assert_int_equal(l.step.first, 5);
	for (size_t i = 0; i < l.b.n_boots; i++)
		assert_false(l.boot[i].at > 5 && l.boot[i].at < 12);
	assert_int_equal(bisect_next(&l.b, p, &l.step, &e), 0);
	for (int i = 6; i < 12; i++)
		assert_true(p[i] == 0);
}

TEST(a_build_seen_again_later_clears_all_commits_between)
{
	static struct lab l;
	double p[17];
	struct err e = {};

	lab_make(&l, 16, 5);
	l.commit[7].build = l.commit[12].build = 9;
	assert_int_equal(bisect_next(&l.b, p, &l.step, &e), 0);
	for (int i = 0; i < 16; i++)
		assert_true((p[i] == 0) == (i > 7 && i <= 12));
}

TEST(good_and_bad_as_one_build_need_no_boot)
{
	static struct lab l;

	lab_make(&l, 16, 5);
	l.b.good_build = l.b.bad_build = 3;
	next(&l);
	assert_int_equal(l.step.action, BISECT_NOT_REPRODUCED);
	assert_int_equal(l.step.reason, BISECT_SAME_BUILD);
}

TEST(weights_move_the_first_boot)
{
	static struct lab l;

	lab_make(&l, 32, 20);
	l.commit[20].weight = 100;
	for (int i = 0; i < 6; i++)
		boot(&l, i % 2 ? BISECT_BAD : BISECT_GOOD);
	next(&l);
	assert_in_range(l.step.at, 19, 20);
}

TEST(a_built_kernel_is_preferred_when_builds_are_dear)
{
	static struct lab l;

	lab_make(&l, 32, 20);
	l.b.options.boot_secs = 10;
	l.b.options.build_secs = 1000;
	l.commit[2].build = 7;
	for (int i = 0; i < 6; i++)
		boot(&l, i % 2 ? BISECT_BAD : BISECT_GOOD);
	next(&l);
	assert_int_equal(l.step.at, 2);
	l.b.options.build_secs = 1;
	next(&l);
	assert_int_not_equal(l.step.at, 2);
}

TEST(the_budget_ends_with_the_range_that_holds_the_confidence)
{
	static struct lab l;

	lab_make(&l, 64, 20);
	l.b.options.boots_max = 9;
	run(&l);
	assert_int_equal(l.step.action, BISECT_BUDGET);
	assert_int_equal(l.b.n_boots, 9);
	assert_true(l.step.first <= 20 && 20 <= l.step.last);
	assert_true(l.step.last - l.step.first < 16);
	assert_true(l.step.confidence >= 0.9);
}

/* The machine gets slower by half the change in the midst of it. */
static void run_drifting(struct lab *l, bool told)
{
	for (next(l); l->step.action == BISECT_BOOT && l->b.n_boots < 60; next(l)) {
		double drift = 0.004 * (double)l->b.n_boots;

		boot(l, l->step.at);
		l->boot[l->b.n_boots - 1].value += drift;
		if (told)
			l->boot[l->b.n_boots - 1].reference = drift;
	}
}

TEST(drift_that_the_reference_shows_does_not_move_the_answer)
{
	static struct lab l;

	for (size_t k = 2; k < 64; k += 5) {
		lab_make(&l, 64, k);
		run_drifting(&l, true);
		assert_int_equal(l.step.action, BISECT_CULPRIT);
		assert_int_equal(l.step.first, k);
	}
}

TEST(without_spread_one_boot_a_step_is_enough)
{
	static struct lab l;

	for (size_t k = 0; k < 64; k += 3) {
		lab_make(&l, 64, k);
		l.b.s0 = 1e-5;
		l.b.options.ends_min = 1;
		for (next(&l); l.step.action == BISECT_BOOT; next(&l)) {
			bool bad = l.step.at == BISECT_BAD || l.step.at >= (int64_t)k;

			add(&l, l.step.at, 6.29 + (bad ? 0.1 : 0) + 1e-6 * (double)(l.b.n_boots % 3));
		}
		assert_int_equal(l.step.action, BISECT_CULPRIT);
		assert_int_equal(l.step.first, k);
		assert_in_range(l.b.n_boots, 2 + 5, 2 + 7);
	}
}

TEST(impossible_boots_are_refused)
{
	static struct lab l;
	struct err e = {};

	lab_make(&l, 4, 1);
	add(&l, 4, 0);
	assert_int_equal(bisect_next(&l.b, NULL, &l.step, &e), -EINVAL);
	lab_make(&l, 4, 1);
	add(&l, 3, NAN);
	assert_int_equal(bisect_next(&l.b, NULL, &l.step, &e), -EINVAL);
	lab_make(&l, 0, 0);
	assert_int_equal(bisect_next(&l.b, NULL, &l.step, &e), -EINVAL);
}

TEST(belief_sums_to_one)
{
	static struct lab l;
	struct err e = {};
	double p[65], sum = 0;

	lab_make(&l, 64, 20);
	run(&l);
	assert_int_equal(bisect_next(&l.b, p, &l.step, &e), 0);
	for (int i = 0; i < 65; i++)
		sum += p[i];
	assert_true(fabs(sum - 1) < 1e-9);
}

TEST(a_bisection_goes_on_from_its_record_as_if_nothing_had_happened)
{
	static struct lab l;
	struct err e = {};

	lab_make(&l, 16, 7);
	l.commit[3].builds = BISECT_NO;
	l.commit[5].build = 77;
	for (;;) {
		_bisect_ struct bisect_state s = {};
		_text_ struct text t = {}, again = {};
		struct bisect_step step;

		next(&l);
		bisect_print(&l.b, &t);
		if (bisect_read(&s, text_str(&t), t.len, "record", &e) < 0)
			fail_msg("%s", e.text);
		bisect_print(&s.b, &again);
		assert_string_equal(text_str(&t), text_str(&again));
		assert_int_equal(bisect_next(&s.b, NULL, &step, &e), 0);
		assert_int_equal(step.action, l.step.action);
		assert_int_equal(step.at, l.step.at);
		assert_true(step.confidence == l.step.confidence);
		if (step.action != BISECT_BOOT)
			break;
		boot(&l, l.step.at);
	}
	assert_int_equal(l.step.first, 7);
}

TEST(a_damaged_record_is_refused_with_its_place)
{
	static const char *const rows[] = {
		"", "boot 0 0 1\n", "bisect 2\n", "bisect 1\nboot 0 0 1\n", "bisect 1\ncommit 1 yx 0\n",
		"bisect 1\ncommit -1 ?? 0\n", "bisect 1\ncommit 1 ?? 0 5\n", "bisect 1\ns0 -1\n",
		"bisect 1\ncommit 1 ?? 0\nboot 0 0 nan\n", "bisect 1\ncommit 1 ?? 0\nboot -3 0 1\n",
		"bisect 1\ncommit 1 ?? 0\nboot 0 0 1 x\n", "bisect 1\ndirection 2\n", "bisect 1\nfoo 1\n",
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		_bisect_ struct bisect_state s = {};
		struct err e = {};

		if (bisect_read(&s, rows[i], strlen(rows[i]), "r", &e) >= 0)
			fail_msg("taken: %s", rows[i]);
		assert_non_null(strstr(e.text, "r:"));
	}
}

TEST(steps_say_what_and_why_in_numbers)
{
	_text_ struct text t = {};

	bisect_put_step(&(struct bisect_step){ .action = BISECT_BOOT, .reason = BISECT_GAIN,
		.at = 511, .good_p = 0.48, .gain = 0.38, .change = -0.034, .error = 0.007,
		.spread = 0.02, .bits = 9.5, .boots_left = 31.2 }, &t);
	assert_string_equal(text_str(&t), "boot commit 512: 48 % that it is good, 0.38 bits to be "
		"had; difference -3.34 % +- 0.70, spread 2.00 %, 9.5 bits open, about 32 boots left");
	text_release(&t);
	bisect_put_step(&(struct bisect_step){ .action = BISECT_SET, .first = 6, .last = 9,
		.confidence = 0.97, .change = 0.05, .error = 0.01 }, &t);
	assert_string_equal(text_str(&t), "one of a set that cannot be told apart: commits 7 to 10 "
		"(97.0 %); difference +5.13 % +- 1.00");
}

TEST(the_forecast_is_that_of_the_formula)
{
	static struct lab l;
	struct forecast f;
	_text_ struct text t = {};

	assert_true(fabs(forecast_boots(log2(1000), 3.4, 0.95) - 16.2) < 0.1);
	assert_true(fabs(forecast_boots(log2(1000), 1.7, 0.95) - 36.3) < 0.2);
	assert_true(fabs(forecast_boots(log2(1000), 1.13, 0.95) - 71.1) < 0.3);
	assert_true(isinf(forecast_boots(10, 0, 0.95)));
	/* A mode without spread needs one boot a bit. */
	assert_true(fabs(forecast_boots(10, 1000, 0.95) - 13) < 0.01);

	lab_make(&l, 64, 1);
	l.b.options.boot_secs = 10;
	l.b.options.build_secs = 100;
	f = bisect_forecast(&l.b);
	assert_true(fabs(f.bits - 6) < 1e-9);
	assert_true(f.ends == 6);
	assert_true(f.secs > (6 + f.boots) * 10);
	forecast_put(&f, &t);
	assert_non_null(strstr(text_str(&t), "6 boots of good and bad, then about 8 boots"));
}
