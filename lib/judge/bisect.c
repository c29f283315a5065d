/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The next step.
 *
 * While it is open whether good and bad differ, the ends are booted.  Then the
 * kernel that promises most bits for its cost is: a boot tells most where good and
 * bad are equally likely, less where the same build was booted before (its own
 * offset does not average out), and nothing if the kernel does not build.  One rule
 * stands above it: the search does not go on among commits that are open while few boots tell
 * what good and bad are, or it would take its own guesses for the measure.
 */
#include <assert.h>
#include <math.h>
#include <string.h>

#include "judge/bisect_model.h"
#include "judge/forecast.h"
#include "math/gaussian_channel.h"

#define CONFIDENCE	0.95
#define ENDS_MIN	3
#define ENDS_MAX	30

/* Boots of each end: until the change is three standard errors, as it was told. */
#define ENDS_ERRORS	3.0

/* Boots of each known side for a boot that is open; a commit is known from SURE on. */
#define ANCHORS		0.3
#define SURE		0.95

/* Odds that a commit builds and boots, while nothing near it is known. */
#define TESTABLE	0.95

/* The ends differ for the search's purposes while "none" is less likely. */
#define NONE_OPEN	0.05

#define TABLE		64

struct pick {
	int64_t at;
	double value, gain;	/* bits per cost, bits */
};

static double or_default(double v, double otherwise)
{
	return v > 0 ? v : otherwise;
}

static unsigned int count_or(unsigned int v, unsigned int otherwise)
{
	return v ? v : otherwise;
}

static bool untestable(const struct bisect_commit *c)
{
	return c->builds == BISECT_NO || c->boots == BISECT_NO;
}

/*
 * Broken commits come in runs: one breaks the build, a later one mends it.
 * The longer the run seen and the nearer to it, the likelier is one more.
 */
static void testable_odds(const struct bisect *b, double *odds)
{
	for (int back = 0; back < 2; back++) {
		size_t run = 0, last = 0;

		for (size_t k = 0; k < b->n; k++) {
			size_t i = back ? b->n - 1 - k : k;
			const struct bisect_commit *c = &b->commit[i];

			if (!back)
				odds[i] = TESTABLE;
			if (untestable(c)) {
				run++;
				last = k;
				odds[i] = 0;
			} else if (c->build || c->builds == BISECT_YES) {
				run = c->boots == BISECT_YES ? 0 : run;
				odds[i] = c->boots == BISECT_YES ? 1 : odds[i];
			} else if (run) {
				double far = (double)(k - last);

				odds[i] *= far / (far + 2 * (double)run);
			}
		}
	}
}

struct chooser {
	const struct bisect_model *m;
	double d;			/* change over spread */
	double table[TABLE + 1];	/* bits of a fresh build by P(good), 0 .. 1/2 */
	double *odds;
	struct pick best;
};

static double bits_fresh(const struct chooser *c, double good)
{
	double x = fmin(good, 1 - good) * 2 * TABLE;
	size_t i = x >= TABLE ? TABLE - 1 : (size_t)x;

	return c->table[i] + (x - (double)i) * (c->table[i + 1] - c->table[i]);
}

/* One more boot of a build that has @n: what it can tell beyond those. */
static double bits_again(const struct chooser *c, double good, unsigned int n)
{
	double rho = c->m->rho, shrink = 1 + rho * n;

	return channel_information(good, c->d / shrink / sqrt((1 + rho / shrink) / (1 + rho)));
}

static double cost_of(const struct bisect_options *o, bool built)
{
	double boot = o->boot_secs > 0 || o->build_secs > 0 ? o->boot_secs : 1;

	return fmax(1e-9, boot + (built ? 0 : o->build_secs));
}

static void offer(struct chooser *c, int64_t at, double gain, double value)
{
	if (value > c->best.value)
		c->best = (struct pick){ at, value, gain };
}

/* Boots of each commit so far. */
static unsigned int *boots_by_commit(const struct bisect *b)
{
	unsigned int *n = mem_zero(b->n, sizeof(*n));

	for (size_t i = 0; i < b->n_boots; i++)
		if (b->boot[i].at >= 0)
			n[b->boot[i].at]++;
	return n;
}

