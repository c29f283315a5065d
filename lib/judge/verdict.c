/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How a verdict comes about.
 *
 * 1. Runs become units (unit.h) and units their logarithms, unless values lie at
 *    or about zero, where differences are taken as they are.
 * 2. The difference of the sides' means, its standard error from the moderated
 *    variance, its interval and p by Student's t.
 * 3. A change is one whose p is below alpha and which is as large as the floors.
 *    "Same" is an interval inside the bound.  All else is unsure.
 * 4. A change must pass: enough boots, little drift, cross-checks that agree.
 *
 * Alpha.  People look again after adding boots, and so does krobot.  With p < 0.0002
 * at each look the chance of a false alarm at any of the looks from 3 to 20 boots a
 * side stays below 0.2 % (judge/simulation shows it), where 0.002 holds for one look.
 *
 * Few boots.  Many benchmarks have two modes, chosen anew at each boot.  If 20 % of
 * boots take the other one, three boots of one side and three of the other fall
 * apart cleanly in 0.8 % of comparisons, four and four in 0.13 %, five and five in
 * 0.02 %, and no test on those few numbers can know.  So without history fewer than
 * five boots decide only about changes larger than modes usually are apart: 20 %.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "judge/unit.h"
#include "judge/verdict.h"
#include "math/dist.h"
#include "math/rank.h"
#include "math/sum.h"

#define ALPHA		0.0002
#define SMALLEST	0.01
#define SAME		0.015
#define CAP		20
#define FEWEST		3	/* boots a side below which nothing is decided */
#define LUCKY		4	/* up to so many boots a side may differ by luck of modes: */
#define LARGE		0.20	/* they decide this, or */
#define KNOWN_DF	8	/* where history is worth as much */
#define TREND		0.01	/* p beside a shared trend, if sides did not take turns */
#define ORDER_BLOCK	4	/* A B B A */
#define STEP		2	/* boots a side that are added at once: one such block */
#define WANTED_MOST	200

/* The comparison on its working scale: logarithms, or values if not relative. */
struct estimate {
	size_t n_a, n_b;
	double mean_a, mean_b;
	double diff, error, df;
	double noise2;		/* moderated variance of a unit */
	double floor2;		/* the least that it can be: values are rounded */
	double extra2;		/* variance of the difference that more boots do not lower */
};

static double scaled(double x, bool relative)
{
	return relative ? log(x) : x;
}

static double unscaled(double d, bool relative)
{
	return relative ? expm1(d) : d;
}

/* The coarsest power of ten that all values are multiples of; 0 below 1e-6. */
static double quantum_seen(const struct verdict_case *c)
{
	const struct verdict_side *side[] = { &c->a, &c->b };
	double q = 1, per = 1;

	for (size_t s = 0; s < 2; s++)
		for (size_t i = 0; i < side[s]->n_runs; i++) {
			double x = side[s]->run[i].value;

			while (fabs(x * per - round(x * per)) > 1e-9 * fabs(x * per)) {
				if (per >= 1e6)
					return 0;
				per *= 10;
				q = 1 / per;
			}
		}
	return q;
}

static void column_fill(struct verdict_column *col, const struct units *u, bool b)
{
	struct sum mean = {}, within = {}, between = {};
	size_t n = b ? u->n_b : u->n_a, df = 0;

	for (size_t i = 0; i < u->n; i++) {
		if (u->v[i].b != b)
			continue;
		sum_add(&mean, u->v[i].value / (double)n);
		sum_add(&within, u->v[i].squares);
		col->runs += u->v[i].runs;
		df += u->v[i].runs - 1;
	}
	col->boots = b ? u->boots_b : u->boots_a;
	col->mean = n ? sum_of(&mean) : NAN;
	col->within = df ? sqrt(sum_of(&within) / (double)df) / fabs(col->mean) : NAN;
	for (size_t i = 0; i < u->n; i++)
		if (u->v[i].b == b)
			sum_add(&between, (u->v[i].value - col->mean) * (u->v[i].value - col->mean));
	col->spread = n > 1 ? sqrt(sum_of(&between) / (double)(n - 1)) / fabs(col->mean) : NAN;
}

/* A ratio says something where the base is clear of zero. */
static bool is_relative(const struct units *u, const struct verdict_result *r)
{
	for (size_t i = 0; i < u->n; i++)
		if (!(u->v[i].value > 0))
			return false;
	return !(r->a.spread > 0.5);
}

