/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "judge/bisect_model.h"
#include "math/student.h"

#define NONE_PRIOR	0.1

/* Without a history: a spread of 1 %, believed as much as one boot is. */
#define S0_GUESS	0.01
#define A0_GUESS	1.0

/* No spread is believed to be smaller: clocks and divisions round. */
#define S0_LEAST	1e-6

/* A told spread is another day's: it is not believed more than so many boots. */
#define A0_MOST		10.0

/* Offsets of builds where none are known: a tenth of the spread. */
#define RHO_GUESS	0.01

/* The change expected may be off by about half of itself; unknown: three spreads. */
#define CHANGE_ERROR	0.5
#define CHANGE_GUESS	3.0

/* A value further out than this many spreads beyond both sides is drawn in. */
#define CLIP		2.0

struct item {
	size_t state;
	uint64_t build;
	double value;
};

static size_t state_of(const struct bisect *b, int64_t at)
{
	return at == BISECT_GOOD ? 0 : at == BISECT_BAD ? b->n : (size_t)at + 1;
}

/* A number for the build; of a build without one, for its state. */
static uint64_t build_of(const struct bisect *b, const struct bisect_boot *boot)
{
	uint32_t build = boot->build;

	if (!build && boot->at == BISECT_GOOD)
		build = b->good_build;
	else if (!build && boot->at == BISECT_BAD)
		build = b->bad_build ? b->bad_build : b->commit[b->n - 1].build;
	else if (!build)
		build = b->commit[boot->at].build;
	return build ? build : (1ULL << 32) + state_of(b, boot->at);
}

static int by_state(const void *x, const void *y)
{
	const struct item *a = x, *b = y;

	if (a->state != b->state)
		return a->state < b->state ? -1 : 1;
	if (a->build != b->build)
		return a->build < b->build ? -1 : 1;
	return (a->value > b->value) - (a->value < b->value);
}

static int by_build(const void *x, const void *y)
{
	const struct item *a = x, *b = y;

	if (a->build != b->build)
		return a->build < b->build ? -1 : 1;
	return a->state < b->state ? -1 : a->state > b->state;
}

/*
 * Two states with the same build have no culprit between them.  The weight of
 * the commits between goes; what is left is made to sum to 1.
 */
static void weights_make(struct bisect_model *m)
{
	const struct bisect *b = m->b;
	_free_ struct item *known = mem_zero(b->n + 2, sizeof(*known));
	_free_ int *covered = mem_zero(b->n + 1, sizeof(*covered));
	size_t n = 0;
	double sum = 0;
	int depth = 0;

	if (b->good_build)
		known[n++] = (struct item){ 0, b->good_build, 0 };
	if (b->bad_build)
		known[n++] = (struct item){ b->n, b->bad_build, 0 };
	for (size_t i = 0; i < b->n; i++)
		if (b->commit[i].build)
			known[n++] = (struct item){ i + 1, b->commit[i].build, 0 };
	qsort(known, n, sizeof(*known), by_build);
	for (size_t i = 1; i < n; i++) {
		if (known[i].build != known[i - 1].build)
			continue;
		covered[known[i - 1].state]++;
		covered[known[i].state]--;
	}
	for (size_t i = 0; i < b->n; i++) {
		depth += covered[i];
		m->weight[i] = depth ? 0 : b->commit[i].weight;
		sum += m->weight[i];
	}
	m->possible = sum > 0;
	for (size_t i = 0; i < b->n && m->possible; i++)
		m->weight[i] /= sum;
	for (size_t i = 0; i < b->n; i++)
		m->first[i + 1] = m->weight[i] > 0 ? i + 1 : m->first[i];
}

/* Median of the values of @state, NaN if there are none; items are sorted. */
static double state_median(const struct item *v, size_t n, size_t state)
{
	size_t first = 0, last;

	while (first < n && v[first].state < state)
		first++;
	for (last = first; last < n && v[last].state == state;)
		last++;
	if (first == last)
		return NAN;
	return (v[(first + last - 1) / 2].value + v[(first + last) / 2].value) / 2;
}

static double squares_about(const struct item *v, size_t n, size_t state, double centre)
{
	double sum = 0;

	for (size_t i = 0; i < n; i++)
		if (v[i].state == state)
			sum += (v[i].value - centre) * (v[i].value - centre);
	return sum;
}

/*
 * A boot that went badly wrong is worse than both kernels, and its distance says
 * nothing of the culprit: it counts as "beyond", not as "far beyond".
 */
