/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Warm-up: runs that come before the measured ones and are never judged.  Page
 * cache, clocks and allocators settle in them.  A job says how many, or that
 * they go on until the last three headline values agree:
 *
 *	warmup: 3
 *	warmup: until-stable 5% 60s
 *
 * What does not agree in time is measured all the same, and recorded as unsteady.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

struct warmup {
	uint64_t runs;		/* until stable: at most that many */
	bool until_stable;
	double tolerance;	/* of (largest - smallest) / mean: 0.05 */
	uint64_t secs;		/* no further run is begun after that */
};

/* @text: NULL or a job's `warmup`. EINVAL: neither of the forms. */
_must_check_ int warmup_parse(const char *text, struct warmup *w, struct err *e);

/* Whether the last three of @n values agree. Fewer than three do not. */
bool warmup_is_steady(const struct warmup *w, const double *value, size_t n);
