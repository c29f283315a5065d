/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Many samples of many names folded into one number a name, as they come: a
 * counter to its growth, a gauge to its mean, by the dictionary's kind.  Memory
 * is that of the names, not of the samples.
 *
 * Whole numbers below 2^64 are kept exactly, so that a counter's growth is exact
 * where a double would round it.
 */
#pragma once

#include <stdint.h>

#include "base/err.h"
#include "base/text.h"
#include "parser/scan.h"

#define SERIES_NAMES_MAX (1U << 20)

struct series;

/* @prefix and a dot stand before the names in the dictionary; borrowed. */
struct series *series_new(const char *prefix);
void series_free(struct series *s);

/* One sample. Names are cheap to find when they come in the same order again. */
_must_check_ int series_add(struct series *s, struct span name, struct span number,
			    struct err *e);
_must_check_ int series_add_value(struct series *s, struct span name, double value,
				  struct err *e);

/*
 * Metric lines in the order of first sight.  A counter seen once, or one that
 * went back (a reset, a CPU that left), is null with that reason.
 */
void series_print(const struct series *s, struct text *out);

DEFINE_CLEANUP(struct series, series)
