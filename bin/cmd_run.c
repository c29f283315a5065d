/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cmd.h"
#include "flow/session.h"

static struct opt_list labels, sets;
static struct session_opts o = { .runs = 1, .labels = &labels, .set = &sets };

static const struct opt opts[] = {
	{ 'n', "runs", OPT_COUNT, &o.runs, "N", "run each job N times, in turn (1)" },
	{ 'l', "label", OPT_LIST, &labels, "TEXT", "name for compare; given twice: in turn" },
	{ 's', "set", OPT_LIST, &sets, "K=V", "replace a key of the job files" },
	{ 't', "timeout", OPT_TIME, &o.timeout_secs, "TIME", "end a run that takes longer" },
	{ 'p', "profile", OPT_FLAG, &o.profile, NULL, "one more run of each job, with monitors" },
	{ 0, "dry-run", OPT_FLAG, &o.dry_run, NULL, "list the jobs, and what is skipped and why" },
	{ 0, "json", OPT_FLAG, &o.json, NULL, "print JSON" },
	OPT_END
};

static int run(int argc, char **argv, struct err *e)
{
	static const int status[] = {
		[SESSION_TROUBLE] = EXIT_TROUBLE, [SESSION_FAILED] = EXIT_WORSE,
		[SESSION_SKIPPED] = EXIT_UNTESTABLE, [SESSION_OK] = EXIT_SAME,
	};
	_place_ struct place place = {};
	int r;

	if (argc < 1)
		return usage_err(e, "no job file");
	if (o.dry_run && o.json)
		return usage_err(e, "--dry-run has no JSON form; see `krobot expand --json`");
	o.file = (const char *const *)argv;
	o.n_files = (size_t)argc;
	if ((r = place_find(&place, e)) < 0 || (r = session_run(&place, &o, e)) < 0)
		return r;
	return status[r];
}

const struct cmd cmd_run = {
	"run", "FILE...", "run the jobs of job files on this machine", opts, run,
};
