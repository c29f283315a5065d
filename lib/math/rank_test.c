/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <math.h>

#include "base/check.h"
#include "math/rank.h"

TEST(shift_is_the_median_of_differences)
{
	double a[] = { 1, 2, 3 }, b[] = { 11, 12, 1000 };

	/* 8 9 9 10 10 11 997 998 999: the fifth. */
	assert_true(rank_shift(a, 3, b, 3) == 10);
	assert_true(isnan(rank_shift(a, 3, b, 0)));
}

TEST(orders_are_counted_within_blocks)
{
	double v[] = { 1, 5, 6, 2, 1.5, 5.5, 6.5, 2.5 };
	bool b[] = { false, true, true, false, false, true, true, false };
	double least;

	/* Of 6 x 6 orders this one and its mirror. */
	assert_true(fabs(rank_blocks_p(v, b, 8, 4, &least) - 2. / 36) < 1e-12);
	assert_true(fabs(least - 2. / 36) < 1e-12);
	/* Of 70 orders without blocks. */
	assert_true(fabs(rank_blocks_p(v, b, 8, 8, &least) - 2. / 70) < 1e-12);
}

TEST(equal_values_have_p_one)
{
	double v[] = { 3, 3, 3, 3 };
	bool b[] = { false, true, true, false };

	assert_true(rank_blocks_p(v, b, 4, 4, NULL) == 1);
}

TEST(many_boots_are_drawn_not_counted)
{
	double v[40];
	bool b[40];
	double p;

	for (int i = 0; i < 40; i++) {
		b[i] = i % 4 == 1 || i % 4 == 2;
		v[i] = (i * 7) % 10 + (b[i] ? 100 : 0);
	}
	p = rank_blocks_p(v, b, 40, 4, NULL);
	assert_true(p > 0 && p < 1e-3);
}