/* The scaled values of one side, in order of time. Caller frees. */
static double *side_values(const struct units *u, bool b, bool relative)
{
	double *v = mem_zero(u->n, sizeof(*v));
	size_t k = 0;

	for (size_t i = 0; i < u->n; i++)
		if (u->v[i].b == b)
			v[k++] = scaled(u->v[i].value, relative);
	return v;
}

/*
 * Smyth 2004: the variance of history, worth d0 observations, and that of the
 * sides.  Where the sides are of unequal size and spread, Welch's error (1947) if it
 * is the larger one.
 */
static void estimate_apart(struct estimate *x, const double *a, const double *b,
			   const struct verdict_history *h, double floor2, double s0)
{
	double n_a = (double)x->n_a, n_b = (double)x->n_b, d0 = h->d0;
	double ss_a = sum_squares(a, x->n_a, x->mean_a), ss_b = sum_squares(b, x->n_b, x->mean_b);
	double v_a, v_b, welch;

	x->df = d0 + n_a + n_b - 2;
	if (x->df <= 0)
		return;
	x->noise2 = fmax(floor2, (d0 * s0 * s0 + ss_a + ss_b) / x->df);
	x->extra2 = 2 * h->tau * h->tau;
	x->error = sqrt(x->noise2 * (1 / n_a + 1 / n_b) + x->extra2);
	if (x->n_a == x->n_b || x->n_a < 2 || x->n_b < 2 || d0 > 0)
		return;
	v_a = fmax(floor2, ss_a / (n_a - 1)) / n_a;
	v_b = fmax(floor2, ss_b / (n_b - 1)) / n_b;
	welch = sqrt(v_a + v_b + x->extra2);
	if (welch > x->error) {
		x->error = welch;
		x->df = (v_a + v_b) * (v_a + v_b) /
			(v_a * v_a / (n_a - 1) + v_b * v_b / (n_b - 1));
	}
}

/* Differences within the boots that both sides have. */
static void estimate_pairs(struct estimate *x, const struct units *u, bool relative, double floor2)
{
	_free_ double *d = mem_zero(u->n, sizeof(*d));
	size_t k = 0;

	for (size_t i = 0; i < u->n; i++)
		for (size_t j = 0; !u->v[i].b && j < u->n; j++)
			if (u->v[j].b && u->v[j].boot == u->v[i].boot)
				d[k++] = scaled(u->v[j].value, relative) -
					 scaled(u->v[i].value, relative);
	x->n_a = x->n_b = k;
	x->diff = sum_mean(d, k);
	x->df = (double)k - 1;
	if (k < 2)
		return;
	/* The spread of a difference is that of two units. */
	x->noise2 = fmax(floor2, sum_squares(d, k, x->diff) / (double)(k - 1) / 2);
	x->error = sqrt(2 * x->noise2 / (double)k);
}

/* History is of boots; of runs of one boot it says nothing. */
static struct verdict_history history_for(const struct verdict_case *c, enum verdict_unit unit)
{
	return unit == UNIT_BOOT ? c->history : (struct verdict_history){};
}

static void estimate_make(struct estimate *x, const struct units *u, const struct verdict_case *c,
			  const struct verdict_result *r, const double *a, const double *b,
			  double quantum)
{
	double base = fabs(r->relative ? r->a.mean : 1), floor2, s0;
	struct verdict_history h = history_for(c, r->unit);

	/* A unit is known no better than the rounding of its values. */
	floor2 = pow(fmax(quantum / sqrt(12) / base,
			  1e-12 * (r->relative ? 1 : fabs(r->a.mean))), 2);
	s0 = h.s0 * (r->relative ? 1 : fabs(r->a.mean));
	*x = (struct estimate){ .n_a = u->n_a, .n_b = u->n_b, .floor2 = floor2,
				.error = NAN, .noise2 = NAN,
				.mean_a = sum_mean(a, u->n_a), .mean_b = sum_mean(b, u->n_b) };
	x->diff = x->mean_b - x->mean_a;
	if (r->unit == UNIT_PAIR)
		estimate_pairs(x, u, r->relative, floor2);
	else
		estimate_apart(x, a, b, &h, floor2, s0);
}

/* The interval on the working scale, at @p two-sided. */
static double half_width(const struct estimate *x, double p)
{
	return x->df > 0 ? dist_t_at(p, x->df) * x->error : NAN;
}

/* Later against earlier points of A, the middle one left out. */
static void drift_measure(struct verdict_result *r, const struct estimate *x, const double *a,
			  size_t n_a)
{
	size_t half = n_a / 2;

	r->drift = r->drift_error = NAN;
	if (!half)
		return;
	r->drift = unscaled(sum_mean(a + n_a - half, half) - sum_mean(a, half), r->relative);
	r->drift_error = sqrt(2 * x->noise2 / (double)half);
}

