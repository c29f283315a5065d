/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What verdicts promise, tried on cases whose truth is known.  Each row below is a
 * claim; each is simulated from a seed of its own, so that a run can be repeated.
 *
 * usage: simulation [--short]
 *
 * Prints a line per claim: what was measured, on how many cases, what must be
 * reached.  --short draws a tenth and fails where the figures contradict a claim; the
 * full form also fails where they do not confirm it with 95 % confidence.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "judge/draw.h"
#include "judge/many.h"
#include "judge/trend.h"
#include "math/dist.h"

static const unsigned int sizes[] = { 3, 4, 5, 6, 8, 10, 14, 20 };

struct tally {
	unsigned int hits, cases;
};

static bool is_short;

static unsigned int cases(unsigned int full)
{
	return is_short ? full / 10 : full;
}

static bool is_change(enum verdict v)
{
	return v <= VERDICT_CHANGE;
}

static struct verdict_result judge(const struct draw_session *s)
{
	struct verdict_case c = draw_case(s);
	struct verdict_result r;
	struct err e = {};

	if (verdict_judge(&c, &r, &e) < 0) {
		fprintf(stderr, "simulation: %s\n", e.text);
		exit(1);
	}
	return r;
}

/* One look at @n boots a side. */
static struct verdict_result look(struct draw how, struct random *random, unsigned int n)
{
	struct draw_session s = { .how = how, .random = random };

	draw_boots(&s, n);
	return judge(&s);
}

/* As krobot goes about it: boots are added while the judge asks for them. */
static struct verdict_result stages(struct draw how, struct random *random, unsigned int cap,
				    unsigned int *boots)
{
	struct draw_session s = { .how = how, .random = random };
	struct verdict_result r = { .boots_next = VERDICT_FIRST };

	while (r.boots_next && s.n_a + r.boots_next <= cap) {
		draw_boots(&s, s.n_a + r.boots_next);
		r = judge(&s);
	}
	*boots += s.n_a;
	return r;
}

/* Prints the row; true if the claim holds. */
static bool at_most(const char *claim, struct tally t, double limit)
{
	double low = dist_rate_below(t.hits, t.cases, 0.95);
	double high = dist_rate_above(t.hits, t.cases, 0.95);
	bool ok = is_short ? low <= limit : high <= limit;

	printf("%s  %-58s %7.3f%% of %u, at most %.3f%%; wanted <= %.1f%%\n", ok ? "ok  " : "FAIL",
	       claim, 100.0 * t.hits / t.cases, t.cases, 100 * high, 100 * limit);
	return ok;
}

static bool at_least(const char *claim, struct tally t, double limit)
{
	double low = dist_rate_below(t.hits, t.cases, 0.95);
	double high = dist_rate_above(t.hits, t.cases, 0.95);
	bool ok = is_short ? high >= limit : low >= limit;

	printf("%s  %-58s %7.2f%% of %u, at least %.2f%%; wanted >= %.0f%%\n", ok ? "ok  " : "FAIL",
	       claim, 100.0 * t.hits / t.cases, t.cases, 100 * low, 100 * limit);
	return ok;
}

static bool within(const char *claim, double got, double low, double high)
{
	bool ok = got >= low && got <= high;

	printf("%s  %-58s %7.3f; wanted %g to %g\n", ok ? "ok  " : "FAIL", claim, got, low, high);
	return ok;
}

/* The most alarms of any number of boots a side. */
static struct tally worst_size(struct draw how, uint64_t seed, unsigned int n, unsigned int *at)
{
	struct tally worst = { 0, n };

	for (size_t k = 0; k < COUNT(sizes); k++) {
		struct tally t = { 0, n };
		struct random random;

		random_seed(&random, seed + k);
		for (unsigned int i = 0; i < n; i++)
			t.hits += is_change(look(how, &random, sizes[k]).verdict);
		if (k == 0 || t.hits > worst.hits) {
			worst = t;
			*at = sizes[k];
		}
	}
	return worst;
}

static bool alarms_at_one_look(void)
{
	static const double spreads[] = { 0.01, 0.05 };
	bool ok = true;

	for (enum draw_kind k = 0; k < DRAW_KINDS; k++)
		for (size_t s = 0; s < COUNT(spreads); s++) {
			struct draw how = { .kind = k, .spread = spreads[s] };
			unsigned int at = 0;
			struct tally t = worst_size(how, 100 * (k + 1) + 10 * s, cases(40000), &at);
			char claim[100];

			snprintf(claim, sizeof(claim), "no change, %s, CV %g%%: alarms (worst: n = %u)",
				 draw_words[k], 100 * spreads[s], at);
			ok &= at_most(claim, t, 0.002);
		}
	return ok;
}

