/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <math.h>

#include "judge/forecast.h"
#include "math/gaussian_channel.h"

/* What the search needs beyond the bound. */
#define SLACK		1.3

/* Boots of each end, as the search does: until three standard errors. */
#define ENDS_ERRORS	3.0
#define ENDS_MIN	3
#define ENDS_MAX	30

/* Simulated: kernels built for each bit, where building costs ten boots. */
#define BUILDS_A_BIT	1.1

double forecast_boots(double bits, double d, double confidence)
{
	double c = channel_capacity(d);

	if (!(c > 0))
		return INFINITY;
	return SLACK * (bits / c + log(1 / (1 - confidence)) / (d * d / 2));
}

static double prior_bits(const struct bisect *b)
{
	double sum = 0, h = 0;

	for (size_t i = 0; i < b->n; i++)
		sum += b->commit[i].weight;
	for (size_t i = 0; i < b->n; i++) {
		double p = sum > 0 ? b->commit[i].weight / sum : 0;

		h -= p > 0 ? p * log2(p) : 0;
	}
	return h;
}

static double ends_boots(double d, unsigned int least)
{
	double n = ceil(2 * ENDS_ERRORS * ENDS_ERRORS / (d * d));

	return 2 * (least ? least : fmin(ENDS_MAX, fmax(ENDS_MIN, n)));
}

struct forecast bisect_forecast(const struct bisect *b)
{
	const struct bisect_options *o = &b->options;
	double tau = b->tau > 0 ? b->tau : b->s0 / 10;
	struct forecast f = {
		.bits = prior_bits(b),
		.d = fabs(b->change) / sqrt(b->s0 * b->s0 + tau * tau),
	};

	f.capacity = channel_capacity(f.d);
	f.ends = ends_boots(f.d, o->ends_min);
	f.boots = forecast_boots(f.bits, f.d, o->confidence > 0 ? o->confidence : 0.95);
	f.builds = fmin(f.boots, BUILDS_A_BIT * f.bits) + 2;
	f.secs = (f.ends + f.boots) * o->boot_secs + f.builds * o->build_secs;
	return f;
}

static void put_duration(double secs, struct text *out)
{
	if (secs < 90)
		text_printf(out, "%.0f s", secs);
	else if (secs < 90 * 60)
		text_printf(out, "%.0f min", secs / 60);
	else
		text_printf(out, "%.1f h", secs / 3600);
}

void forecast_put(const struct forecast *f, struct text *out)
{
	if (!isfinite(f->boots)) {
		text_puts(out, "no number of boots: the difference is not larger than 0");
		return;
	}
	text_printf(out, "%.0f boots of good and bad, then about %.0f boots of about %.0f builds",
		    f->ends, ceil(f->boots), ceil(f->builds));
	if (f->secs > 0) {
		text_puts(out, ", ");
		put_duration(f->secs, out);
	}
	text_printf(out, " (%.1f bits to find out, %.2f bits a boot at a change of %.2f spreads)",
		    f->bits, f->capacity, f->d);
}
