/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "judge/trend.h"
#include "math/dist.h"
#include "math/random.h"
#include "math/sum.h"

#define PRICE		3
#define MAIL		6
#define SMALLEST	0.005
#define FEWEST		6	/* points below which nothing is looked for */
#define SHORTEST	5	/* points of a level, */
#define SHORTEST_REPLICATED 3	/* if commits have several boots */
#define REACH		3	/* points on each side for the local median */
#define CLIP		3.0	/* spreads */
#define LAGS		5	/* autocorrelations that count as memory */
#define LONG		200	/* points from which on so many lags can be measured */
#define SHUFFLES	99
#define NEAR		300	/* points on each side that are shuffled at most */
#define CHANCE		0.05	/* p above which a step is dropped */
#define NEARLY		2.0	/* log units */

struct work {
	size_t n;
	double *x;		/* clipped points on the working scale */
	double *sum;		/* sum[i]: of the first i points */
	double noise2, memory, price;
	double smallest;
	size_t shortest;
	size_t *step;		/* first points of levels: 0, ..., n */
	size_t n_steps;
};

static void swap(double *a, double *b)
{
	double x = *a;

	*a = *b;
	*b = x;
}

/* The k-th smallest, which then stands in its place: smaller ones before it (Hoare 1961). */
static double select_at(double *v, size_t n, size_t k)
{
	size_t low = 0, high = n - 1;

	while (low < high) {
		double pivot = v[low + (high - low) / 2];
		size_t i = low, j = high;

		for (;;) {
			while (v[i] < pivot)
				i++;
			while (v[j] > pivot)
				j--;
			if (i >= j)
				break;
			swap(&v[i++], &v[j--]);
		}
		/* [low, j] is at most the pivot, (j, high] at least. */
		if (v[j] > pivot)
			j--;
		if (k <= j)
			high = j;
		else
			low = j + 1;
	}
	return v[k];
}

static double median(double *v, size_t n)
{
	double upper = select_at(v, n, n / 2), lower = upper;

	if (n % 2)
		return upper;
	lower = v[0];
	for (size_t i = 1; i < n / 2; i++)
		lower = fmax(lower, v[i]);
	return (lower + upper) / 2;
}

/* For the few values about a point. */
static double median_of_few(double *v, size_t n)
{
	for (size_t i = 1; i < n; i++)
		for (size_t k = i; k && v[k - 1] > v[k]; k--)
			swap(&v[k], &v[k - 1]);
	return (v[(n - 1) / 2] + v[n / 2]) / 2;
}

/* ---- Points ---- */

static int points_make(struct trend *t, const struct trend_row *row, size_t n, bool *replicated,
		       struct err *e)
{
	size_t several = 0;

	t->point = mem_zero(n, sizeof(*t->point));
	t->commit = mem_zero(n, sizeof(*t->commit));
	t->relative = true;
	for (size_t i = 0, end; i < n; i = end) {
		struct sum s = {};

		for (end = i; end < n && row[end].commit == row[i].commit; end++) {
			if (!isfinite(row[end].value))
				return err_set(e, EINVAL, "row %zu: the value is %g", end + 1,
					       row[end].value);
			sum_add(&s, row[end].value);
			t->relative &= row[end].value > 0;
		}
		if (end < n && row[end].commit < row[i].commit)
			return err_set(e, EINVAL, "row %zu: commits out of order", end + 1);
		several += end - i > 1;
		t->point[t->n] = sum_of(&s) / (double)(end - i);
		t->commit[t->n++] = row[i].commit;
	}
	*replicated = t->n && 2 * several >= t->n;
	return 0;
}

/* ---- Noise ---- */

/*
 * Variance of a point by the differences of points @lag apart: the median of their
 * size, for steps touch few of them.  @heavy, unless NULL, gets by how much the mean
 * square is larger than for normal noise: both without the largest twentieth.
 */
