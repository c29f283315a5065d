/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <assert.h>
#include <fcntl.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>

#include "base/file.h"
#include "job/job.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static char tree[] = "/tmp/krobot-fuzz-XXXXXX";

static void put(const char *name, const void *bytes, size_t n)
{
	_free_ char *path = path_join(tree, name), *in = path_folder(path);
	FILE *f;
	struct err e = {};

	if (dir_make(in, &e) < 0)
		abort();
	f = fopen(path, "w");
	if (!f || fwrite(bytes, 1, n, f) != n || fclose(f) || chmod(path, 0755))
		abort();
}

static void tree_remove(void)
{
	struct err e = {};

	if (dir_remove(tree, &e) < 0)
		fprintf(stderr, "%s\n", e.text);
}

static void tree_make(void)
{
	static const char touch[] = "#!/bin/sh\n# - size\n# - nr_task\n# - test\n# = mode\n";
	static const char more[] = "fs: xfs\n---\nsize: 2G\n";
	static const char benchmark[] = "vmstat:\n% if fs == 'xfs'\nneed_kconfig: X\n% end\n";

	if (!mkdtemp(tree))
		abort();
	atexit(tree_remove);
	put("tests/touch", touch, sizeof(touch) - 1);
	put("setup/fs", touch, 10);
	put("monitors/vmstat", touch, 10);
	put("jobs/more.yaml", more, sizeof(more) - 1);
	put("include/category/benchmark", benchmark, sizeof(benchmark) - 1);
}

/* Jobs, or an error with a place; each job can be printed and has an identity. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static bool made;
	struct job_host host = { .nr_cpu = 3, .nr_node = 1, .memory = 1ULL << 30 };
	_free_ char *file = NULL;
	_job_roots_ struct job_roots roots = {};
	struct job_options o = { &roots, &host };
	_job_list_ struct job_list list = {};
	struct err e = {};

	if (!made)
		tree_make();
	made = true;
	put("jobs/fuzz.yaml", data, size);
	file = path_join(tree, "jobs/fuzz.yaml");
	if (job_roots_open(&roots, tree, false, &e) < 0)
		abort();
	if (job_expand(file, &o, &list, &e) < 0) {
		assert(e.code && *e.text);
		return 0;
	}
	for (size_t i = 0; i < list.n && i < 100; i++) {
		_text_ struct text t = {};

		job_print_json(list.job[i], &t);
		assert(*list.job[i]->name && *list.job[i]->canonical == '{');
	}
	return 0;
}
