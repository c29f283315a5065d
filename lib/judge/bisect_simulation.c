/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * usage: bisect_simulation [TRIALS [PART OF A NAME]]
 *
 * Bisections against drawn noise with fixed seeds, a cell of TRIALS each (without
 * it the short form).  Prints a table, and beside each share its 95 % interval
 * (Wilson 1927); TAP, a cell that misses its figure is "not ok".
 *
 * "right": the culprit alone, or the smallest set that can be told apart and holds
 * it; without a culprit: "not reproduced".  "undecided": the budget ended, or the
 * ends did not differ clearly.  All else is wrong.  "boots" are those of the search;
 * those of the two ends before it and reference boots are not among them.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "judge/bisect.h"
#include "judge/forecast.h"
#include "math/random.h"

#define COMMITS		1000
#define SHORT_TRIALS	16

struct cell {
	const char *name;
	double cv;		/* of a boot; 0: 0.02 */
	double told;		/* spread told over true spread; 0: 1 */
	double jitter;		/* offset of a build, in spreads */
	double unbuildable;	/* share of commits */
	double lost;		/* share of boots */
	double drift;		/* of the machine, spreads a step, a random walk */
	double build_cost;	/* in boots */
	bool t3, no_culprit, reference;
	double most_boots;	/* on average; 0: no claim */
	double least_right;	/* share */
	bool honest;		/* undecided counts as right */
};

#define PLAIN(name_, cv_, boots) \
	{ .name = name_, .cv = cv_, .told = 1, .most_boots = boots, .least_right = 0.95 }
#define HARD(name_, ...) \
	{ .name = name_, .least_right = 0.9, .honest = true, __VA_ARGS__ }

static const struct cell cells[] = {
	PLAIN("spread 1 %", 0.01, 15),
	PLAIN("spread 2 %", 0.02, 40),
	PLAIN("spread 3 %", 0.03, 85),
	HARD("told spread x 0.7", .told = 0.7),
	HARD("told spread x 1.4", .told = 1.4),
	HARD("told x 0.7, spread 3 %", .told = 0.7, .cv = 0.03),
	HARD("build jitter 0.3", .jitter = 0.3),
	HARD("build jitter 0.3, spread 3 %", .jitter = 0.3, .cv = 0.03),
	HARD("t3 tails, spread 1 %", .t3 = true, .cv = 0.01),
	HARD("t3 tails", .t3 = true),
	HARD("t3 tails, spread 3 %", .t3 = true, .cv = 0.03),
	HARD("10 % unbuildable", .unbuildable = 0.1),
	HARD("30 % of boots lost", .lost = 0.3),
	HARD("no culprit", .no_culprit = true),
	HARD("no culprit, t3 tails", .no_culprit = true, .t3 = true),
	HARD("drift 0.3 a step, reference", .drift = 0.3, .reference = true),
	HARD("a build costs 10 boots", .build_cost = 10),
	HARD("all of it, spread 1.5 %", .cv = 0.015, .told = 0.7, .jitter = 0.3, .t3 = true,
	     .unbuildable = 0.1, .lost = 0.3),
};

#define STEPS_MAX	400

struct world {
	const struct cell *c;
	double cv;
	struct random r;
	struct bisect b;
	struct bisect_commit commit[COMMITS];
	struct bisect_boot boot[STEPS_MAX];
	double offset[COMMITS + 2];	/* of each commit's build, then bad, good */
	bool broken[COMMITS];
	size_t culprit;			/* COMMITS: none */
	double level;			/* of the machine */
	size_t ends, lost, tried;
};

struct tally {
	unsigned int n, right, undecided, wrong, sure, sure_right;
	double boots, squares, ends, builds, lost;
};

static double noise(struct world *w)
{
	/* Unit variance: t with 3 degrees of freedom has variance 3. */
	return w->cv * (w->c->t3 ? random_t(&w->r, 3) / sqrt(3) : random_normal(&w->r));
}

/* Runs of broken commits, three long on average. */
static void break_commits(struct world *w)
{
	double share = w->c->unbuildable, mend = 1. / 3;
	double starts = share < 1 ? mend * share / (1 - share) : 1;
	bool broken = false;

	for (size_t i = 0; i + 1 < COMMITS; i++) {
		broken = random_unit(&w->r) < (broken ? 1 - mend : starts);
		w->broken[i] = broken;
	}
}

