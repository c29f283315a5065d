/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "base/value.h"
#include "flow/warmup.h"

#define WORD		"until-stable "
#define RUNS_MAX	1000
#define LAST		3

static int refuse(const char *text, struct err *e)
{
	_text_ struct text shown = {};

	text_put_visible(&shown, text, strlen(text), true);
	return err_set(e, EINVAL, "warmup: '%s' is neither a count up to %d nor "
		       "'until-stable 5%% 60s'", text_str(&shown), RUNS_MAX);
}

static bool parse_stable(const char *s, struct warmup *w)
{
	struct err e = {};
	char *end;
	double percent = strtod(s, &end);

	if (end == s || !isfinite(percent) || percent <= 0 || percent >= 100 ||
	    end[0] != '%' || end[1] != ' ' || value_time(end + 2, &w->secs, &e) < 0 || !w->secs)
		return false;
	w->until_stable = true;
	w->tolerance = percent / 100;
	w->runs = RUNS_MAX;
	return true;
}

int warmup_parse(const char *text, struct warmup *w, struct err *e)
{
	*w = (struct warmup){};
	if (!text || !*text)
		return 0;
	if (text_starts(text, WORD))
		return parse_stable(text + strlen(WORD), w) ? 0 : refuse(text, e);
	if (value_count(text, &w->runs, e) < 0 || w->runs > RUNS_MAX)
		return refuse(text, e);
	return 0;
}

bool warmup_is_steady(const struct warmup *w, const double *value, size_t n)
{
	double low = INFINITY, high = -INFINITY, sum = 0;

	if (n < LAST)
		return false;
	for (size_t i = n - LAST; i < n; i++) {
		low = fmin(low, value[i]);
		high = fmax(high, value[i]);
		sum += value[i];
	}
	return (high - low) * LAST <= w->tolerance * fabs(sum);
}
