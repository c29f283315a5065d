/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/check.h"
#include "flow/order.h"

TEST(two_sides_run_a_b_b_a)
{
	static const size_t want[] = { 0, 1, 1, 0, 0, 1 };
	size_t got[6];

	order_fill(2, 3, got);
	assert_memory_equal(got, want, sizeof(want));
}

/* What drifts in a straight line adds the same to each: mean positions are equal. */
TEST(mean_positions_are_equal_after_even_rounds)
{
	size_t got[5 * 4], sum[5] = {};

	order_fill(5, 4, got);
	for (size_t i = 0; i < 20; i++)
		sum[got[i]] += i;
	for (size_t i = 1; i < 5; i++)
		assert_int_equal(sum[i], sum[0]);
}
