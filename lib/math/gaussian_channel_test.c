/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <math.h>

#include "base/check.h"
#include "math/gaussian_channel.h"
#include "math/random.h"

static void assert_near(double got, double want, double by)
{
	if (!(fabs(got - want) <= by))
		fail_msg("got %.9g, want %.9g", got, want);
}

TEST(capacities_are_the_published_ones)
{
	/* Binary input, amplitude 1, noise 2/d: tables of the BI-AWGN channel. */
	assert_near(channel_capacity(3.4), 0.835, 0.0005);
	assert_near(channel_capacity(1.7), 0.386, 0.0005);
	assert_near(channel_capacity(3.4 / 3), 0.200, 0.0006);
	/* Half a bit is had at 0.187 dB for each bit, hence 2/d = 0.9787. */
	assert_near(channel_capacity(2 / 0.97869), 0.5, 0.0003);
}

TEST(nothing_is_learned_from_no_shift_and_everything_from_a_large_one)
{
	assert_near(channel_capacity(0), 0, 0);
	assert_near(channel_capacity(15.9), 1, 1e-9);
	assert_near(channel_capacity(1e6), 1, 0);
	assert_near(channel_information(0, 3), 0, 0);
	assert_near(channel_information(1, 3), 0, 0);
}

TEST(small_shifts_give_d_squared_over_8_nats)
{
	assert_near(channel_capacity(0.01), 0.0001 / 8 / M_LN2, 1e-8);
}

TEST(yes_and_no_are_alike_and_a_half_is_best)
{
	assert_near(channel_information(0.2, 1.7), channel_information(0.8, 1.7), 1e-9);
	assert_true(channel_information(0.4, 1.7) < channel_capacity(1.7));
	assert_true(channel_information(0.2, 1.7) < channel_information(0.4, 1.7));
}

TEST(the_integral_is_what_drawing_gives)
{
	enum { N = 100000 };
	const double p = 0.3, d = 1.3;
	struct random r;
	double left = 0;

	random_seed(&r, 1);
	for (int i = 0; i < N; i++) {
		bool yes = random_unit(&r) < p;
		double x = random_normal(&r) + (yes ? d : 0);
		double after = 1 / (1 + (1 - p) / p * exp(-d * (x - d / 2)));

		left += channel_entropy(after);
	}
	assert_near(channel_information(p, d), channel_entropy(p) - left / N, 0.005);
}