static double lag_variance(const double *x, size_t n, size_t lag, double *work, double *heavy)
{
	size_t k = n - lag, keep = k - k / 20;
	double m, square;
	struct sum s = {};

	for (size_t i = 0; i < k; i++)
		work[i] = fabs(x[i + lag] - x[i]);
	m = 1.4826 * median(work, k);
	if (m > 0 && !heavy)
		return m * m / 2;
	select_at(work, k, keep - 1);
	for (size_t i = 0; i < keep; i++)
		sum_add(&s, work[i] * work[i]);
	square = sum_of(&s) / (double)keep / (k / 20 ? 0.759 : 1);
	if (heavy)
		*heavy = m > 0 ? fmax(1, square / (m * m)) : 1;
	/* Of rounded values most differences may be zero. */
	return (m > 0 ? m * m : square) / 2;
}

/*
 * Far apart, half the squared difference is the variance; nearer, it lacks what the
 * points have in common.  That gives the autocorrelations without knowing the levels.
 */
static void noise_measure(struct work *w, const double *x, double least2)
{
	_free_ double *work = mem_zero(w->n, sizeof(*work));
	size_t lags = w->n < LONG ? LAGS / 2 : LAGS;
	double heavy, lag1 = lag_variance(x, w->n, 1, work, &heavy), far = 0, common = 0;

	w->noise2 = fmax(heavy * lag1, least2);
	w->memory = 1;
	if (w->n < 10 * lags)
		return;
	for (size_t lag = lags + 1; lag <= 2 * lags; lag++)
		far += lag_variance(x, w->n, lag, work, NULL) / (double)lags;
	/* Many steps make far points differ: then only neighbours can be trusted. */
	if (!(far > lag1) || far > 4 * lag1)
		return;
	for (size_t lag = 1; lag <= lags; lag++)
		common += 1 - lag_variance(x, w->n, lag, work, NULL) / far;
	w->noise2 = fmax(heavy * far, least2);
	w->memory = fmax(1, 1 + 2 * common);
}

/* A spike is no level: it counts for no more than CLIP spreads off its neighbours. */
static void clip(struct work *w, const double *x)
{
	double most = CLIP * sqrt(w->noise2);

	for (size_t i = 0; i < w->n; i++) {
		size_t from = i < REACH ? 0 : i - REACH;
		size_t to = i + REACH + 1 > w->n ? w->n : i + REACH + 1;
		double near[2 * REACH + 1], m;

		memcpy(near, x + from, (to - from) * sizeof(*near));
		m = median_of_few(near, to - from);
		w->x[i] = fmin(fmax(x[i], m - most), m + most);
	}
	for (size_t i = 0; i < w->n; i++)
		w->sum[i + 1] = w->sum[i] + w->x[i];
}

/* ---- Steps ---- */

/* By how much two levels fit [from, to) better than one, if the second starts at @k. */
static double gain(const struct work *w, size_t from, size_t k, size_t to)
{
	double n_1 = (double)(k - from), n_2 = (double)(to - k);
	double d = (w->sum[to] - w->sum[k]) / n_2 - (w->sum[k] - w->sum[from]) / n_1;

	return d * d * n_1 * n_2 / (n_1 + n_2);
}

/* Where a second level starts best; 0 if there is no room. */
static size_t best_split(const struct work *w, size_t from, size_t to, double *most)
{
	size_t best = 0;

	*most = -1;
	for (size_t k = from + w->shortest; k + w->shortest <= to; k++) {
		double g = gain(w, from, k, to);

		if (g > *most) {
			*most = g;
			best = k;
		}
	}
	return best;
}

/*
 * Intervals of lengths that shrink by the square root of two, each moved by half its
 * length: whatever lies between two steps, some interval has one step alone inside.
 */
