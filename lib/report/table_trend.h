/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Change points for people: a list, a plot in ASCII, a picture (SVG), JSON.
 * Names and labels may be hostile.
 */
#pragma once

#include <jansson.h>

#include "base/text.h"
#include "judge/trend.h"

struct trend_view {
	const char *metric;
	const struct trend *trend;
	const char *const *label;	/* of each place along the branch: commit or time */
	size_t n_labels;
};

/* What changed where, a line each; also that nothing did. */
void trend_put_text(const struct trend_view *v, struct text *out);

/* @width columns of the values' range, the levels as '=', '^' under each change. */
void trend_put_plot(const struct trend_view *v, size_t width, size_t height, struct text *out);

/* One self-contained picture: points, levels, changes with their intervals. */
void trend_put_svg(const struct trend_view *v, struct text *out);

/* Every figure of the list. Caller releases. */
json_t *trend_json(const struct trend_view *v);
