/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <math.h>

#include "base/check.h"
#include "math/student.h"

static void assert_near(double got, double want)
{
	if (!(fabs(got - want) < 1e-6))
		fail_msg("got %.9g, want %.9g", got, want);
}

TEST(one_degree_is_the_cauchy_distribution)
{
	assert_near(exp(student_log_below(1, 1)), 0.75);
	assert_near(student_quantile(0.75, 1), 1);
}

TEST(quantiles_are_those_of_the_tables)
{
	assert_near(student_quantile(0.975, 10), 2.228138852);
	assert_near(student_quantile(0.995, 4), 4.604094871);
}

TEST(far_tails_do_not_vanish)
{
	assert_true(student_log_below(-1e6, 30) < -300 && isfinite(student_log_below(-1e6, 30)));
}