static void offer_commits(struct chooser *c, const unsigned int *boots)
{
	const struct bisect *b = c->m->b;

	for (size_t i = 0; i + 1 < b->n; i++) {
		double good = c->m->good[i + 1], odds = c->odds[i], fresh, cost, lost;
		bool built = b->commit[i].build || b->commit[i].builds == BISECT_YES;

		if (odds <= 0 || c->m->weight[i] <= 0 || good <= 0 || good >= 1)
			continue;
		cost = cost_of(&b->options, built);
		lost = built ? cost : b->options.build_secs > 0 ? b->options.build_secs / 2 : cost;
		cost = odds * cost + (1 - odds) * lost;
		fresh = odds * bits_fresh(c, good);
		/* Booting a build again tells less than a fresh one at the same place. */
		if (fresh / cost <= c->best.value)
			continue;
		if (boots[i])
			fresh = odds * bits_again(c, good, boots[i]);
		offer(c, (int64_t)i, fresh, fresh / cost);
	}
}

/* The end with fewer boots; if equal, the one booted last: good bad bad good. */
static int64_t smaller_end(const struct bisect_model *m)
{
	if (m->good_boots != m->bad_boots)
		return m->bad_boots < m->good_boots ? BISECT_BAD : BISECT_GOOD;
	for (size_t i = m->b->n_boots; i-- > 0;)
		if (m->b->boot[i].at < 0)
			return m->b->boot[i].at;
	return BISECT_GOOD;
}

/* Boots that tell what good is and what bad is, and those that are open. */
struct known {
	double good, bad, open;
};

static struct known known_count(const struct bisect_model *m)
{
	struct known k = {};

	for (size_t i = 0; i < m->n_groups; i++) {
		double good = m->good[m->group[i].state];

		*(good > SURE ? &k.good : good < 1 - SURE ? &k.bad : &k.open) += m->group[i].n;
	}
	return k;
}

static bool needs_anchor(const struct bisect_model *m, const struct pick *pick,
			 const unsigned int *boots)
{
	struct known k = known_count(m);
	double n = pick->at >= 0 ? boots[pick->at] : 0;

	return ANCHORS * fmax(n, k.open) > fmin(k.good, k.bad);
}

/* The known side that fewer boots tell of: its end, or a sure commit booted less. */
static int64_t anchor(const struct bisect_model *m, const unsigned int *boots)
{
	struct known k = known_count(m);
	bool good = k.good <= k.bad;
	int64_t at = good ? BISECT_GOOD : BISECT_BAD;
	unsigned int least = good ? m->good_boots : m->bad_boots;

	if (least * m->rho < 0.5)
		return at;
	for (size_t i = 0; i + 1 < m->b->n; i++) {
		double p = good ? m->good[i + 1] : 1 - m->good[i + 1];

		if (boots[i] && boots[i] < least && p > SURE) {
			least = boots[i];
			at = (int64_t)i;
		}
	}
	return at;
}

static void choose(const struct bisect_model *m, struct bisect_step *s)
{
	_free_ unsigned int *boots = boots_by_commit(m->b);
	_free_ double *odds = mem_zero(m->b->n, sizeof(*odds));
	struct chooser c = { .m = m, .odds = odds, .best = { BISECT_GOOD, 0, 0 } };

	/* A fresh build's own offset is part of its noise. */
	c.d = m->spread > 0 ? fabs(m->change) / (m->spread * sqrt(1 + m->rho)) : 0;
	for (int i = 0; i <= TABLE; i++)
		c.table[i] = channel_information(i / (2. * TABLE), c.d);
	testable_odds(m->b, odds);
	offer_commits(&c, boots);
	s->action = BISECT_BOOT;
	s->at = c.best.at;
	s->reason = BISECT_GAIN;
	s->gain = c.best.gain;
	if (c.best.value <= 0 || needs_anchor(m, &c.best, boots)) {
		s->at = anchor(m, boots);
		s->reason = BISECT_ANCHOR;
		s->gain = 0;
	}
	s->good_p = s->at >= 0 ? m->good[s->at + 1] : s->at == BISECT_GOOD;
}

/*
 * The likeliest set of commits that no kernel which can be tested separates.
 * Ends at a state that can be tested; the last state always can.
 */
static void likeliest_set(const struct bisect_model *m, struct bisect_step *s)
{
	const struct bisect *b = m->b;
	double sum = 0;
	size_t first = 0, last = 0;
	bool any = false;

	s->confidence = -1;
	for (size_t i = 0; i < b->n; i++) {
		if (m->weight[i] > 0) {
			first = any ? first : i;
			last = i;
			any = true;
			sum += m->p[i];
		}
		if (untestable(&b->commit[i]) && i + 1 < b->n)
			continue;
		if (any && sum > s->confidence) {
			s->confidence = sum;
			s->first = first;
			s->last = last;
		}
		any = false;
		sum = 0;
	}
}

