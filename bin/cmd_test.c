/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <string.h>

#include "base/text.h"
#include "cmd.h"
#include "flow/sandwich.h"

static struct opt_list sets, configs;
static const char *kernels;
static bool until_decided;
static struct sandwich_opts o = {
	.boot = { .set = &sets, .cpus = 2, .sockets = 1, .nodes = 1, .memory = 2ULL << 30 },
};

static const struct opt opts[] = {
	{ 'k', "kernels", OPT_TEXT, &kernels, "A,B", "the two kernels; A is the base" },
	{ 'n', "boots", OPT_COUNT, &o.boots, "N", "boots of each kernel" },
	{ 'u', "until-decided", OPT_FLAG, &until_decided, NULL, "add boots while unsure (default)" },
	{ 's', "set", OPT_LIST, &sets, "K=V", "replace a key of the job files" },
	{ 0, "tree", OPT_TEXT, &o.boot.tree, "DIR", "git tree of kernels named by revision" },
	{ 0, "config", OPT_LIST, &configs, "FILE", "a base, then fragments, for builds" },
	{ 0, "mode", OPT_TEXT, &o.boot.mode, "MODE", "kvm, tcg or tcg-icount; default: what works" },
	{ 0, "cpus", OPT_COUNT, &o.boot.cpus, "N", "CPUs of the virtual machine (2)" },
	{ 0, "sockets", OPT_COUNT, &o.boot.sockets, "N", "its sockets (1)" },
	{ 0, "nodes", OPT_COUNT, &o.boot.nodes, "N", "its NUMA nodes (1)" },
	{ 0, "memory", OPT_SIZE, &o.boot.memory, "SIZE", "its memory (2G)" },
	{ 't', "timeout", OPT_TIME, &o.boot.timeout_secs, "TIME", "end a run that takes longer" },
	{ 0, "json", OPT_FLAG, &o.json, NULL, "print JSON with every figure" },
	OPT_END
};

static int run(int argc, char **argv, struct err *e)
{
	static const int status[] = {
		[SANDWICH_SAME] = EXIT_SAME, [SANDWICH_WORSE] = EXIT_WORSE,
		[SANDWICH_UNTESTABLE] = EXIT_UNTESTABLE,
	};
	_free_ char *names = text_copy(kernels);
	char *comma = names ? strchr(names, ',') : NULL;
	_place_ struct place place = {};
	int r;

	if (argc < 1)
		return usage_err(e, "no job file");
	if (!comma || comma == names || !comma[1] || strchr(comma + 1, ','))
		return usage_err(e, "--kernels wants two names with a comma between");
	if (until_decided && o.boots)
		return usage_err(e, "--boots or --until-decided, not both");
	if (o.boots > 1000 || o.boot.cpus > 4096 || o.boot.sockets > 4096 || o.boot.nodes > 4096)
		return usage_err(e, "a number is too large");
	*comma = '\0';
	o.kernel[0] = names;
	o.kernel[1] = comma + 1;
	o.boot.file = (const char *const *)argv;
	o.boot.n_files = (size_t)argc;
	o.boot.configs = configs.v;
	o.boot.n_configs = configs.n;
	if ((r = place_find(&place, e)) < 0 || (r = sandwich_run(&place, &o, e)) < 0)
		return r;
	return status[r];
}

const struct cmd cmd_test = {
	"test", "FILE...", "boot two kernels in turn, run the jobs, judge", opts, run,
};
