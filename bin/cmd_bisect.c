/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <string.h>

#include "cmd.h"
#include "flow/bisect_boot.h"

static struct opt_list sets, configs, paths;
static struct bisect_boot_opts o = {
	.boot = { .set = &sets, .cpus = 1, .sockets = 1, .nodes = 1, .memory = 2ULL << 30 },
};

static const struct opt opts[] = {
	{ 'm', "metric", OPT_TEXT, &o.search.metric, "M", "the metric; default: the headline" },
	{ 'b', "budget", OPT_COUNT, &o.search.budget, "BOOTS", "refuse or stop beyond so many" },
	{ 'r', "resume", OPT_FLAG, &o.search.resume, NULL, "go on where the last one ended" },
	{ 'p', "path", OPT_LIST, &paths, "PATH", "only commits that touch it" },
	{ 0, "no-confirm", OPT_FLAG, &o.no_confirm, NULL, "spare the culprit's confirmation" },
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
		[BISECT_BOOT_NONE] = EXIT_SAME, [BISECT_BOOT_FOUND] = EXIT_WORSE,
		[BISECT_BOOT_UNTESTABLE] = EXIT_UNTESTABLE,
	};
	_place_ struct place place = {};
	int r;

	if (argc != (o.search.resume ? 1 : 3))
		return usage_err(e, o.search.resume ? "--resume wants the job file alone" :
				 "it takes a good commit, a bad one and a job file");
	if (o.boot.cpus > 4096 || o.search.budget > 1000000)
		return usage_err(e, "a number is too large");
	if (argc == 3) {
		o.search.good = argv[0];
		o.search.bad = argv[1];
	}
	o.search.paths = paths.n ? paths.v : NULL;
	if (paths.n == COUNT(paths.v))
		return usage_err(e, "too many paths");
	o.search.out = stdout;
	o.boot.file = (const char *const *)&argv[argc - 1];
	o.boot.n_files = 1;
	o.boot.configs = configs.v;
	o.boot.n_configs = configs.n;
	if ((r = place_find(&place, e)) < 0 || (r = bisect_boot_run(&place, &o, e)) < 0)
		return r;
	return status[r];
}

const struct cmd cmd_bisect = {
	"bisect", "GOOD BAD FILE | --resume FILE", "find the commit that made a job worse", opts,
	run,
};
