/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <math.h>

#include "base/check.h"
#include "parser/spread.h"

TEST(the_usual_figures)
{
	_spread_ struct spread s = {};

	for (int i = 4; i >= 1; i--)
		spread_add(&s, i);
	assert_true(spread_sum(&s) == 10 && spread_mean(&s) == 2.5 && spread_median(&s) == 2.5);
	assert_true(spread_min(&s) == 1 && spread_max(&s) == 4);
	assert_true(fabs(spread_deviation(&s, 2.5, 1) - 1.2909944487358056) < 1e-15);
	assert_true(fabs(spread_harmonic_mean(&s) - 1.92) < 1e-15);
	spread_add(&s, 100);
	assert_true(spread_median(&s) == 3);
}

TEST(no_values_give_zero)
{
	struct spread s = {};

	assert_true(spread_mean(&s) == 0 && spread_median(&s) == 0);
	assert_true(spread_harmonic_mean(&s) == 0 && spread_deviation(&s, 0, 1) == 0);
}

TEST(halves_round_away_from_zero)
{
	assert_true(spread_round(0.125, 2) == 0.13 && spread_round(-0.125, 2) == -0.13);
	assert_true(spread_round(5.015, 2) == 5.02);
	assert_true(spread_round(1e300, 2) == 1e300);
}
