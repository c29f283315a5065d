/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Clocks, in one unit: nanoseconds. */
#pragma once

#include <stdint.h>
#include <time.h>

static inline uint64_t clock_ns(clockid_t id)
{
	struct timespec t;

	clock_gettime(id, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* For durations: no adjustment by NTP reaches it. */
static inline uint64_t clock_raw_ns(void)
{
	return clock_ns(CLOCK_MONOTONIC_RAW);
}

/* For deadlines, as timers and poll() see time. */
static inline uint64_t clock_mono_ns(void)
{
	return clock_ns(CLOCK_MONOTONIC);
}

/* For people: nanoseconds since 1970. */
static inline uint64_t clock_wall_ns(void)
{
	return clock_ns(CLOCK_REALTIME);
}
