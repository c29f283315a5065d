/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sets of CPUs or nodes, as the kernel writes them: "0-3,8,10-11".
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/text.h"

#define CPULIST_MAX 16384	/* numbers from here on are refused */

struct cpulist {
	uint64_t bits[CPULIST_MAX / 64];
};

/* Adds what @text names; false (and @l undefined) where it is not a list. "" is empty. */
bool cpulist_parse(struct cpulist *l, const char *text);

void cpulist_add(struct cpulist *l, unsigned int cpu);
bool cpulist_has(const struct cpulist *l, unsigned int cpu);
unsigned int cpulist_count(const struct cpulist *l);

/* The smallest member that is @from or larger; CPULIST_MAX if there is none. */
unsigned int cpulist_next(const struct cpulist *l, unsigned int from);

#define cpulist_each(cpu, l)						\
	for (unsigned int cpu = cpulist_next((l), 0); cpu < CPULIST_MAX;	\
	     cpu = cpulist_next((l), cpu + 1))

void cpulist_print(const struct cpulist *l, struct text *out);
