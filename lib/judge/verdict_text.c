/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Verdicts in words. */
#include <math.h>
#include <string.h>

#include "judge/verdict.h"

const char *verdict_word(enum verdict v)
{
	static const char *const words[] = {
		[VERDICT_REGRESSION] = "regression", [VERDICT_IMPROVEMENT] = "improvement",
		[VERDICT_CHANGE] = "change", [VERDICT_SAME] = "same",
		[VERDICT_UNSURE] = "unsure", [VERDICT_BROKEN] = "broken",
	};

	return words[v];
}

static const char *const reasons[] = {
	[REASON_DECIDED] = "beyond the noise",
	[REASON_WITHIN] = "the interval lies within the bound",
	[REASON_FEW_BOOTS] = "too few %s",
	[REASON_LUCK] = "so few %s may differ by luck",
	[REASON_NOISE] = "within the noise",
	[REASON_SMALL] = "a change, but a small one",
	[REASON_DRIFT] = "the machine drifts, or may: as much as the change",
	[REASON_OUTLIERS] = "driven by outliers",
	[REASON_ABSENT_A] = "absent in the base",
	[REASON_ABSENT_B] = "absent",
	[REASON_FAILED_A] = "the base's runs failed",
	[REASON_FAILED_B] = "runs fail that did not in the base",
	[REASON_MANY] = "no more than chance does among so many",
};

/* Pairs and boots are counted in boots, runs of one boot in runs. */
static const char *unit_word(const struct verdict_result *r, unsigned int n)
{
	if (r->unit == UNIT_RUN)
		return n == 1 ? "run" : "runs";
	return n == 1 ? "boot" : "boots";
}

void verdict_put_reason(const struct verdict_result *r, struct text *out)
{
	const char *s = reasons[r->reason], *gap = strstr(s, "%s");

	if (gap) {
		text_put(out, s, (size_t)(gap - s));
		text_printf(out, "%s%s", unit_word(r, 2), gap + 2);
	} else {
		text_puts(out, s);
	}
	if (r->reason == REASON_FAILED_A || r->reason == REASON_FAILED_B)
		text_printf(out, ": %u of %u against %u of %u", r->b.failed, r->b.tried,
			    r->a.failed, r->a.tried);
	if (r->wanted_many)
		text_printf(out, "; more than %u %s a side would be needed", r->boots_wanted,
			    unit_word(r, 2));
	else if (r->boots_wanted)
		text_printf(out, "; %u more %s a side would tell", r->boots_wanted,
			    unit_word(r, r->boots_wanted));
}

void verdict_put_change(const struct verdict_result *r, double change, struct text *out)
{
	if (isnan(change))
		text_puts(out, "n/a");
	else if (!r->relative)
		text_printf(out, "%+.4g", change);
	else if (fabs(change) >= 10)
		text_printf(out, "x%.3g", change + 1);
	else
		text_printf(out, fabs(change) < 0.9995 ? "%+.1f%%" : "%+.0f%%", 100 * change);
}

void verdict_put_interval(const struct verdict_result *r, struct text *out)
{
	if (!r->relative) {
		text_printf(out, "+-%.3g", (r->high - r->low) / 2);
		return;
	}
	text_puts(out, "[");
	verdict_put_change(r, r->low, out);
	text_puts(out, ", ");
	verdict_put_change(r, r->high, out);
	text_puts(out, "]");
}

static void explain_side(const struct verdict_result *r, const struct verdict_column *c, char side,
			 const char *unit, struct text *out)
{
	text_printf(out, "side %c: %u %s, %u %s used", side, c->boots,
		    c->boots == 1 ? "boot" : "boots", c->runs, c->runs == 1 ? "run" : "runs");
	if (c->tried)
		text_printf(out, ", %u of %u failed", c->failed, c->tried);
	if (c->runs)
		text_printf(out, ", mean %.6g%s%s", c->mean, unit ? " " : "", unit ? unit : "");
	if (!isnan(c->spread))
		text_printf(out, ", spread between %s %.2f%%", unit_word(r, 2), 100 * c->spread);
	if (!isnan(c->within) && r->unit != UNIT_RUN)
		text_printf(out, ", within boots %.2f%%", 100 * c->within);
	text_putc(out, '\n');
}

static void explain_estimate(const struct verdict_result *r, struct text *out)
{
	static const char *const kinds[] = {
		[UNIT_BOOT] = "boots", [UNIT_PAIR] = "differences within boots",
		[UNIT_RUN] = "runs of one boot: says nothing about the next boot",
	};

	text_printf(out, "unit: %s\n", kinds[r->unit]);
	text_printf(out, "scale: %s\n", r->relative ? "logarithms, so changes are ratios" :
		    "values as they are: they lie at or about zero, where ratios mean little");
	text_puts(out, "change: ");
	verdict_put_change(r, r->change, out);
	text_puts(out, ", 95% interval ");
	verdict_put_interval(r, out);
	if (isnan(r->p))
		text_puts(out, ": one value a side has no spread");
	else
		text_printf(out, ", p %.3g with %.3g degrees of freedom", r->p, r->df);
	text_putc(out, '\n');
	if (!isnan(r->without_first)) {
		text_puts(out, "change without the first run of each boot: ");
		verdict_put_change(r, r->without_first, out);
		text_putc(out, '\n');
	}
	if (!isnan(r->noise)) {
		text_puts(out, "noise of one unit: ");
		if (r->relative)
			text_printf(out, "%.2f%%\n", 100 * r->noise);
		else
			text_printf(out, "%.4g\n", r->noise);
	}
}

static void explain_checks(const struct verdict_result *r, struct text *out)
{
	if (!isnan(r->drift)) {
		text_puts(out, "drift, later against earlier points of the base: ");
		verdict_put_change(r, r->drift, out);
		if (!isnan(r->drift_error))
			text_printf(out, " (standard error %.3g%s)",
				    (r->relative ? 100 : 1) * r->drift_error,
				    r->relative ? "%" : "");
		text_putc(out, '\n');
	}
	if (!isnan(r->shift)) {
		text_puts(out, "check by the median of all differences: ");
		verdict_put_change(r, r->shift, out);
		text_printf(out, "; by permutation: p %.3g\n", r->permutation_p);
	}
	if (!isnan(r->fisher_p))
		text_printf(out, "failures alike: p %.3g\n", r->fisher_p);
	if (isnan(r->needed))
		return;
	text_puts(out, "counts as a change from ");
	verdict_put_change(r, r->needed, out);
	text_printf(out, " on, with p below %.2g; as the same within ", r->alpha);
	verdict_put_change(r, r->same_bound, out);
	text_putc(out, '\n');
}

void verdict_explain(const struct verdict_result *r, const struct verdict_metric *m,
		     struct text *out)
{
	if (m->name) {
		text_puts(out, "metric: ");
		text_put_visible(out, m->name, strlen(m->name), true);
		text_printf(out, ", %s is better%s\n", metric_better_word(m->better),
			    m->headline ? ", headline" : "");
	}
	explain_side(r, &r->a, 'A', m->unit, out);
	explain_side(r, &r->b, 'B', m->unit, out);
	if (r->a.runs && r->b.runs && r->reason != REASON_FAILED_A &&
	    r->reason != REASON_FAILED_B)
		explain_estimate(r, out);
	explain_checks(r, out);
	text_printf(out, "verdict: %s: ", verdict_word(r->verdict));
	verdict_put_reason(r, out);
	text_putc(out, '\n');
}
