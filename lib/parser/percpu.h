/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tables with a column a CPU (/proc/interrupts, /proc/softirqs).  The header says
 * which CPUs; there may be thousands, and gaps where CPUs are offline.
 */
#pragma once

#include "parser/sample.h"

/*
 * With more CPUs than this our own mode prints the sums alone: a thousand CPUs times
 * a thousand interrupts are a million metrics that nobody reads.
 */
#define PERCPU_MAX 64

struct percpu {
	unsigned int *cpu;
	size_t n;
};

/* Takes a header ("   CPU0   CPU1"); false if the line is none. */
bool percpu_header(struct percpu *t, const char *line);

/*
 * Prints a row's numbers as CPUn.@name (see PERCPU_MAX) and their sum as @name.  @rest is what
 * stands behind the label; returns where the numbers end, or NULL if there are
 * none.
 */
const char *percpu_row(struct parse *p, const struct percpu *t, const char *rest, const char *name);

/* Where the numbers of a row end; the row's label may follow from it. */
const char *percpu_skip(const struct percpu *t, const char *rest);

void percpu_release(struct percpu *t);