/* Were the sides taken in turn? All of A and then all of B cannot show its drift. */
static bool is_interleaved(const struct units *u)
{
	size_t turns = 0;

	for (size_t i = 1; i < u->n; i++)
		turns += u->v[i].b != u->v[i - 1].b;
	return turns >= 2;
}

/*
 * Where the sides were not taken in turn, a machine that drifts looks like a change.
 * Is there one beside a trend that both sides share (a line with two offsets)?
 */
static double trend_p(const struct units *u, const struct verdict_result *r, double floor2)
{
	double sum_x[2] = {}, sum_y[2] = {}, xx = 0, xy = 0, squares = 0, slope, far, error2;
	double n[2] = { (double)u->n_a, (double)u->n_b }, df = (double)u->n - 3;

	for (size_t i = 0; i < u->n; i++) {
		sum_x[u->v[i].b] += (double)i / n[u->v[i].b];
		sum_y[u->v[i].b] += scaled(u->v[i].value, r->relative) / n[u->v[i].b];
	}
	for (size_t i = 0; i < u->n; i++) {
		double x = (double)i - sum_x[u->v[i].b];
		double y = scaled(u->v[i].value, r->relative) - sum_y[u->v[i].b];

		xx += x * x;
		xy += x * y;
		squares += y * y;
	}
	if (!(xx > 0) || df <= 0)
		return 1;
	slope = xy / xx;
	far = sum_x[1] - sum_x[0];
	error2 = fmax(floor2, (squares - slope * xy) / df) * (1 / n[0] + 1 / n[1] + far * far / xx);
	return dist_t_p((sum_y[1] - sum_y[0] - slope * far) / sqrt(error2), df);
}

/* More than three standard errors and half of the change. */
static bool drift_withholds(const struct verdict_result *r, const struct units *u,
			    const struct estimate *x)
{
	if (r->unit != UNIT_PAIR && !is_interleaved(u))
		return trend_p(u, r, x->floor2) > TREND;
	return fabs(r->drift) > 3 * r->drift_error && fabs(r->drift) > fabs(r->change) / 2;
}

static void cross_check(struct verdict_result *r, const struct units *u, const double *a,
			const double *b)
{
	_free_ double *v = mem_zero(u->n, sizeof(*v));
	_free_ bool *is_b = mem_zero(u->n, sizeof(*is_b));
	double least;

	for (size_t i = 0; i < u->n; i++) {
		v[i] = scaled(u->v[i].value, r->relative);
		is_b[i] = u->v[i].b;
	}
	r->shift = unscaled(rank_shift(a, u->n_a, b, u->n_b), r->relative);
	r->permutation_p = rank_blocks_p(v, is_b, u->n, is_interleaved(u) ? ORDER_BLOCK : u->n,
					 &least);
	if (r->unit == UNIT_PAIR)
		return;
	if (r->shift * r->change <= 0 || fabs(r->shift) > 2 * fabs(r->change) ||
	    fabs(r->change) > 2 * fabs(r->shift) ||
	    r->permutation_p > fmax(0.05, least * 1.001))
		r->reason = REASON_OUTLIERS;
}

/* Standard error with @n units a side. */
static double error_with(const struct estimate *x, double n)
{
	return sqrt(2 * x->noise2 / n + x->extra2);
}

/* Would @n a side be enough, in four of five cases, if things stay as they look? */
static bool enough(const struct estimate *x, const struct verdict_result *r, double n, double z,
		   bool change)
{
	double df = x->df + 2 * n - (double)(x->n_a + x->n_b);

	if (change)
		return fabs(x->diff) > (dist_t_about(z, df) + 0.84) * error_with(x, n);
	return fabs(x->diff) + (dist_t_about(z, df) + 0.84) * error_with(x, n) < r->same_bound;
}

/* The least number from @n on; or as many more as nobody would start. */
static unsigned int boots_enough(const struct estimate *x, const struct verdict_result *r,
				 unsigned int n, bool change)
{
	double z = dist_normal_at(change ? r->alpha : 0.05);
	unsigned int step = WANTED_MOST;

	if (enough(x, r, n, z, change))
		return n;
	for (n--; step; step /= 2)
		while (!enough(x, r, n + step, z, change) && step + n < 2 * WANTED_MOST)
			n += step;
	return n + 1;
}