static void world_make(struct world *w, const struct cell *c, uint64_t seed)
{
	*w = (struct world){ .c = c, .cv = c->cv > 0 ? c->cv : 0.02 };
	random_seed(&w->r, seed);
	w->culprit = c->no_culprit ? COMMITS : random_below(&w->r, COMMITS);
	for (size_t i = 0; i < COMMITS + 2; i++)
		w->offset[i] = c->jitter * w->cv * random_normal(&w->r);
	for (size_t i = 0; i < COMMITS; i++)
		w->commit[i].weight = 1;
	break_commits(w);
	w->b = (struct bisect){
		.commit = w->commit, .n = COMMITS, .boot = w->boot, .direction = -1,
		.change = log(1 - 0.034) * exp(0.3 * random_normal(&w->r)), .a0 = 20,
		.s0 = w->cv * (c->told > 0 ? c->told : 1),
		.tau = c->jitter * w->cv,
		.options = { .boots_max = STEPS_MAX, .boot_secs = 1, .build_secs = c->build_cost },
	};
}

static double draw(struct world *w, int64_t at)
{
	size_t i = at == BISECT_GOOD ? COMMITS + 1 : at == BISECT_BAD ? COMMITS : (size_t)at;
	bool bad = w->culprit < COMMITS && at != BISECT_GOOD &&
		   (at == BISECT_BAD || (size_t)at >= w->culprit);

	return (bad ? log(1 - 0.034) : 0) + w->offset[i] + noise(w) + w->level;
}

/* Boots once, or learns that the commit does not build, or loses the boot. */
static void act(struct world *w, int64_t at)
{
	w->tried++;
	if (at >= 0 && w->broken[at]) {
		w->commit[at].builds = BISECT_NO;
		return;
	}
	if (at >= 0)
		w->commit[at].builds = BISECT_YES;
	if (random_unit(&w->r) < w->c->lost) {
		w->lost++;
		return;
	}
	w->level += w->c->drift * w->cv * random_normal(&w->r);
	w->boot[w->b.n_boots++] = (struct bisect_boot){
		.at = at, .value = draw(w, at),
		.reference = w->c->reference ? noise(w) + w->level : NAN,
	};
	if (at >= 0)
		w->commit[at].boots = BISECT_YES;
}

static struct bisect_step run(struct world *w)
{
	struct bisect_step s;
	struct err e = {};

	for (;;) {
		if (bisect_next(&w->b, NULL, &s, &e) < 0) {
			fprintf(stderr, "%s\n", e.text);
			exit(2);
		}
		if (s.action != BISECT_BOOT || w->tried > 2 * STEPS_MAX)
			return s;
		if (s.reason == BISECT_ENDS && w->ends == w->b.n_boots)
			w->ends++;
		act(w, s.at);
	}
}

/* What an oracle would call the smallest set with the culprit in it. */
static bool is_smallest(const struct world *w, size_t first, size_t last)
{
	for (size_t i = first; i < last; i++)
		if (!w->broken[i])
			return false;
	return first <= w->culprit && w->culprit <= last;
}

static void judge(const struct world *w, const struct bisect_step *s, struct tally *t)
{
	bool sure = s->action == BISECT_CULPRIT || s->action == BISECT_SET ||
		    (s->action == BISECT_NOT_REPRODUCED && s->reason == BISECT_SURE);
	bool right = sure && (s->action == BISECT_NOT_REPRODUCED ? w->culprit == COMMITS :
			      is_smallest(w, s->first, s->last));
	double boots = (double)(w->b.n_boots - w->ends);

	t->n++;
	t->sure += sure;
	t->sure_right += right;
	t->right += right;
	t->undecided += !sure;
	t->wrong += sure && !right;
	t->boots += boots;
	t->squares += boots * boots;
	t->ends += (double)w->ends;
	t->lost += (double)w->lost;
	for (size_t i = 0; i < COMMITS; i++)
		t->builds += w->commit[i].builds != BISECT_UNKNOWN;
}

/* Wilson's interval for @k of @n; @side -1 or 1. */
static double bound(double k, double n, int side)
{
	const double z = 1.96;
	double p = n > 0 ? k / n : 0, mid, half;

	if (n <= 0)
		return side < 0 ? 0 : 1;
	mid = (p + z * z / (2 * n)) / (1 + z * z / n);
	half = z / (1 + z * z / n) * sqrt(p * (1 - p) / n + z * z / (4 * n * n));
	return fmax(0, mid + side * half);
}