static void seeds_propose(const struct work *w, bool *candidate)
{
	for (double length = (double)w->n; length >= 2.0 * (double)w->shortest; length /= M_SQRT2) {
		size_t len = (size_t)ceil(length), hop = len / 2;

		for (size_t from = 0; from + 2 * w->shortest <= w->n; from += hop) {
			size_t to = from + len < w->n ? from + len : w->n;
			double g;
			size_t k = best_split(w, from, to, &g);

			if (k && g > w->price / 2)
				candidate[k] = true;
		}
	}
}

/* The cheapest way to get from 0 to n over candidates: squares plus a price a step. */
static void steps_choose(struct work *w, const bool *candidate)
{
	_free_ size_t *at = mem_zero(w->n + 1, sizeof(*at)), *from = mem_zero(w->n + 1, sizeof(*from));
	_free_ double *cost = mem_zero(w->n + 1, sizeof(*cost));
	size_t m = 0, k;

	for (size_t i = 0; i <= w->n; i++)
		if (i == 0 || i == w->n || candidate[i])
			at[m++] = i;
	for (size_t j = 1; j < m; j++) {
		cost[j] = INFINITY;
		for (size_t i = 0; i < j; i++) {
			double n = (double)(at[j] - at[i]), s = w->sum[at[j]] - w->sum[at[i]];
			/* The sum of squares itself is the same for all. */
			double c = cost[i] - s * s / n + (i ? w->price : 0);

			if (at[j] - at[i] >= w->shortest && c < cost[j]) {
				cost[j] = c;
				from[j] = i;
			}
		}
	}
	for (k = m - 1; k; k = from[k])
		w->n_steps++;
	w->step = mem_zero(w->n_steps + 1, sizeof(*w->step));
	for (k = m - 1, m = w->n_steps; m; k = from[k])
		w->step[m--] = at[k];
}

/* Each step to the best place between its neighbours. */
static void steps_refine(struct work *w)
{
	for (size_t i = 1; i < w->n_steps; i++) {
		double g;
		size_t k = best_split(w, w->step[i - 1], w->step[i + 1], &g);

		if (k)
			w->step[i] = k;
	}
}

static void step_drop(struct work *w, size_t i)
{
	memmove(w->step + i, w->step + i + 1, (w->n_steps - i) * sizeof(*w->step));
	w->n_steps--;
}

static double level(const struct work *w, size_t i)
{
	return (w->sum[w->step[i + 1]] - w->sum[w->step[i]]) /
		(double)(w->step[i + 1] - w->step[i]);
}

static double step_gain(const struct work *w, size_t i)
{
	return gain(w, w->step[i - 1], w->step[i], w->step[i + 1]);
}

/* Drops, the smallest first, what is too small to be a step or not worth its price. */
static void steps_prune(struct work *w)
{
	double limit = fmax(w->smallest, sqrt(w->noise2));

	for (;;) {
		size_t least = 0;
		double small = INFINITY;

		for (size_t i = 1; i < w->n_steps; i++) {
			double d = fabs(level(w, i) - level(w, i - 1));

			if ((d < limit || step_gain(w, i) < w->price) && d < small) {
				small = d;
				least = i;
			}
		}
		if (!least)
			return;
		step_drop(w, least);
		steps_refine(w);
	}
}

/*
 * Could the two levels around a step be one, their points in another order?  Blocks
 * keep the memory of neighbours together.
 */