static void boots_count(const struct estimate *x, struct verdict_result *r, unsigned int cap)
{
	unsigned int have = (unsigned int)(x->n_a < x->n_b ? x->n_a : x->n_b), n;
	bool change = fabs(x->diff) > (r->needed + r->same_bound) / 2;

	if (x->df <= 0 || have < 2) {
		r->boots_wanted = r->boots_next = have < VERDICT_FIRST ? VERDICT_FIRST - have : 1;
		return;
	}
	n = boots_enough(x, r, have < FEWEST ? FEWEST : have + 1, change);
	if (r->reason == REASON_LUCK && n <= LUCKY)
		n = LUCKY + 1;
	r->boots_wanted = n - have;
	r->wanted_many = n >= have + WANTED_MOST;
	if (have < VERDICT_FIRST)
		r->boots_next = VERDICT_FIRST - have;
	/* Stop where there is no sign of a change: a third of an error would not make it one. */
	else if (have < cap && fabs(x->diff) + x->error / 3 > r->same_bound)
		r->boots_next = cap - have < STEP ? cap - have : STEP;
}

enum verdict verdict_direction(enum metric_better better, double change)
{
	if (better == BETTER_NONE)
		return VERDICT_CHANGE;
	return (better == BETTER_LOWER) == (change > 0) ? VERDICT_REGRESSION : VERDICT_IMPROVEMENT;
}

/* Sets the reason; DECIDED still has to pass the checks. */
static enum verdict_reason first_reason(const struct verdict_case *c, const struct estimate *x,
					const struct verdict_result *r)
{
	size_t have = x->n_a < x->n_b ? x->n_a : x->n_b;
	double half = half_width(x, 0.05);

	if (have < FEWEST)
		return REASON_FEW_BOOTS;
	if (r->p < r->alpha && fabs(r->change) >= r->needed) {
		bool large = fabs(x->diff) >= (r->relative ? LARGE : LARGE * fabs(r->a.mean));
		bool known = history_for(c, r->unit).d0 >= KNOWN_DF;

		return have > LUCKY || large || known ? REASON_DECIDED : REASON_LUCK;
	}
	if (fabs(x->diff) + half < r->same_bound)
		return REASON_WITHIN;
	return r->p < r->alpha ? REASON_SMALL : REASON_NOISE;
}

static void decide(const struct verdict_case *c, const struct units *u, const struct estimate *x,
		   struct verdict_result *r, const double *a, const double *b)
{
	r->reason = first_reason(c, x, r);
	if (r->reason == REASON_DECIDED || r->reason == REASON_LUCK) {
		enum verdict_reason held = r->reason;

		cross_check(r, u, a, b);
		if (drift_withholds(r, u, x))
			r->reason = REASON_DRIFT;
		if (r->reason == REASON_DECIDED && held == REASON_DECIDED)
			r->verdict = verdict_direction(c->metric.better, r->change);
	} else if (r->reason == REASON_WITHIN) {
		r->verdict = VERDICT_SAME;
	}
}

/* Failures come first: a side whose runs fail has no number worth comparing. */
static bool judge_failures(struct verdict_result *r)
{
	unsigned int n_a = r->a.tried, n_b = r->b.tried;
	bool all_a = n_a && r->a.failed == n_a, all_b = n_b && r->b.failed == n_b;

	if (!n_a || !n_b)
		return false;
	r->fisher_p = dist_fisher_p(r->a.failed, n_a, r->b.failed, n_b);
	if (all_a) {
		r->reason = REASON_FAILED_A;
		return true;
	}
	if ((all_b && r->a.failed == 0 && n_b >= 2) ||
	    (r->fisher_p < 0.01 && r->b.failed * (double)n_a > r->a.failed * (double)n_b)) {
		r->verdict = VERDICT_BROKEN;
		r->reason = REASON_FAILED_B;
		return true;
	}
	return false;
}

static int check_side(const struct verdict_case *c, const struct verdict_side *s, char side,
		      struct err *e)
{
	for (size_t i = 0; i < s->n_runs; i++)
		if (!isfinite(s->run[i].value))
			return err_set(e, EINVAL, "%s: run %zu of side %c has the value %g",
				       c->metric.name ? c->metric.name : "metric", i + 1, side,
				       s->run[i].value);
	return 0;
}

static double change_without_first(const struct verdict_case *c, const struct verdict_result *r)
{
	struct verdict_column a = {}, b = {};
	_units_ struct units u = {};

	if (r->a.runs == r->a.boots || r->b.runs == r->b.boots)
		return NAN;
	units_make(&u, c, r->unit, c->options.warmup + 1);
	column_fill(&a, &u, false);
	column_fill(&b, &u, true);
	return r->relative ? b.mean / a.mean - 1 : b.mean - a.mean;
}

