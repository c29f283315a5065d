/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cmd.h"
#include "flow/listing.h"

static struct listing_opts o;

static const struct opt opts[] = {
	{ 'm', "metric", OPT_TEXT, &o.metric, "NAME", "this metric (default: the headline)" },
	{ 'l', "label", OPT_TEXT, &o.filter.label, "TEXT", "only runs with this label" },
	{ 'k', "kernel", OPT_TEXT, &o.filter.kernel, "NAME", "only runs of this kernel" },
	{ 0, "machine", OPT_TEXT, &o.filter.machine, "NAME", "only runs on this machine" },
	{ 0, "session", OPT_TEXT, &o.filter.session, "ID", "only runs of this session" },
	{ 0, "json", OPT_FLAG, &o.json, NULL, "print JSON" },
	OPT_END
};

static int run(int argc, char **argv, struct err *e)
{
	_place_ struct place place = {};
	_text_ struct text out = {};
	int r;

	if (argc > 1)
		return usage_err(e, "one job (a name or a glob) or none");
	o.filter.job = argc ? argv[0] : NULL;
	if ((r = place_find(&place, e)) < 0 || (r = listing_samples(&place, &o, &out, e)) < 0)
		return r;
	fputs(text_str(&out), r == LISTING_NONE ? stderr : stdout);
	return r == LISTING_NONE ? EXIT_UNTESTABLE : EXIT_SAME;
}

const struct cmd cmd_log = {
	"log", "[JOB]", "list the raw samples, one line a kernel and label", opts, run,
};