static void draw_in(const struct bisect_model *m, struct item *v, size_t n)
{
	size_t bad = m->first[m->b->n];
	double good_mid = state_median(v, n, 0), bad_mid = state_median(v, n, bad), squares, room;

	if (isnan(good_mid) || isnan(bad_mid))
		return;
	squares = m->a0 * m->s0 * m->s0 + squares_about(v, n, 0, good_mid) +
		  squares_about(v, n, bad, bad_mid);
	room = CLIP * sqrt(squares / (m->a0 + m->good_boots + m->bad_boots));
	for (size_t i = 0; i < n; i++)
		v[i].value = fmin(fmax(good_mid, bad_mid) + room,
				  fmax(fmin(good_mid, bad_mid) - room, v[i].value));
}

static void groups_make(struct bisect_model *m, struct item *v, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		struct bisect_group *g = m->n_groups ? &m->group[m->n_groups - 1] : NULL;
		double off;

		if (!g || g->state != v[i].state || g->build != v[i].build) {
			g = &m->group[m->n_groups++];
			*g = (struct bisect_group){ .state = v[i].state, .build = v[i].build };
		}
		off = v[i].value - g->mean;
		g->n++;
		g->mean += off / g->n;
		g->squares += off * (v[i].value - g->mean);
	}
	for (size_t i = 0; i < m->n_groups; i++)
		m->group[i].w = m->group[i].n / (1 + m->rho * m->group[i].n);
}

/*
 * Boots of states that no possible culprit lies between tell of the same thing:
 * they are counted at the first such state, and one build of them is one group.
 */
static void items_make(const struct bisect_model *m, struct item *v)
{
	const struct bisect *b = m->b;
	_free_ double *drift = mem_zero(b->n_boots, sizeof(*drift));

	bisect_drift(b, drift);
	for (size_t i = 0; i < b->n_boots; i++)
		v[i] = (struct item){ m->first[state_of(b, b->boot[i].at)], build_of(b, &b->boot[i]),
				      b->boot[i].value - drift[i] };
	qsort(v, b->n_boots, sizeof(*v), by_state);
}

static int boots_check(const struct bisect *b, struct err *e)
{
	if (!b->n)
		return err_set(e, EINVAL, "there are no commits between good and bad");

	for (size_t i = 0; i < b->n_boots; i++) {
		const struct bisect_boot *o = &b->boot[i];

		if (o->at < BISECT_BAD || o->at >= (int64_t)b->n)
			return err_set(e, EINVAL, "boot %zu: of commit %lld, there are %zu", i + 1,
				       (long long)o->at, b->n);
		if (!isfinite(o->value) || isinf(o->reference))
			return err_set(e, EINVAL, "boot %zu: its value is no number", i + 1);
	}
	return 0;
}

struct sums {
	double w, wy;		/* weight, weighted sum of (mean - centre) */
};

/* One cut: its likelihood and what it says of the change. */
static struct bisect_cut cut_at(const struct bisect_model *m, struct sums good, struct sums all,
				double squares_all, double n)
{
	struct sums bad = { all.w - good.w, all.wy - good.wy };
	double nu = m->a0 + n - 1;
	struct bisect_cut c = { .good_w = good.w, .bad_w = bad.w };
	double h = all.w > 0 ? good.w * bad.w / all.w : 0, off, s, shrink;

	if (good.w < 1e-9 || bad.w < 1e-9)
		h = 0;
	off = h > 0 ? bad.wy / bad.w - good.wy / good.w : 0;
	/* The squares within both sides are all squares less those between. */
	s = m->a0 * m->s0 * m->s0 + fmax(0, squares_all - h * off * off);
	s += h > 0 ? (off - m->centre) * (off - m->centre) / (1 / h + m->g) : 0;
	shrink = m->g * h / (1 + m->g * h);
	c.sigma2 = s / nu;
	c.change = m->centre + (off - m->centre) * shrink;
	c.var = c.sigma2 * m->g / (1 + m->g * h);
	c.log_p = -0.5 * log1p(m->g * h) - nu / 2 * log(s);
	if (m->b->direction)
		c.log_p += M_LN2 + student_log_below(m->b->direction * c.change / sqrt(c.var), nu);
	return c;
}

/* All boots are of one mean. */
static double log_none(const struct bisect_model *m, double squares, double n)
{
	return -(m->a0 + n - 1) / 2 * log(m->a0 * m->s0 * m->s0 + squares);
}

