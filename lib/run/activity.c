/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

#include "run/activity.h"
#include "run/sysfile.h"

bool activity_read(int root, struct activity *a)
{
	uint64_t user, nice, system, idle, iowait = 0, irq = 0, softirq = 0, steal = 0;
	uint64_t tick_ns = 1000000000 / (uint64_t)sysconf(_SC_CLK_TCK);
	_text_ struct text t = {};

	if (!sysfile_read(root, "proc/stat", &t) ||
	    sscanf(text_str(&t), "cpu %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64
		   " %" SCNu64 " %" SCNu64 " %" SCNu64, &user, &nice, &system, &idle, &iowait,
		   &irq, &softirq, &steal) < 4)
		return false;
	*a = (struct activity){ .busy_ns = (user + nice + system + irq + softirq) * tick_ns,
				.idle_ns = (idle + iowait) * tick_ns,
				.steal_ns = steal * tick_ns };
	return true;
}

static uint64_t rise(uint64_t from, uint64_t to)
{
	return to > from ? to - from : 0;
}

struct activity activity_between(const struct activity *a, const struct activity *b)
{
	return (struct activity){ .busy_ns = rise(a->busy_ns, b->busy_ns),
				  .idle_ns = rise(a->idle_ns, b->idle_ns),
				  .steal_ns = rise(a->steal_ns, b->steal_ns) };
}
