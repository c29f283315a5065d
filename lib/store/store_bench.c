/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * usage: store_bench [FOLDER]
 * How long a million samples take to go in, and one job's samples of one metric
 * to come out of ten million. Figures on stdout; the file is removed.
 */
#include <stdio.h>

#include "base/clock.h"
#include "base/file.h"
#include "store/store.h"

#define METRICS 250	/* each with 4 samples in each run */
#define SERIES 4
#define JOBS 100

static struct store_sample samples[METRICS * SERIES];
static char metric_names[METRICS][32];

static int add_runs(struct store *s, int first, int n, struct err *e)
{
	for (int i = first; i < first + n; i++) {
		_free_ char *dir = text_format("/results/%d", i);
		_free_ char *job = text_format("t/n=%d", i % JOBS);
		struct store_run run = {
			.kernel.name = "6.1.0",
			.machine.name = "box",
			.boot.uuid = i % 2 ? "b-1" : "b-2",
			.job = { .test = "t", .name = job, .params = job },
			.dir = dir,
			.label = "x",
			.started_ns = i,
			.state = "ok",
			.sample = samples,
			.n_samples = COUNT(samples),
		};

		if (store_add_run(s, &run, NULL, e) < 0)
			return -e->code;
	}
	return 0;
}

static int read_job(struct store *s, double *ms, size_t *n, struct err *e)
{
	struct store_filter filter = { .job = "t/n=7" };
	_store_rows_ struct store_rows rows = {};
	uint64_t start = clock_mono_ns();

	if (store_samples(s, &filter, "metric-17", &rows, e) < 0)
		return -e->code;
	*ms = (double)(clock_mono_ns() - start) / 1e6;
	*n = 0;
	for (size_t i = 0; i < rows.n; i++)
		*n += rows.row[i].n;
	return 0;
}

static int measure(const char *path, struct err *e)
{
	_store_ struct store *s = NULL;
	uint64_t start;
	double ms, again;
	size_t n;

	if (store_open(&s, path, e) < 0)
		return -e->code;
	start = clock_mono_ns();
	if (add_runs(s, 0, 1000, e) < 0)
		return -e->code;
	printf("%8.2f s   a million samples in (1000 runs; wanted: under 3 s)\n",
	       (double)(clock_mono_ns() - start) / 1e9);
	if (add_runs(s, 1000, 9000, e) < 0)
		return -e->code;
	store_free(steal(s));
	if (store_open(&s, path, e) < 0 || read_job(s, &ms, &n, e) < 0 ||
	    read_job(s, &again, &n, e) < 0)
		return -e->code;
	printf("%8.2f ms  one job's %zu samples of a metric out of ten million, "
	       "file just opened (wanted: under 20 ms)\n%8.2f ms  the same again\n", ms, n, again);
	return 0;
}

int main(int argc, char **argv)
{
	_free_ char *dir = text_format("%s/krobot-bench-XXXXXX", argc > 1 ? argv[1] : "/var/tmp");
	_free_ char *path = NULL;
	struct err e;
	int ret;

	for (size_t i = 0; i < COUNT(samples); i++) {
		snprintf(metric_names[i % METRICS], sizeof(metric_names[0]), "metric-%zu",
			 i % METRICS);
		samples[i] = (struct store_sample){ metric_names[i % METRICS], .value = (double)i };
	}
	if (!mkdtemp(dir)) {
		perror(dir);
		return 1;
	}
	path = path_join(dir, "krobot.db");
	ret = measure(path, &e);
	if (ret < 0)
		fprintf(stderr, "store_bench: %s\n", e.text);
	if (dir_remove(dir, &e) < 0)
		fprintf(stderr, "store_bench: %s\n", e.text);
	return ret < 0;
}
