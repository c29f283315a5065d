/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <math.h>

#include "base/check.h"
#include "math/modes.h"
#include "math/random.h"

#define N 40

static struct modes draw(struct random *r, double apart, double share, size_t n)
{
	double v[N];

	for (size_t i = 0; i < n; i++)
		v[i] = random_normal(r) + (random_unit(r) < share ? apart : 0);
	return modes_find(v, n);
}

TEST(two_clear_modes_are_seen_with_their_shares)
{
	unsigned int seen = 0;
	struct random r;

	random_seed(&r, 1);
	for (int i = 0; i < 200; i++) {
		struct modes m = draw(&r, 10, 0.2, N);

		seen += m.two;
		if (m.two) {
			assert_true(fabs(m.high - m.low - 10) < 2);
			assert_true(m.share_high > 0 && m.share_high < 0.5);
			assert_true(m.spread > 0.5 && m.spread < 1.6);
		}
	}
	/* In some draws hardly a value is of the other mode. */
	assert_true(seen >= 190);
}

TEST(one_mode_is_hardly_ever_taken_for_two)
{
	unsigned int seen = 0;
	struct random r;

	random_seed(&r, 2);
	for (int i = 0; i < 500; i++)
		seen += draw(&r, 0, 0.5, N).two;
	assert_in_range(seen, 0, 5);
}

TEST(few_or_equal_values_have_one_mode)
{
	double v[N] = {};
	struct random r;

	random_seed(&r, 3);
	assert_false(draw(&r, 50, 0.5, MODES_FEWEST - 1).two);
	assert_false(modes_find(v, N).two);
}
