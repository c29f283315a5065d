/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cmd.h"
#include "flow/along.h"

static uint64_t warmup;
static struct along_opts o;

static const struct opt opts[] = {
	{ 'm', "metric", OPT_TEXT, &o.metric, "NAME", "this metric instead of the headlines" },
	{ 'k', "kernel", OPT_TEXT, &o.kernel, "KERNEL", "only runs of this kernel" },
	{ 'l', "label", OPT_TEXT, &o.label, "LABEL", "only runs with this label" },
	{ 0, "machine", OPT_TEXT, &o.machine, "NAME", "only runs on this machine" },
	{ 0, "session", OPT_TEXT, &o.session, "ID", "only runs of this session" },
	{ 'w', "warmup", OPT_COUNT, &warmup, "N", "drop the first N runs of each boot" },
	{ 0, "json", OPT_FLAG, &o.json, NULL, "print JSON with every figure" },
	OPT_END
};

static int run(int argc, char **argv, struct err *e)
{
	static const int status[] = {
		[ALONG_GOOD] = EXIT_SAME, [ALONG_BAD] = EXIT_UNTESTABLE,
		[ALONG_NOTHING] = EXIT_UNTESTABLE,
	};
	_place_ struct place place = {};
	_text_ struct text out = {};
	int r;

	if (argc != 1)
		return usage_err(e, "one job, whose runs on one kernel are stored");
	if (warmup > 1000)
		return usage_err(e, "--warmup: more than 1000");
	o.warmup = (unsigned int)warmup;
	o.job = argv[0];
	if ((r = place_find(&place, e)) < 0 || (r = along_noise(&place, &o, &out, e)) < 0)
		return r;
	fputs(text_str(&out), r == ALONG_NOTHING ? stderr : stdout);
	return status[r];
}

const struct cmd cmd_qualify = {
	"qualify", "JOB", "measure a job's noise, and whether it can decide",
	opts, run,
};