static bool alarms_in_stages(void)
{
	bool ok = true;

	for (enum draw_kind k = 0; k < DRAW_KINDS; k++) {
		struct tally t = { 0, cases(20000) };
		struct random random;
		unsigned int boots = 0;
		char claim[100];

		random_seed(&random, 1000 + k);
		for (unsigned int i = 0; i < t.cases; i++) {
			struct draw how = { .kind = k, .spread = i % 2 ? 0.01 : 0.02 };

			t.hits += is_change(stages(how, &random, 20, &boots).verdict);
		}
		snprintf(claim, sizeof(claim), "no change, %s, in stages to 20: alarms",
			 draw_words[k]);
		ok &= at_most(claim, t, 0.002);
	}
	return ok;
}

/* Somebody who looks after each boot, and stops at the first verdict. */
static bool alarms_of_the_impatient(void)
{
	struct tally t = { 0, cases(20000) };
	struct random random;

	random_seed(&random, 2000);
	for (unsigned int i = 0; i < t.cases; i++) {
		struct draw_session s = { .how = { .spread = i % 2 ? 0.02 : 0.05 },
					  .random = &random };
		bool changed = false;

		for (unsigned int n = 3; n <= 20 && !changed; n++) {
			draw_boots(&s, n);
			changed = is_change(judge(&s).verdict);
		}
		t.hits += changed;
	}
	return at_most("no change, a look after each boot from 3 to 20: alarms", t, 0.002);
}

static bool alarms_with_drift(void)
{
	unsigned int at = 0;
	struct tally t = worst_size((struct draw){ .spread = 0.01, .drift = 0.004 }, 3000,
				    cases(20000), &at);

	return at_most("no change, drift 0.4% a boot: alarms", t, 0.01);
}

/* All of A, then all of B, which nobody should do: the drift gate stands alone. */
static bool alarms_with_drift_out_of_order(void)
{
	struct tally t = { 0, cases(20000) };
	struct random random;

	random_seed(&random, 3100);
	for (unsigned int i = 0; i < t.cases; i++) {
		struct draw_session s = { .how = { .spread = 0.01 }, .random = &random };
		unsigned int n = sizes[i % COUNT(sizes)];

		draw_boots(&s, n);
		for (unsigned int k = 0; k < n; k++) {
			s.a[k].order = k;
			s.a[k].value *= exp(0.004 * k);
			s.b[k].order = n + k;
			s.b[k].value *= exp(0.004 * (n + k));
		}
		t.hits += is_change(judge(&s).verdict);
	}
	return at_most("no change, drift 0.4% a boot, all A before all B: alarms", t, 0.01);
}

static bool alarms_with_jitter(void)
{
	unsigned int at = 0;
	struct draw how = { .spread = 0.02, .jitter = 0.006 };
	struct tally t = worst_size(how, 4000, cases(20000), &at);

	return at_most("no change, builds differ by 0.3 CV (known): alarms", t, 0.002);
}

static bool power_in_stages(void)
{
	static const struct {
		const char *claim;
		double spread, wanted;
		unsigned int cap;
	} rows[] = {
		{ "-3.4% at CV 1%, up to 9 boots a side: found", 0.01, 0.95, 9 },
		{ "-3.4% at CV 2%, up to 20 boots a side: found", 0.02, 0.75, 20 },
	};
	bool ok = true;

	for (size_t i = 0; i < COUNT(rows); i++) {
		struct tally t = { 0, cases(10000) };
		struct random random;
		unsigned int boots = 0;

		random_seed(&random, 5000 + i);
		for (unsigned int k = 0; k < t.cases; k++) {
			struct draw how = { .spread = rows[i].spread, .change = -0.034 };

			t.hits += stages(how, &random, rows[i].cap, &boots).verdict ==
				VERDICT_IMPROVEMENT;
		}
		ok &= at_least(rows[i].claim, t, rows[i].wanted);
		printf("      ... with %.2f boots a side on average\n", (double)boots / t.cases);
	}
	return ok;
}

static bool cost_of_no_change(void)
{
	unsigned int boots = 0, n = cases(20000);
	struct random random;

	random_seed(&random, 6000);
	for (unsigned int i = 0; i < n; i++)
		stages((struct draw){ .spread = 0.01 }, &random, 9, &boots);
	return within("no change, CV 1%: boots a side on average", (double)boots / n, 3, 3.5);
}