/* The shortest range that holds the confidence wanted; all there is if none does. */
static void shortest_range(const struct bisect_model *m, double wanted, struct bisect_step *s)
{
	size_t n = m->b->n, left = 0;
	double sum = 0;

	s->first = 0;
	s->last = n - 1;
	s->confidence = 1 - m->p[n];
	for (size_t i = 0; i < n; i++) {
		sum += m->p[i];
		while (left < i && sum - m->p[left] >= wanted)
			sum -= m->p[left++];
		if (sum >= wanted && i - left < s->last - s->first) {
			s->first = left;
			s->last = i;
			s->confidence = sum;
		}
	}
}

static bool spent(const struct bisect *b)
{
	const struct bisect_options *o = &b->options;

	return (o->boots_max && b->n_boots >= o->boots_max) ||
	       (o->secs_max > 0 && o->secs_spent >= o->secs_max);
}

static void stop(struct bisect_step *s, enum bisect_action action, enum bisect_reason reason)
{
	s->action = action;
	s->reason = reason;
}

static unsigned int ends_least(const struct bisect_model *m)
{
	double d = fabs(m->b->change) / m->s0;
	double want = d > 0 ? ceil(2 * ENDS_ERRORS * ENDS_ERRORS / (d * d)) : 0;

	return count_or(m->b->options.ends_min, (unsigned int)fmin(ENDS_MAX, fmax(ENDS_MIN, want)));
}

static unsigned int ends_most(const struct bisect_model *m)
{
	unsigned int least = ends_least(m), most = count_or(m->b->options.ends_max, ENDS_MAX);

	return most > least ? most : least;
}

static bool ends_open(const struct bisect_model *m)
{
	unsigned int least = ends_least(m);

	return m->good_boots < least || m->bad_boots < least || m->p[m->b->n] > NONE_OPEN;
}

static bool ends_hopeless(const struct bisect_model *m)
{
	unsigned int most = ends_most(m);

	return m->good_boots >= most && m->bad_boots >= most;
}

static void decide(const struct bisect_model *m, struct bisect_step *s)
{
	const struct bisect *b = m->b;
	double wanted = or_default(b->options.confidence, CONFIDENCE), none = m->p[b->n];
	bool same = b->good_build && b->good_build == b->bad_build;

	likeliest_set(m, s);
	if (!m->possible || same) {
		s->confidence = 1;
		stop(s, BISECT_NOT_REPRODUCED, BISECT_SAME_BUILD);
	} else if (none >= wanted || (ends_open(m) && ends_hopeless(m))) {
		s->confidence = none;
		stop(s, BISECT_NOT_REPRODUCED, none >= wanted ? BISECT_SURE : BISECT_NO_GAP);
	} else if (!ends_open(m) && s->confidence >= wanted) {
		stop(s, s->first == s->last ? BISECT_CULPRIT : BISECT_SET, BISECT_SURE);
	} else if (spent(b)) {
		shortest_range(m, wanted, s);
		stop(s, BISECT_BUDGET, BISECT_SPENT);
	} else if (ends_open(m)) {
		stop(s, BISECT_BOOT, BISECT_ENDS);
		s->at = smaller_end(m);
		s->good_p = s->at == BISECT_GOOD;
	} else {
		choose(m, s);
	}
}

static double entropy(const double *p, size_t n)
{
	double h = 0;

	for (size_t i = 0; i < n; i++)
		h -= p[i] > 0 ? p[i] * log2(p[i]) : 0;
	return h;
}

int bisect_next(const struct bisect *b, double *p, struct bisect_step *step, struct err *e)
{
	struct bisect_model m;
	int r = bisect_model_make(&m, b, e);

	*step = (struct bisect_step){};
	if (r < 0)
		return r;
	step->none = m.p[b->n];
	step->change = m.change;
	step->error = m.error;
	step->spread = m.spread;
	step->bits = entropy(m.p, b->n + 1);
	decide(&m, step);
	if (step->action == BISECT_BOOT)
		step->boots_left = forecast_boots(step->bits, fabs(m.change) / m.spread,
						  or_default(b->options.confidence, CONFIDENCE));
	if (p)
		memcpy(p, m.p, (b->n + 1) * sizeof(*p));
	bisect_model_release(&m);
	return 0;
}
