/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <math.h>

#include "base/check.h"
#include "math/random.h"

TEST(the_stream_is_that_of_the_published_generator)
{
	/* State 1, 2, 3, 4 gives these first values by the definition. */
	struct random r = { .s = { 1, 2, 3, 4 } };

	assert_true(random_u64(&r) == 11520);
	assert_true(random_u64(&r) == 0);
	assert_true(random_u64(&r) == 1509978240);
	assert_true(random_u64(&r) == 1215971899390074240u);
}

TEST(the_same_seed_gives_the_same_numbers_and_another_does_not)
{
	struct random a, b, c;

	random_seed(&a, 7);
	random_seed(&b, 7);
	random_seed(&c, 8);
	for (int i = 0; i < 10; i++) {
		double x = random_normal(&a);

		assert_true(x == random_normal(&b));
		assert_true(x != random_normal(&c));
	}
}

struct moments {
	double mean, variance, beyond_2;
};

static struct moments measure(double (*draw)(struct random *), uint64_t seed)
{
	enum { N = 200000 };
	struct random r;
	double sum = 0, squares = 0, beyond = 0;

	random_seed(&r, seed);
	for (int i = 0; i < N; i++) {
		double x = draw(&r);

		sum += x;
		squares += x * x;
		beyond += fabs(x) > 2;
	}
	sum /= N;
	return (struct moments){ sum, squares / N - sum * sum, beyond / N };
}

static double t5(struct random *r)
{
	return random_t(r, 5);
}

TEST(normal_values_have_the_moments_and_tails_of_the_normal_distribution)
{
	struct moments m = measure(random_normal, 1);

	assert_true(fabs(m.mean) < 0.01);
	assert_true(fabs(m.variance - 1) < 0.015);
	assert_true(fabs(m.beyond_2 - 0.0455) < 0.002);
}

TEST(t_has_heavier_tails)
{
	struct moments m = measure(t5, 2);

	assert_true(fabs(m.mean) < 0.015);
	assert_true(fabs(m.variance - 5. / 3) < 0.06);
	assert_true(fabs(m.beyond_2 - 0.1019) < 0.003);
}

TEST(exponential_and_unit_have_their_means)
{
	struct moments e = measure(random_exponential, 3), u = measure(random_unit, 4);

	assert_true(fabs(e.mean - 1) < 0.01 && fabs(e.variance - 1) < 0.03);
	assert_true(fabs(u.mean - 0.5) < 0.005 && fabs(u.variance - 1. / 12) < 0.002);
}

TEST(below_takes_every_value_about_equally_often)
{
	unsigned int seen[6] = {};
	struct random r;

	random_seed(&r, 5);
	for (int i = 0; i < 60000; i++)
		seen[random_below(&r, 6)]++;
	for (int i = 0; i < 6; i++)
		assert_in_range(seen[i], 9600, 10400);
	assert_true(random_below(&r, 1) == 0);
}

TEST(a_shuffle_keeps_the_elements_and_puts_each_everywhere)
{
	unsigned int first[4] = {};
	struct random r;

	random_seed(&r, 6);
	for (int i = 0; i < 8000; i++) {
		int v[] = { 0, 1, 2, 3 };

		random_shuffle(&r, v, 4, sizeof(*v));
		assert_int_equal(v[0] + v[1] + v[2] + v[3], 6);
		assert_int_equal(1 << v[0] | 1 << v[1] | 1 << v[2] | 1 << v[3], 15);
		first[v[0]]++;
	}
	for (int i = 0; i < 4; i++)
		assert_in_range(first[i], 1800, 2200);
}