static bool coverage(void)
{
	bool ok = true;

	for (size_t k = 0; k < COUNT(sizes); k++) {
		unsigned int n = cases(20000), hits = 0;
		struct random random;
		char claim[100];

		random_seed(&random, 7000 + k);
		for (unsigned int i = 0; i < n; i++) {
			double change = i % 2 ? -0.034 : 0.2;
			struct draw how = { .spread = 0.02, .change = change,
					    .kind = i % 4 < 2 ? DRAW_NORMAL : DRAW_T3 };
			struct verdict_result r = look(how, &random, sizes[k]);

			hits += r.low <= change && change <= r.high;
		}
		snprintf(claim, sizeof(claim), "95%% interval covers the truth, n = %u: percent",
			 sizes[k]);
		ok &= within(claim, 100.0 * hits / n, 93, 97);
	}
	return ok;
}

/* Power may not fall with more boots, nor the interval widen. */
static bool growth(void)
{
	double last_power = -1, last_width = INFINITY;
	bool ok = true;

	for (size_t k = 0; k < COUNT(sizes); k++) {
		unsigned int n = cases(10000), hits = 0;
		double width = 0, power;
		struct random random;

		random_seed(&random, 8000 + k);
		for (unsigned int i = 0; i < n; i++) {
			struct draw how = { .spread = 0.01, .change = -0.034 };
			struct verdict_result r = look(how, &random, sizes[k]);

			hits += r.verdict == VERDICT_IMPROVEMENT;
			width += (r.high - r.low) / n;
		}
		power = 100.0 * hits / n;
		/* A percent for the draw's own error where power is near 100 %. */
		ok &= power >= last_power - 1 && width < last_width;
		printf("      ... n = %2u: -3.4%% at CV 1%% found in %6.2f%%, interval %.2f%% wide\n",
		       sizes[k], power, 100 * width);
		last_power = power;
		last_width = width;
	}
	printf("%s  power and interval grow with n\n", ok ? "ok  " : "FAIL");
	return ok;
}

/* An unchanged job: one headline, 299 watched metrics of all kinds and spreads. */
static unsigned int false_rows(struct random *random, unsigned int boots)
{
	enum { N = 300 };
	static struct verdict_result r[N];
	static struct many_row row[N];
	static const struct verdict_metric head = { .name = "h", .headline = true }, watched = {};
	unsigned int rows = 0;

	for (unsigned int i = 0; i < N; i++) {
		struct draw how = { .kind = i % DRAW_KINDS, .spread = 0.005 * (1 + i % 20) };

		r[i] = look(how, random, boots);
		row[i] = (struct many_row){ .r = &r[i], .metric = i ? &watched : &head };
	}
	many_judge(row, N);
	for (unsigned int i = 1; i < N; i++)
		rows += row[i].unconfirmed || is_change(r[i].verdict);
	return rows;
}

static bool many_metrics(void)
{
	unsigned int rows = 0, n = cases(4000);
	struct random random;

	random_seed(&random, 9000);
	for (unsigned int i = 0; i < n; i++)
		rows += false_rows(&random, sizes[i % COUNT(sizes)]);
	return within("300 metrics, no change: false rows a job", (double)rows / n, 0, 0.05);
}

/* Series of 1,000 commits on which nothing happens. */
static bool silent_series(void)
{
	enum { N = 1000 };
	static struct trend_row row[N];
	static const struct trend_options o;
	bool ok = true;

	for (enum draw_kind k = 0; k < DRAW_KINDS; k++) {
		struct tally t = { 0, cases(2000) };
		struct random random;
		char claim[100];

		random_seed(&random, 10000 + k);
		for (unsigned int i = 0; i < t.cases; i++) {
			struct draw_session s = { .how = { .kind = k, .spread = 0.02 },
						  .random = &random };
			_trend_ struct trend trend = {};
			struct err e = {};

			for (uint32_t j = 0; j < N; j++)
				row[j] = (struct trend_row){ draw_next(&s), j };
			if (trend_find(&trend, row, N, &o, &e) < 0)
				exit(1);
			t.hits += trend.n_changes == 0;
		}
		snprintf(claim, sizeof(claim), "1,000 unchanged commits, %s: silent", draw_words[k]);
		ok &= at_least(claim, t, 0.98);
	}
	return ok;
}

int main(int argc, char **argv)
{
	static bool (*const claims[])(void) = {
		alarms_at_one_look, alarms_in_stages, alarms_of_the_impatient, alarms_with_drift,
		alarms_with_drift_out_of_order, alarms_with_jitter, power_in_stages,
		cost_of_no_change, coverage, growth, many_metrics, silent_series,
	};
	bool ok = true;

	is_short = argc == 2 && !strcmp(argv[1], "--short");
	if (argc > 2 || (argc == 2 && !is_short)) {
		fprintf(stderr, "usage: simulation [--short]\n");
		return 2;
	}
	for (size_t i = 0; i < COUNT(claims); i++)
		ok &= claims[i]();
	return !ok;
}
