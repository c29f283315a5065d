/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/value.h"
#include "cmd.h"
#include "flow/listing.h"

static bool json;

static const struct opt opts[] = {
	{ 0, "json", OPT_FLAG, &json, NULL, "print JSON" },
	OPT_END
};

static int run(int argc, char **argv, struct err *e)
{
	_place_ struct place place = {};
	_text_ struct text out = {};
	uint64_t id;
	int r;

	if (argc != 1 || value_count(argv[0], &id, e) < 0 || !id || id > INT64_MAX)
		return usage_err(e, "the number of a run is wanted, as `krobot log --json` lists them");
	if ((r = place_find(&place, e)) < 0 ||
	    (r = listing_run(&place, (int64_t)id, json, &out, e)) < 0)
		return r;
	fputs(text_str(&out), r == LISTING_NONE ? stderr : stdout);
	return r == LISTING_NONE ? EXIT_UNTESTABLE : EXIT_SAME;
}

const struct cmd cmd_show = {
	"show", "RUN", "show one run with all that it measured", opts, run,
};