static void result_start(struct verdict_result *r, const struct verdict_case *c)
{
	const struct verdict_options *o = &c->options;

	*r = (struct verdict_result){
		.verdict = VERDICT_UNSURE, .change = NAN, .low = NAN, .high = NAN,
		.change_of_means = NAN, .without_first = NAN, .p = NAN, .df = NAN, .noise = NAN,
		.drift = NAN, .drift_error = NAN, .shift = NAN, .permutation_p = NAN,
		.fisher_p = NAN, .needed = NAN, .alpha = o->alpha > 0 ? o->alpha : ALPHA,
		.a = { .tried = c->a.tried, .failed = c->a.failed },
		.b = { .tried = c->b.tried, .failed = c->b.failed },
	};
}

/* Floors, on the scale of the change. */
static void bounds_set(struct verdict_result *r, const struct verdict_case *c, double quantum)
{
	const struct verdict_options *o = &c->options;
	double smallest = o->smallest > 0 ? o->smallest : SMALLEST;
	double same = o->same > 0 ? o->same : SAME, base = fabs(r->a.mean);
	double unit = fmax(c->metric.floor, quantum);

	r->needed = r->relative ? fmax(smallest, unit / base) : fmax(smallest * base, unit);
	r->same_bound = r->relative ? same : fmax(same * base, unit);
}

static void estimate_tell(const struct estimate *x, struct verdict_result *r)
{
	double half = half_width(x, 0.05);

	r->change = unscaled(x->diff, r->relative);
	r->df = x->df > 0 ? x->df : NAN;
	if (!(x->df > 0))
		return;
	r->low = unscaled(x->diff - half, r->relative);
	r->high = unscaled(x->diff + half, r->relative);
	r->p = dist_t_p(x->diff / x->error, x->df);
	r->noise = sqrt(x->noise2);
}

int verdict_judge(const struct verdict_case *c, struct verdict_result *r, struct err *e)
{
	_free_ double *a = NULL, *b = NULL;
	_units_ struct units u = {};
	struct estimate x;
	double quantum = c->metric.quantum > 0 ? c->metric.quantum : quantum_seen(c);

	if (check_side(c, &c->a, 'A', e) < 0 || check_side(c, &c->b, 'B', e) < 0)
		return -e->code;
	result_start(r, c);
	units_make(&u, c, c->options.unit, c->options.warmup);
	r->unit = u.kind;
	column_fill(&r->a, &u, false);
	column_fill(&r->b, &u, true);
	if (judge_failures(r))
		return 0;
	if (!u.n_a || !u.n_b) {
		r->reason = u.n_a ? REASON_ABSENT_B : REASON_ABSENT_A;
		return 0;
	}
	r->relative = is_relative(&u, r);
	a = side_values(&u, false, r->relative);
	b = side_values(&u, true, r->relative);
	bounds_set(r, c, quantum);
	estimate_make(&x, &u, c, r, a, b, quantum);
	estimate_tell(&x, r);
	r->change_of_means = r->relative ? r->b.mean / r->a.mean - 1 : r->b.mean - r->a.mean;
	r->without_first = change_without_first(c, r);
	drift_measure(r, &x, a, u.n_a);
	decide(c, &u, &x, r, a, b);
	if (r->verdict == VERDICT_UNSURE)
		boots_count(&x, r, c->options.cap ? c->options.cap : CAP);
	return 0;
}

bool verdict_order(unsigned int i)
{
	return i % 4 == 1 || i % 4 == 2;
}

struct verdict_history verdict_learn(const struct verdict_set *set, size_t n)
{
	struct sum squares = {};
	double df = 0;

	for (size_t i = 0; i < n; i++) {
		_free_ double *v = mem_zero(set[i].n, sizeof(*v));
		bool usable = set[i].n > 1;

		for (size_t k = 0; k < set[i].n; k++) {
			usable = usable && set[i].value[k] > 0 && isfinite(set[i].value[k]);
			v[k] = usable ? log(set[i].value[k]) : 0;
		}
		if (!usable)
			continue;
		df += (double)set[i].n - 1;
		sum_add(&squares, sum_squares(v, set[i].n, sum_mean(v, set[i].n)));
	}
	if (!(df > 0))
		return (struct verdict_history){};
	return (struct verdict_history){ .d0 = fmin(df, 20), .s0 = sqrt(sum_of(&squares) / df) };
}