static void cuts_make(struct bisect_model *m)
{
	struct sums good = {}, all = {};
	double within = 0, squares = 0, centre = 0, n = 0;

	for (size_t i = 0; i < m->n_groups; i++) {
		all.w += m->group[i].w;
		centre += m->group[i].w * m->group[i].mean;
		n += m->group[i].n;
	}
	centre = all.w > 0 ? centre / all.w : 0;
	for (size_t i = 0; i < m->n_groups; i++) {
		double off = m->group[i].mean - centre;

		within += m->group[i].squares;
		squares += m->group[i].w * off * off;
		all.wy += m->group[i].w * off;
	}
	m->log_none = log_none(m, within + squares, n);
	for (size_t i = 0; i <= m->n_groups; i++) {
		m->cut[i] = cut_at(m, good, all, within + squares, n);
		if (i == m->n_groups)
			break;
		good.w += m->group[i].w;
		good.wy += m->group[i].w * (m->group[i].mean - centre);
	}
}

static void belief_make(struct bisect_model *m)
{
	size_t n = m->b->n, at = 0;
	double top = m->log_none, sum, none;

	for (size_t i = 0; i <= m->n_groups; i++)
		top = fmax(top, m->cut[i].log_p);
	none = m->possible ? m->none_prior : 1;
	sum = m->p[n] = none * exp(m->log_none - top);
	for (size_t k = 0; k < n; k++) {
		while (at < m->n_groups && m->group[at].state <= k)
			at++;
		m->p[k] = (1 - none) * m->weight[k] * exp(m->cut[at].log_p - top);
		sum += m->p[k];
	}
	for (size_t k = 0; k <= n; k++)
		m->p[k] /= sum;
}

/* Averages over the belief, given that there is a culprit. */
static void averages_make(struct bisect_model *m)
{
	size_t n = m->b->n, at = 0;
	double some = 0, change2 = 0, var = 0, sigma2 = 0, left = 0;

	for (size_t k = 0; k < n; k++) {
		double p = m->weight[k] > 0 ? m->p[k] + 1e-300 : 0;
		const struct bisect_cut *c;

		while (at < m->n_groups && m->group[at].state <= k)
			at++;
		c = &m->cut[at];
		some += p;
		m->change += p * c->change;
		change2 += p * c->change * c->change;
		var += p * c->var;
		sigma2 += p * c->sigma2;
		m->good_w += p * c->good_w;
		m->bad_w += p * c->bad_w;
	}
	if (some > 0) {
		m->change /= some;
		m->good_w /= some;
		m->bad_w /= some;
		m->error = sqrt(fmax(0, (change2 + var) / some - m->change * m->change));
		m->spread = sqrt(sigma2 / some);
	}
	for (size_t s = n + 1; s-- > 0;) {
		m->good[s] = some > 0 ? fmin(1, left / some) : 0;
		left += s > 0 ? m->p[s - 1] : 0;
	}
	m->good[0] = 1;
}

int bisect_model_make(struct bisect_model *m, const struct bisect *b, struct err *e)
{
	_free_ struct item *v = mem_zero(b->n_boots, sizeof(*v));
	int r = boots_check(b, e);

	*m = (struct bisect_model){ .b = b };
	if (r < 0)
		return r;
	m->a0 = b->a0 > 0 ? fmin(b->a0, A0_MOST) : A0_GUESS;
	m->s0 = fmax(S0_LEAST, b->a0 > 0 ? b->s0 : S0_GUESS);
	m->rho = b->tau > 0 ? b->tau * b->tau / (m->s0 * m->s0) : RHO_GUESS;
	m->g = pow(b->change != 0 ? CHANGE_ERROR * b->change / m->s0 : CHANGE_GUESS, 2);
	m->centre = b->change;
	m->none_prior = b->options.none > 0 ? b->options.none : NONE_PRIOR;
	m->group = mem_zero(b->n_boots, sizeof(*m->group));
	m->weight = mem_zero(b->n, sizeof(*m->weight));
	m->first = mem_zero(b->n + 1, sizeof(*m->first));
	m->p = mem_zero(b->n + 1, sizeof(*m->p));
	m->good = mem_zero(b->n + 1, sizeof(*m->good));
	for (size_t i = 0; i < b->n_boots; i++) {
		m->good_boots += b->boot[i].at == BISECT_GOOD;
		m->bad_boots += b->boot[i].at == BISECT_BAD;
	}
	weights_make(m);
	items_make(m, v);
	draw_in(m, v, b->n_boots);
	groups_make(m, v, b->n_boots);
	m->cut = mem_zero(m->n_groups + 1, sizeof(*m->cut));
	cuts_make(m);
	belief_make(m);
	averages_make(m);
	return 0;
}

void bisect_model_release(struct bisect_model *m)
{
	free(m->group);
	free(m->cut);
	free(m->weight);
	free(m->first);
	free(m->p);
	free(m->good);
	*m = (struct bisect_model){};
}
