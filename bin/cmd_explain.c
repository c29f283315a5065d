/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <unistd.h>

#include "cmd.h"
#include "flow/explain.h"
#include "flow/place.h"

static int explain(int argc, char **argv, struct err *e)
{
	_place_ struct place place = {};
	_text_ struct text out = {};
	int r;

	if (argc != 1)
		return usage_err(e, "one metric is explained");
	if ((r = place_find(&place, e)) < 0 || (r = explain_metric(&place, argv[0], &out, e)) < 0)
		return r;
	fputs(text_str(&out), stdout);
	return r == EXPLAIN_UNKNOWN ? EXIT_UNTESTABLE : EXIT_SAME;
}

const struct cmd cmd_explain = {
	"explain", "METRIC", "say what a metric means, its unit and which way is better", NULL,
	explain,
};
