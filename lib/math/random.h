/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Random numbers that are the same on every machine for the same seed, for
 * simulations and permutations.  Not for secrets.
 *
 * xoshiro256** (Blackman and Vigna 2018), seeded by splitmix64; normal values
 * by the polar method (Marsaglia and Bray 1964).
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct random {
	uint64_t s[4];
	double spare;		/* the polar method makes two at a time */
	bool has_spare;
};

/* Neighbouring seeds give unrelated streams. */
void random_seed(struct random *r, uint64_t seed);

uint64_t random_u64(struct random *r);
double random_unit(struct random *r);			/* in (0, 1) */
uint64_t random_below(struct random *r, uint64_t n);	/* 0 .. n - 1, unbiased */
double random_normal(struct random *r);			/* mean 0, variance 1 */
double random_exponential(struct random *r);		/* mean 1 */

/* Student's t with @df > 0 degrees of freedom (whole numbers), not scaled. */
double random_t(struct random *r, unsigned int df);

/* Fisher and Yates; @v holds @n elements of @size bytes. */
void random_shuffle(struct random *r, void *v, size_t n, size_t size);
