/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <math.h>

#include "base/check.h"
#include "judge/draw.h"
#include "judge/qualify.h"

static struct qualification draw(struct draw how, uint64_t seed, unsigned int boots)
{
	static const struct verdict_metric metric = { .name = "m", .better = BETTER_LOWER };
	struct verdict_run run[40];
	struct random random;
	struct draw_session s = { .how = how, .random = &random };
	struct verdict_side side = { run, boots };
	struct qualification q;
	struct err e = {};

	random_seed(&random, seed);
	for (unsigned int i = 0; i < boots; i++)
		run[i] = (struct verdict_run){ draw_next(&s) * exp(i * how.drift), i, i };
	assert_int_equal(qualify(&side, &metric, 0, &q, &e), 0);
	return q;
}

TEST(a_quiet_job_is_qualified)
{
	struct qualification q = draw((struct draw){ .spread = 0.01 }, 1, 20);

	assert_true(q.qualified);
	assert_true(fabs(q.between - 0.01) < 0.004);
	assert_true(q.smallest > 0.008 && q.smallest < 0.025);
	assert_false(q.modes.two);
	assert_true(q.history.d0 == 19 && q.history.s0 == q.between);
}

TEST(what_stands_in_the_way_is_said)
{
	assert_int_equal(draw((struct draw){ .spread = 0.01 }, 1, 4).why, QUALIFY_FEW);
	assert_int_equal(draw((struct draw){ .spread = 0.1 }, 1, 20).why, QUALIFY_NOISY);
	assert_int_equal(draw((struct draw){ .spread = 0.005, .drift = 0.01 }, 1, 20).why,
			 QUALIFY_DRIFT);
}

TEST(two_modes_are_seen_and_none_is_dropped)
{
	struct qualification q = draw((struct draw){ .kind = DRAW_MODES, .spread = 0.01 }, 3, 40);
	_text_ struct text t = {};

	assert_true(q.modes.two);
	assert_true(fabs(q.modes.high - q.modes.low - log(1.1)) < 0.02);
	/* The spread between boots has both modes in it. */
	assert_true(q.between > 0.03);
	qualify_put(&q, &t);
	assert_non_null(strstr(text_str(&t), "two modes, +"));
}

TEST(failing_runs_disqualify)
{
	struct verdict_run run[8];
	struct verdict_side side = { run, 8, .tried = 9, .failed = 1 };
	struct verdict_metric metric = { .name = "m" };
	struct qualification q;
	struct err e = {};

	for (uint32_t i = 0; i < 8; i++)
		run[i] = (struct verdict_run){ 100 + i % 2, i, i };
	assert_int_equal(qualify(&side, &metric, 0, &q, &e), 0);
	assert_int_equal(q.why, QUALIFY_FAILS);
	run[3].value = NAN;
	assert_int_equal(qualify(&side, &metric, 0, &q, &e), -EINVAL);
}
