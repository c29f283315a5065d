/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <fcntl.h>

#include "base/attr.h"
#include "base/check.h"
#include "run/pace.h"

TEST(the_clock_is_that_of_the_counter_times_the_ratio)
{
	struct pace_count from = { .aperf = 1000, .mperf = 2000, .tsc = 3000 };
	struct pace_count to = from;
	uint64_t khz;

	/* Two CPUs awake half of a second each, at 3 GHz on a 2 GHz counter. */
	to.aperf += 3000000000;
	to.mperf += 2000000000;
	to.tsc += 2000000000;
	assert_true(pace_khz(&from, &to, 1000000000, &khz));
	assert_int_equal(khz, 3000000);
}

TEST(counters_that_stand_still_tell_nothing)
{
	struct pace_count from = { .aperf = 1, .mperf = 1, .tsc = 1 }, to = { 2, 1, 2 };
	uint64_t khz;

	assert_false(pace_khz(&from, &to, 1000, &khz));
	to = (struct pace_count){ 2, 2, 2 };
	assert_false(pace_khz(&from, &to, 0, &khz));
	assert_true(pace_khz(&from, &to, 1000, &khz));
}

/* A plausible clock, or none: this may run anywhere. */
TEST(this_machine)
{
	_close_ int root = open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	_pace_ struct pace p;
	uint64_t khz = 0;

	pace_open(&p, root);
	for (volatile int i = 0; i < 20000000; i++)
		;
	if (!pace_take(&p, &khz)) {
		print_message("# skipped: the clock cannot be told here\n");
		return;
	}
	print_message("# %llu kHz\n", (unsigned long long)khz);
	assert_true(khz > 100000 && khz < 20000000);
}
