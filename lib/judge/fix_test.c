/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <math.h>

#include "base/check.h"
#include "judge/fix.h"
#include "math/random.h"

struct columns {
	struct verdict_run run[3][20];
};

/* Parent 100, bad 120, and the fix as given, in turn. */
static struct fix_case columns_draw(struct columns *c, struct random *random, double fix,
				    unsigned int n)
{
	double mean[3] = { 100, 120, fix };

	for (unsigned int i = 0; i < 3 * n; i++)
		c->run[i % 3][i / 3] = (struct verdict_run){
			mean[i % 3] * (1 + 0.01 * random_normal(random)), i, i };
	return (struct fix_case){ .parent = { c->run[0], n }, .bad = { c->run[1], n },
				  .fix = { c->run[2], n },
				  .metric = { .name = "m", .better = BETTER_LOWER } };
}

static struct fix_result judge(const struct fix_case *c)
{
	struct fix_result r;
	struct err e = {};

	assert_int_equal(fix_judge(c, &r, &e), 0);
	return r;
}

TEST(words_follow_the_interval)
{
	static const struct {
		double fix;
		enum fix_word word;
	} rows[] = {
		{ 100, FIX_RESTORES }, { 110, FIX_PARTLY }, { 120, FIX_NO_EFFECT },
		{ 130, FIX_WORSE }, { 90, FIX_RESTORES },
	};
	struct random random;
	struct columns c;

	random_seed(&random, 1);
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct fix_case fix = columns_draw(&c, &random, rows[i].fix, 8);

		assert_string_equal(fix_word(judge(&fix).word), fix_word(rows[i].word));
	}
}

TEST(the_interval_covers_the_truth)
{
	unsigned int hits = 0, n = 4000;
	struct random random;
	struct columns c;

	random_seed(&random, 2);
	for (unsigned int i = 0; i < n; i++) {
		double fix = 100 + i % 25;
		struct fix_case x = columns_draw(&c, &random, fix, 4 + i % 5);
		struct fix_result r = judge(&x);

		hits += r.low <= (120 - fix) / 20 && (120 - fix) / 20 <= r.high;
	}
	assert_in_range(hits, 0.93 * n, 0.97 * n);
}

TEST(without_a_gap_nothing_is_said)
{
	struct random random;
	struct columns c;
	struct fix_case fix;

	random_seed(&random, 3);
	fix = columns_draw(&c, &random, 100, 5);
	fix.bad = fix.parent;
	assert_int_equal(judge(&fix).word, FIX_UNSURE);
	fix.fix.n_runs = 0;
	assert_int_equal(judge(&fix).word, FIX_UNSURE);
	assert_int_equal(judge(&fix).boots_next, 3);
}

TEST(boots_are_added_until_the_interval_is_narrow)
{
	struct random random;
	struct columns c;
	struct fix_case fix;
	unsigned int n = VERDICT_FIRST;
	struct fix_result r;

	random_seed(&random, 4);
	do {
		fix = columns_draw(&c, &random, 104, n);
		r = judge(&fix);
		n += r.boots_next;
	} while (r.boots_next);
	assert_true(r.high - r.low <= 0.3);
	assert_in_range(n, 3, 12);
}

TEST(the_first_line_answers)
{
	struct random random;
	struct columns c;
	struct fix_case fix;
	struct fix_result r;
	_text_ struct text t = {};

	random_seed(&random, 5);
	fix = columns_draw(&c, &random, 100, 10);
	r = judge(&fix);
	fix_put(&r, &t);
	assert_int_equal(strncmp(text_str(&t), "restores: ", 10), 0);
	assert_non_null(strstr(text_str(&t), "of what was lost; what remains is within the noise"));
}