/*
 * In the full form the mean itself must reach the figure; the short form has few
 * trials and fails only where its whole interval misses.
 */
static bool reached(const struct cell *c, const struct tally *t, bool full)
{
	double n = t->n, mean = t->boots / n;
	double error = sqrt(fmax(0, t->squares / n - mean * mean) / n);
	double good = t->right + (c->honest ? t->undecided : 0);
	double share = full ? good / n : bound(good, n, 1);
	double calibrated = full && t->sure ? (double)t->sure_right / t->sure :
			    bound(t->sure_right, t->sure, 1);

	if (c->most_boots > 0 && mean - (full ? 0 : 2 * error) > c->most_boots)
		return false;
	/* Where there is no culprit every sure culprit is wrong; the share says it all. */
	return share >= c->least_right && (c->no_culprit || calibrated >= (c->honest ? 0.9 : 0.93));
}

/* How long the choice of a step takes among very many commits. */
static void step_cost(void)
{
	enum { N = 10000, BOOTS = 100, TIMES = 20 };
	static struct bisect_commit commit[N];
	static struct bisect_boot boot[BOOTS];
	struct bisect b = { .commit = commit, .n = N, .boot = boot, .n_boots = BOOTS,
			    .direction = 1, .change = 0.034, .a0 = 20, .s0 = 0.02 };
	uint64_t from = clock_mono_ns();
	struct bisect_step s;
	struct err e = {};
	struct random r;

	random_seed(&r, 1);
	for (size_t i = 0; i < N; i++)
		commit[i] = (struct bisect_commit){ .weight = 1 };
	for (int64_t i = 0; i < BOOTS; i++) {
		int64_t at = i < 20 ? (i % 2 ? BISECT_BAD : BISECT_GOOD) : 2000 + 60 * i;
		bool bad = at == BISECT_BAD || at > 6000;

		boot[i] = (struct bisect_boot){ .at = at, .reference = NAN,
						.value = 0.02 * random_normal(&r) + (bad ? 0.034 : 0) };
	}
	for (int i = 0; i < TIMES; i++)
		if (bisect_next(&b, NULL, &s, &e) < 0)
			exit(2);
	printf("# a step among %d commits after %d boots: %.2f ms\n", N, BOOTS,
	       (double)(clock_mono_ns() - from) / 1e6 / TIMES);
}

int main(int argc, char **argv)
{
	unsigned int trials = argc > 1 ? (unsigned int)atoi(argv[1]) : SHORT_TRIALS;
	const char *only = argc > 2 ? argv[2] : "";
	bool full = trials > SHORT_TRIALS;
	static struct world w;
	int failed = 0;

	printf("TAP version 13\n1..%zu\n", COUNT(cells));
	printf("# %-30s %6s %18s %9s %6s %18s %6s %6s %6s\n", "cell", "boots", "right", "undecided",
	       "wrong", "right if sure", "builds", "ends", "lost");
	for (size_t i = 0; i < COUNT(cells); i++) {
		const struct cell *c = &cells[i];
		struct tally t = {};
		bool ok;

		if (!strstr(c->name, only))
			continue;
		for (unsigned int k = 0; k < trials; k++) {
			struct bisect_step s;

			world_make(&w, c, i * 1000000 + k);
			s = run(&w);
			judge(&w, &s, &t);
		}
		ok = reached(c, &t, full);
		failed += !ok;
		printf("# %-30s %6.1f %5.1f%% [%4.1f,%5.1f] %8.1f%% %5.1f%% %5.1f%% [%4.1f,%5.1f] %6.1f "
		       "%6.1f %6.1f\n%s %zu - %s\n", c->name, t.boots / t.n, 100. * t.right / t.n,
		       100 * bound(t.right, t.n, -1), 100 * bound(t.right, t.n, 1),
		       100. * t.undecided / t.n, 100. * t.wrong / t.n,
		       t.sure ? 100. * t.sure_right / t.sure : 0,
		       100 * bound(t.sure_right, t.sure, -1), 100 * bound(t.sure_right, t.sure, 1),
		       t.builds / t.n, t.ends / t.n, t.lost / t.n, ok ? "ok" : "not ok", i + 1, c->name);
		fflush(stdout);
	}
	if (full)
		step_cost();
	return failed ? 1 : 0;
}