static double step_p(const struct work *w, size_t i)
{
	size_t at = w->step[i], from = w->step[i - 1], to = w->step[i + 1], n, block, blocks;
	size_t hits = 0;
	_free_ double *x = NULL, *sum = NULL;
	_free_ size_t *order = NULL;
	struct work one = { .shortest = w->shortest };
	double seen, g;
	struct random random;

	from = at - from > NEAR ? at - NEAR : from;
	to = to - at > NEAR ? at + NEAR : to;
	n = to - from;
	seen = gain(w, from, at, to);
	x = mem_zero(n, sizeof(*x));
	one.sum = sum = mem_zero(n + 1, sizeof(*sum));
	block = w->memory > 1.3 ? (size_t)ceil(2 * w->memory) : 1;
	if (n < 8 * block)
		block = 1;
	blocks = (n + block - 1) / block;
	order = mem_zero(blocks, sizeof(*order));
	for (size_t k = 0; k < blocks; k++)
		order[k] = k;
	random_seed(&random, 1);
	for (unsigned int s = 0; s < SHUFFLES; s++) {
		size_t m = 0;

		random_shuffle(&random, order, blocks, sizeof(*order));
		for (size_t k = 0; k < blocks; k++)
			for (size_t j = order[k] * block; j < (order[k] + 1) * block && j < n; j++)
				x[m++] = w->x[from + j];
		for (size_t k = 0; k < n; k++)
			sum[k + 1] = sum[k] + x[k];
		best_split(&one, 0, n, &g);
		hits += g >= seen;
	}
	return (1.0 + (double)hits) / (1 + SHUFFLES);
}

/* ---- Answers ---- */

static double back(double d, bool relative)
{
	return relative ? expm1(d) : d;
}

/* What a fit worse by so much costs in log units. */
static double log_units(const struct work *w, double lost)
{
	return lost / (2 * w->noise2 * w->memory);
}

static double mean_of(const struct trend *t, size_t from, size_t to)
{
	return sum_mean(t->point + from, to - from);
}

static void change_fill(struct trend_change *c, const struct trend *t, const struct work *w,
			size_t i, const struct trend_options *o)
{
	size_t from = w->step[i - 1], at = w->step[i], to = w->step[i + 1], low = at, high = at;
	double d = level(w, i) - level(w, i - 1), most = step_gain(w, i), error;

	error = sqrt(w->noise2 * w->memory * (1 / (double)(at - from) + 1 / (double)(to - at)));
	error *= dist_t_at(0.05, fmax(1, (double)(to - from) - 2));
	while (low > from + 1 && log_units(w, most - gain(w, from, low - 1, to)) <= NEARLY)
		low--;
	while (high + 1 < to && log_units(w, most - gain(w, from, high + 1, to)) <= NEARLY)
		high++;
	*c = (struct trend_change){
		.before = t->commit[at - 1], .at = t->commit[at],
		.low = t->commit[low - 1] + 1, .high = t->commit[high], .row = at,
		.change = back(d, t->relative), .change_low = back(d - error, t->relative),
		.change_high = back(d + error, t->relative),
		.mean_before = mean_of(t, from, at), .mean_after = mean_of(t, at, to),
		.mail = most >= (o->mail > 0 ? o->mail : MAIL) * w->noise2 * w->memory *
			log((double)w->n),
		.worse = o->better != BETTER_NONE && (o->better == BETTER_LOWER) == (d > 0),
	};
}

static void changes_fill(struct trend *t, struct work *w, const struct trend_options *o)
{
	_free_ double *p = mem_zero(w->n_steps + 1, sizeof(*p));

	for (size_t i = 1; i < w->n_steps;) {
		p[i] = step_p(w, i);
		if (p[i] <= CHANCE) {
			i++;
			continue;
		}
		/* The level to its left is a longer one now. */
		step_drop(w, i);
		i = i > 1 ? i - 1 : 1;
	}
	t->change = mem_zero(w->n_steps, sizeof(*t->change));
	for (size_t i = 1; i < w->n_steps; i++) {
		struct trend_change *c = &t->change[t->n_changes++];

		change_fill(c, t, w, i, o);
		c->p = p[i];
	}
}

/* What the resolution of the values leaves as spread even where all are equal. */
static double least_variance(const struct trend *t)
{
	double per = 1, size = 0;

	for (size_t i = 0; i < t->n; i++) {
		size = fmax(size, fabs(t->point[i]));
		while (per < 1e6 && fabs(t->point[i] * per - round(t->point[i] * per)) >
		       1e-9 * fabs(t->point[i] * per))
			per *= 10;
	}
	return pow(per < 1e6 ? 1 / per / sqrt(12) : 1e-9 * size, 2) / (t->relative ? size * size : 1) +
		1e-24;
}

