/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <math.h>

#include "base/check.h"
#include "math/dist.h"

static void assert_near(double got, double want, double by)
{
	if (!(fabs(got - want) <= by * fabs(want)))
		fail_msg("got %.9g, want %.9g", got, want);
}

TEST(student_is_that_of_the_tables)
{
	assert_near(dist_t_at(0.05, 4), 2.776445, 1e-6);
	assert_near(dist_t_at(0.001, 10), 4.586894, 1e-6);
	assert_near(dist_t_p(2.776445, 4), 0.05, 1e-6);
}

TEST(the_fast_quantile_is_near)
{
	for (double df = 4; df < 400; df *= 1.5) {
		assert_near(dist_t_about(dist_normal_at(0.05), df), dist_t_at(0.05, df), 0.01);
		assert_near(dist_t_about(dist_normal_at(0.002), df), dist_t_at(0.002, df), 0.06);
	}
}

TEST(fisher_is_exact)
{
	assert_near(dist_fisher_p(0, 3, 3, 3), 0.1, 1e-9);
	assert_near(dist_fisher_p(0, 3, 5, 10), 0.230769231, 1e-8);
	assert_near(dist_fisher_p(0, 10, 10, 10), 2 / 184756., 1e-9);
	assert_near(dist_fisher_p(1, 5, 1, 5), 1, 1e-9);
}

TEST(rates_have_bounds)
{
	assert_near(dist_rate_above(0, 1500, 0.95), 1 - pow(0.05, 1 / 1500.), 1e-9);
	assert_near(dist_rate_below(3, 3, 0.95), pow(0.05, 1 / 3.), 1e-9);
	assert_true(dist_rate_below(0, 10, 0.95) == 0);
	assert_true(dist_rate_above(10, 10, 0.95) == 1);
}
