/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How fast the CPUs ran while they were not idle.  x86 counts that in a pair of
 * registers: APERF at the actual clock, MPERF at the clock of the time stamp
 * counter, both only while the CPU is awake.  The kernel gives them, and the time
 * stamp counter itself, as events of its "msr" unit; many virtual machines and
 * all other architectures have none, and ordinary users may not read them.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pace_count {
	uint64_t aperf, mperf, tsc;	/* the first two summed over all CPUs */
};

struct pace {
	int *fd;			/* aperf and mperf of each CPU, then tsc */
	size_t n;			/* 0: it cannot be told here */
	uint64_t begin_ns;		/* raw clock */
	struct pace_count begin;
};

/* The counting starts here. @root is "/": other trees have no counters. */
void pace_open(struct pace *p, int root);

/* kHz since then; false if it is not known. */
bool pace_take(const struct pace *p, uint64_t *khz);

/*
 * The actual clock is that of the time stamp counter (ticks in @ns) times the
 * ratio of the two; false where one of them has not moved.
 */
bool pace_khz(const struct pace_count *from, const struct pace_count *to, uint64_t ns,
	      uint64_t *khz);

void pace_release(struct pace *p);
#define _pace_ _cleanup_(pace_release)
