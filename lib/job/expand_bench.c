/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Time and memory of ten thousand jobs from one file, printed as figures:
 * four axes of ten values, an expression, needs and set-ups as real files have.
 */
#include <fcntl.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "base/clock.h"
#include "base/file.h"
#include "job/job.h"

static const char head[] =
	"suite: bench\ntestcase: touch\ncategory: benchmark\nneed_memory: 1G\n"
	"need_kconfig: [NUMA, {TRANSPARENT_HUGEPAGE: y}]\nruntime: 300s\n"
	"fs:\n  mount: /mnt\nthp:\n  enabled: always\nvmstat:\n  interval: 1\n";

static void put(const char *folder, const char *name, const char *text)
{
	_free_ char *path = path_join(folder, name), *in = path_folder(path);
	struct err e = {};

	if (dir_make(in, &e) < 0 || file_write(AT_FDCWD, path, text, strlen(text), &e) < 0 ||
	    chmod(path, 0755) < 0)
		abort();
}

static void job_put(const char *tree)
{
	_text_ struct text t = {};

	text_puts(&t, head);
	text_puts(&t, "touch:\n");
	for (int axis = 0; axis < 4; axis++) {
		text_printf(&t, "  axis_%c:\n", 'a' + axis);
		for (int i = 0; i < 10; i++)
			text_printf(&t, "    - value%d\n", i);
	}
	text_puts(&t, "  size: {{ touch.axis_a == 'value1' ? '1G' : '2G' }}\n");
	put(tree, "jobs/bench.yaml", text_str(&t));
}

int main(void)
{
	char tree[] = "/tmp/krobot-bench-XXXXXX";
	_free_ char *file = text_format("%s/jobs/bench.yaml", mkdtemp(tree));
	struct job_host host = { .nr_cpu = 2, .nr_node = 1, .memory = 24ULL << 30 };
	_job_roots_ struct job_roots roots = {};
	struct job_options o = { &roots, &host };
	_job_list_ struct job_list list = {};
	struct rusage before, after;
	struct err e = {};
	uint64_t from;
	int r;

	put(tree, "tests/touch", "#!/bin/sh\n# - axis_a\n# - axis_b\n# - axis_c\n# - axis_d\n"
				 "# - size\n# - runtime\n");
	put(tree, "setup/fs", "#!/bin/sh\n# - mount\n");
	put(tree, "setup/thp", "#!/bin/sh\n# - enabled\n");
	put(tree, "monitors/vmstat", "#!/bin/sh\n# - interval\n");
	job_put(tree);
	getrusage(RUSAGE_SELF, &before);
	from = clock_raw_ns();
	r = job_roots_open(&roots, tree, false, &e) < 0 || job_expand(file, &o, &list, &e) < 0;
	from = clock_raw_ns() - from;
	getrusage(RUSAGE_SELF, &after);
	if (r)
		fprintf(stderr, "%s\n", e.text);
	else
		printf("%zu jobs: %.3f s, %ld MB\n", list.n, (double)from / 1e9,
		       (after.ru_maxrss - before.ru_maxrss) >> 10);
	if (dir_remove(tree, &e) < 0)
		return 1;
	return r || list.n != 10000;
}