int trend_find(struct trend *t, const struct trend_row *row, size_t n,
	       const struct trend_options *o, struct err *e)
{
	_free_ double *raw = NULL, *x = NULL, *sum = NULL;
	_free_ bool *candidate = NULL;
	_free_ size_t *step = NULL;
	struct work w = {};
	bool replicated = false;

	*t = (struct trend){ .noise = NAN, .memory = 1 };
	if (points_make(t, row, n, &replicated, e) < 0)
		return -e->code;
	if (t->n < FEWEST)
		return 0;
	raw = mem_zero(t->n, sizeof(*raw));
	for (size_t i = 0; i < t->n; i++)
		raw[i] = t->relative ? log(t->point[i]) : t->point[i];
	w.n = t->n;
	w.x = x = mem_zero(t->n, sizeof(*x));
	w.sum = sum = mem_zero(t->n + 1, sizeof(*sum));
	w.shortest = replicated ? SHORTEST_REPLICATED : SHORTEST;
	w.smallest = o->smallest > 0 ? o->smallest : SMALLEST;
	if (!t->relative)
		w.smallest *= fabs(mean_of(t, 0, t->n));
	noise_measure(&w, raw, least_variance(t));
	w.price = (o->price > 0 ? o->price : PRICE) * w.noise2 * w.memory * log((double)t->n);
	clip(&w, raw);
	candidate = mem_zero(t->n + 1, sizeof(*candidate));
	seeds_propose(&w, candidate);
	steps_choose(&w, candidate);
	step = w.step;
	steps_refine(&w);
	steps_prune(&w);
	t->noise = sqrt(w.noise2);
	t->memory = w.memory;
	changes_fill(t, &w, o);
	return 0;
}

/* The levels around a change end where the next changes are. */
static void neighbours(const struct trend *t, const struct trend_change *c, size_t *from,
		       size_t *to)
{
	*from = 0;
	*to = t->n;
	for (size_t i = 0; i < t->n_changes; i++) {
		if (t->change[i].row < c->row && t->change[i].row > *from)
			*from = t->change[i].row;
		if (t->change[i].row > c->row && t->change[i].row < *to)
			*to = t->change[i].row;
	}
}

void trend_weights(const struct trend *t, const struct trend_change *c, double *weight)
{
	_free_ double *x = mem_zero(t->n, sizeof(*x)), *sum = mem_zero(t->n + 1, sizeof(*sum));
	struct work w = { .n = t->n, .x = x, .sum = sum, .noise2 = t->noise * t->noise,
			  .memory = t->memory };
	_free_ double *raw = mem_zero(t->n, sizeof(*raw));
	double most, all = 0;
	size_t from, to;

	for (size_t i = 0; i < t->n; i++)
		raw[i] = t->relative ? log(t->point[i]) : t->point[i];
	clip(&w, raw);
	neighbours(t, c, &from, &to);
	most = gain(&w, from, c->row, to);
	memset(weight, 0, (c->high - c->low + 1) * sizeof(*weight));
	for (size_t k = from + 1; k < to; k++) {
		uint32_t first = t->commit[k - 1] + 1, last = t->commit[k];
		double each = exp(-log_units(&w, most - gain(&w, from, k, to))) / (last - first + 1.0);

		for (uint32_t i = first; first >= c->low && last <= c->high && i <= last; i++) {
			weight[i - c->low] = each;
			all += each;
		}
	}
	for (uint32_t i = 0; i <= c->high - c->low; i++)
		weight[i] /= all;
}

void trend_release(struct trend *t)
{
	free(t->point);
	free(t->commit);
	free(t->change);
	*t = (struct trend){};
}
