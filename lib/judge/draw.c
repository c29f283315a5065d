/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <assert.h>
#include <math.h>

#include "judge/draw.h"

const char *const draw_words[DRAW_KINDS] = {
	[DRAW_NORMAL] = "normal", [DRAW_T3] = "t3", [DRAW_MODES] = "two modes 80/20",
	[DRAW_AR1] = "AR(1) 0.3", [DRAW_QUANTISED] = "quantised",
};

static double draw_error(struct draw_session *s)
{
	double z;

	switch (s->how.kind) {
	case DRAW_T3:
		return s->how.spread * random_t(s->random, 3) / sqrt(3);
	case DRAW_MODES:
		return s->how.spread * random_normal(s->random) +
			(random_unit(s->random) < 0.2 ? log(1.1) : 0);
	case DRAW_AR1:
		z = random_normal(s->random);
		s->last = s->begun ? 0.3 * s->last + sqrt(1 - 0.09) * z : z;
		s->begun = true;
		return s->how.spread * s->last;
	default:
		return s->how.spread * random_normal(s->random);
	}
}

static double draw_value(struct draw_session *s, unsigned int position, bool b)
{
	double x = draw_error(s) + position * s->how.drift + (b ? log1p(s->how.change) : 0) +
		s->build[b];

	x = 38.3 * exp(x);
	return s->how.kind == DRAW_QUANTISED ? round(x) : x;
}

void draw_boots(struct draw_session *s, unsigned int n)
{
	assert(n <= COUNT(s->a));
	for (int b = 0; b < 2 && s->n_a + s->n_b == 0; b++)
		s->build[b] = s->how.jitter * random_normal(s->random);
	while (s->n_a < n || s->n_b < n) {
		unsigned int position = s->n_a + s->n_b;
		bool b = s->n_a == n ? true : s->n_b == n ? false : verdict_order(position);
		struct verdict_run run = { draw_value(s, position, b), position, position };

		if (b)
			s->b[s->n_b++] = run;
		else
			s->a[s->n_a++] = run;
	}
}

double draw_next(struct draw_session *s)
{
	return draw_value(s, 0, false);
}

struct verdict_case draw_case(const struct draw_session *s)
{
	return (struct verdict_case){
		.a = { s->a, s->n_a }, .b = { s->b, s->n_b },
		.history = { .tau = s->how.jitter },
		.metric = { .name = "drawn", .better = BETTER_LOWER, .headline = true },
	};
}
