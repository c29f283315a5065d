/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cmd.h"
#include "flow/bisect_boot.h"

static struct opt_list sets, configs;
static struct sandwich_opts o = {
	.boot = { .set = &sets, .cpus = 1, .sockets = 1, .nodes = 1, .memory = 2ULL << 30 },
};

static const struct opt opts[] = {
	{ 'g', "good", OPT_TEXT, &o.kernel[0], "REV", "compare with it; default: git bisect's good" },
	{ 'n', "boots", OPT_COUNT, &o.boots, "N", "boots of each kernel; default: until decided" },
	{ 's', "set", OPT_LIST, &sets, "K=V", "replace a key of the job file" },
	{ 0, "tree", OPT_TEXT, &o.boot.tree, "DIR", "the git tree; default: this folder" },
	{ 0, "config", OPT_LIST, &configs, "FILE", "a base, then fragments, for builds" },
	{ 0, "mode", OPT_TEXT, &o.boot.mode, "MODE", "kvm, tcg or tcg-icount" },
	{ 0, "cpus", OPT_COUNT, &o.boot.cpus, "N", "CPUs of the virtual machine (1)" },
	{ 0, "memory", OPT_SIZE, &o.boot.memory, "SIZE", "its memory (2G)" },
	{ 't', "timeout", OPT_TIME, &o.boot.timeout_secs, "TIME", "end a run that takes longer" },
	OPT_END
};

static int run(int argc, char **argv, struct err *e)
{
	static const int status[] = {
		[SANDWICH_SAME] = EXIT_SAME, [SANDWICH_WORSE] = EXIT_WORSE,
		[SANDWICH_UNTESTABLE] = EXIT_UNTESTABLE,
	};
	_place_ struct place place = {};
	int r;

	if (argc != 1)
		return usage_err(e, "it takes one job file");
	if (o.boots > 1000 || o.boot.cpus > 4096)
		return usage_err(e, "a number is too large");
	o.boot.file = (const char *const *)argv;
	o.boot.n_files = 1;
	o.boot.configs = configs.v;
	o.boot.n_configs = configs.n;
	if ((r = place_find(&place, e)) < 0 || (r = bisect_step_run(&place, &o, e)) < 0)
		return r;
	return status[r];
}

const struct cmd cmd_bisect_step = {
	"bisect-step", "FILE", "for `git bisect run`: is HEAD worse than a good commit?", opts, run,
};
