/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <assert.h>
#include <math.h>

#include "math/random.h"

static uint64_t rotate(uint64_t x, int k)
{
	return x << k | x >> (64 - k);
}

void random_seed(struct random *r, uint64_t seed)
{
	*r = (struct random){};
	for (int i = 0; i < 4; i++) {
		uint64_t z = seed += 0x9e3779b97f4a7c15u;

		z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
		z = (z ^ z >> 27) * 0x94d049bb133111ebu;
		r->s[i] = z ^ z >> 31;
	}
}

uint64_t random_u64(struct random *r)
{
	uint64_t *s = r->s, result = rotate(s[1] * 5, 7) * 9, t = s[1] << 17;

	s[2] ^= s[0];
	s[3] ^= s[1];
	s[1] ^= s[2];
	s[0] ^= s[3];
	s[2] ^= t;
	s[3] = rotate(s[3], 45);
	return result;
}

double random_unit(struct random *r)
{
	return ((double)(random_u64(r) >> 11) + 0.5) * 0x1p-53;
}

uint64_t random_below(struct random *r, uint64_t n)
{
	uint64_t reject, x;

	assert(n);
	reject = -n % n;	/* 2^64 mod n values would make the low ones likelier */
	do
		x = random_u64(r);
	while (x < reject);
	return x % n;
}

double random_normal(struct random *r)
{
	double x, y, s;

	if (r->has_spare) {
		r->has_spare = false;
		return r->spare;
	}
	do {
		x = 2 * random_unit(r) - 1;
		y = 2 * random_unit(r) - 1;
		s = x * x + y * y;
	} while (s >= 1 || s <= 0);
	s = sqrt(-2 * log(s) / s);
	r->spare = y * s;
	r->has_spare = true;
	return x * s;
}

double random_exponential(struct random *r)
{
	return -log(random_unit(r));
}

double random_t(struct random *r, unsigned int df)
{
	double z = random_normal(r), sum = 0;

	for (unsigned int i = 0; i < df; i++) {
		double x = random_normal(r);

		sum += x * x;
	}
	return z / sqrt(sum / df);
}

static void swap(unsigned char *a, unsigned char *b, size_t size)
{
	while (size--) {
		unsigned char c = *a;

		*a++ = *b;
		*b++ = c;
	}
}

void random_shuffle(struct random *r, void *v, size_t n, size_t size)
{
	unsigned char *p = v;

	for (; n > 1; n--)
		swap(p + (n - 1) * size, p + random_below(r, n) * size, size);
}
