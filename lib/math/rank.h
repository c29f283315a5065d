/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests that assume no distribution. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* The median of all differences b - a (Hodges and Lehmann 1963); NaN for none. */
double rank_shift(const double *a, size_t n_a, const double *b, size_t n_b);

/*
 * Two-sided p of the difference of means, if within each block the sides could
 * have come in any order.  The @n values are in order of time, @is_b tells the
 * side; blocks are @block values long, the last may be shorter.  Exact up to
 * 5,000 orders, else from 2,000 drawn with a fixed seed.  @least, unless NULL,
 * gets the smallest p that the design allows.
 */
double rank_blocks_p(const double *v, const bool *is_b, size_t n, size_t block, double *least);
