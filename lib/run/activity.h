/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What all CPUs together did, since boot, as the kernel accounts for it in
 * /proc/stat.  Its ticks are coarse (often 10 ms): good for seconds, not for less.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct activity {
	uint64_t busy_ns;	/* user, nice, system, irq, softirq */
	uint64_t idle_ns;	/* idle, and waiting for a disk */
	uint64_t steal_ns;	/* wanted to run, but the hypervisor ran others */
};

/* False where it is not told. */
bool activity_read(int root, struct activity *a);

/* @b - @a; what runs backwards (some kernels' idle time does) counts as 0. */
struct activity activity_between(const struct activity *a, const struct activity *b);
