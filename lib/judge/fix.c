/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <math.h>

#include "judge/fix.h"
#include "math/dist.h"

#define POINTS	0.15	/* half an interval that is narrow enough */
#define CAP	20

const char *fix_word(enum fix_word w)
{
	static const char *const words[] = {
		[FIX_RESTORES] = "restores", [FIX_PARTLY] = "partly",
		[FIX_NO_EFFECT] = "no effect", [FIX_WORSE] = "worse", [FIX_UNSURE] = "unsure",
	};

	return words[w];
}

/* One column: how many units, their mean, their squares about it. */
struct column {
	double n, mean, squares;
};

static struct column column_of(const struct verdict_result *r, const struct verdict_column *c)
{
	double n = r->unit == UNIT_RUN ? c->runs : c->boots;
	double sd = isnan(c->spread) ? 0 : c->spread * fabs(c->mean);

	return (struct column){ n, c->mean, n > 1 ? sd * sd * (n - 1) : 0 };
}

/*
 * The r with (up - r down)^2 <= t^2 var(up - r down): between two roots, as long as
 * the gap itself is beyond its noise.
 */
static void interval_set(struct fix_result *r, struct column p, struct column b, struct column f,
			 const struct verdict_history *h)
{
	double df = p.n + b.n + f.n - 3 + h->d0, up = f.mean - b.mean, down = p.mean - b.mean;
	double s0 = h->s0 * fabs(p.mean), s2, t, a, half, c, root;

	r->recovery = up / down;
	r->low = -INFINITY;
	r->high = INFINITY;
	if (!(df > 0) || down == 0)
		return;
	s2 = (h->d0 * s0 * s0 + p.squares + b.squares + f.squares) / df;
	t = dist_t_at(0.05, df);
	a = down * down - t * t * s2 * (1 / p.n + 1 / b.n);
	half = up * down - t * t * s2 / b.n;
	c = up * up - t * t * s2 * (1 / f.n + 1 / b.n);
	root = half * half - a * c;
	if (a <= 0 || root < 0)
		return;
	r->low = (half - sqrt(root)) / a;
	r->high = (half + sqrt(root)) / a;
}

static enum fix_word word_of(const struct fix_result *r)
{
	bool has_none = r->low <= 0 && r->high >= 0, has_half = r->low <= 0.5 && r->high >= 0.5;
	bool has_all = r->low <= 1 && r->high >= 1;

	if (!isfinite(r->low) || !isfinite(r->high))
		return FIX_UNSURE;
	if (r->high < 0)
		return FIX_WORSE;
	if (r->low > 1 || (has_all && !has_half))
		return FIX_RESTORES;
	if (has_none && !has_half)
		return FIX_NO_EFFECT;
	return has_none || has_all ? FIX_UNSURE : FIX_PARTLY;
}

static unsigned int boots_of(const struct verdict_result *r, const struct verdict_column *c)
{
	return r->unit == UNIT_RUN ? c->runs : c->boots;
}

int fix_judge(const struct fix_case *c, struct fix_result *r, struct err *e)
{
	struct verdict_case gap = { c->parent, c->bad, c->metric, c->history, c->options };
	struct verdict_case rest = { c->parent, c->fix, c->metric, c->history, c->options };
	unsigned int least, cap = c->options.cap ? c->options.cap : CAP;

	*r = (struct fix_result){ .word = FIX_UNSURE, .recovery = NAN, .low = -INFINITY,
				  .high = INFINITY };
	if (verdict_judge(&gap, &r->gap, e) < 0)
		return err_in(e, "parent and bad");
	if (verdict_judge(&rest, &r->rest, e) < 0)
		return err_in(e, "parent and fix");
	least = boots_of(&r->gap, &r->gap.a);
	least = boots_of(&r->gap, &r->gap.b) < least ? boots_of(&r->gap, &r->gap.b) : least;
	least = boots_of(&r->rest, &r->rest.b) < least ? boots_of(&r->rest, &r->rest.b) : least;
	if (least) {
		interval_set(r, column_of(&r->gap, &r->gap.a), column_of(&r->gap, &r->gap.b),
			     column_of(&r->rest, &r->rest.b), &c->history);
		if (least >= VERDICT_FIRST)
			r->word = word_of(r);
		r->within_noise = fabs(r->rest.change) <= r->rest.noise;
	}
	if (least < VERDICT_FIRST)
		r->boots_next = VERDICT_FIRST - least;
	else if ((r->word == FIX_UNSURE || r->high - r->low > 2 * POINTS) && least < cap)
		r->boots_next = cap - least < 2 ? cap - least : 2;
	return 0;
}

static void put_interval(const struct fix_result *r, struct text *out)
{
	if (isfinite(r->low) && isfinite(r->high))
		text_printf(out, " [%.0f%%, %.0f%%]", 100 * r->low, 100 * r->high);
}

void fix_put(const struct fix_result *r, struct text *out)
{
	text_puts(out, fix_word(r->word));
	if (isnan(r->recovery)) {
		text_puts(out, ": nothing to compare");
		return;
	}
	text_printf(out, ": %.0f%%", 100 * r->recovery);
	put_interval(r, out);
	text_puts(out, " of what was lost");
	if (!isnan(r->rest.noise))
		text_printf(out, "; what remains is %s the noise of a boot",
			    r->within_noise ? "within" : "more than");
}
