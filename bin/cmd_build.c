/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <jansson.h>
#include <string.h>

#include "base/log.h"
#include "base/text.h"
#include "cmd.h"
#include "flow/place.h"
#include "kernel/kernel.h"

static const char *tree;
static struct opt_list configs;
static uint64_t jobs, cache_max;
static bool json;

static const struct opt opts[] = {
	{ 't', "tree", OPT_TEXT, &tree, "DIR", "the git tree that revisions are of; else this folder's" },
	{ 'c', "config", OPT_LIST, &configs, "FILE", "base (file, tinyconfig, defconfig), then fragments; else tinyconfig and vm" },
	{ 'j', "jobs", OPT_COUNT, &jobs, "N", "compilers at a time; else one for each CPU" },
	{ 0, "cache-size", OPT_SIZE, &cache_max, "SIZE", "keep at most so much of built kernels (20G)" },
	{ 0, "json", OPT_FLAG, &json, NULL, "one JSON object for each kernel and line" },
	OPT_END
};

static json_t *text_or_null(const char *s)
{
	return s ? json_string(s) : json_null();
}

static void print_json(const char *name, const struct kernel *k)
{
	json_t *o = json_object();
	char *line;

	json_object_set_new(o, "kernel", json_string(name));
	json_object_set_new(o, "ready", json_boolean(!k->why));
	json_object_set_new(o, "release", text_or_null(k->release));
	json_object_set_new(o, "id", text_or_null(k->id));
	json_object_set_new(o, "image", text_or_null(k->image));
	json_object_set_new(o, "commit", text_or_null(k->commit));
	json_object_set_new(o, "config", text_or_null(k->config));
	json_object_set_new(o, "why", text_or_null(k->why));
	json_object_set_new(o, "log", text_or_null(k->log));
	line = json_dumps(o, JSON_COMPACT);
	puts(line ? line : "{}");
	free(line);
	json_decref(o);
}

static void print(const char *name, const struct kernel *k)
{
	if (json) {
		print_json(name, k);
		return;
	}
	if (k->why)
		printf("%s\tdoes not build\t%s\t%s\n", name, k->why, k->log ? k->log : "");
	else
		printf("%s\t%s\t%.12s\t%s\n", name, k->release, k->id, k->image);
}

/* 1 when it does not build. */
static int build(const char *name, const char *cache, struct err *e)
{
	struct kernel_source from = { .name = name, .cache = cache, .cache_max = cache_max,
				      .tree = tree, .configs = configs.v, .n_configs = configs.n,
				      .jobs = (unsigned int)jobs, .progress = log_progress };
	_kernel_ struct kernel k = KERNEL_NONE;
	int r = kernel_prepare(&k, &from, e);

	log_progress_end();
	if (r < 0)
		return r;
	print(name, &k);
	fflush(stdout);
	return r == KERNEL_NO_BUILD;
}

static int run(int argc, char **argv, struct err *e)
{
	_place_ struct place place = {};
	int failed = 0;

	if (!argc)
		return usage_err(e, "which kernel? (REVISION[+PATCH], FILE, or debian:PACKAGE)");
	if (place_find(&place, e) < 0)
		return -e->code;
	for (int i = 0; i < argc; i++) {
		int r = build(argv[i], place.cache, e);

		if (r < 0)
			return r;
		failed |= r;
	}
	return failed ? EXIT_UNTESTABLE : EXIT_SAME;
}

const struct cmd cmd_build = {
	.name = "build",
	.args = "KERNEL...",
	.help = "Get kernels ready to boot: build, download or unpack them",
	.opts = opts,
	.run = run,
};
