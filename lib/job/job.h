/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Job files: from what people write to jobs with every parameter fixed.
 *
 * A file is a tree of keys. Some keys name programs (a test, a set-up, a
 * monitor); a program declares the options it takes. A list under a declared
 * option is an axis, and each combination of the axes' values is one job.
 * jobs/README.md has the format.
 *
 * Everything in a struct job is owned by its list.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/text.h"
#include "job/host.h"
#include "job/program.h"

struct job_param {
	const char *key;
	const char *value;	/* as written ("50%", "512G"); NULL: the key has no value */
};

struct job_params {
	struct job_param *v;
	size_t n;
};

struct job_program {
	enum program_kind kind;
	const char *name;
	const char *path;	/* of its executable */
	const char *value;	/* for "name: value"; NULL if it holds a map or nothing */
	struct job_params params;	/* of the map below it, "a.b" for nested ones */
	bool by_default;	/* not in the job file: from an include of the category */
	unsigned line;		/* of its key */
};

/* What must be there; checked by job_needs_check() (needs.h). */
struct job_needs {
	const char *memory;	/* "64G", "50%"; NULL: no need */
	const char *disk;	/* free space of the working folder, a size */
	uint64_t cpus, nodes;	/* 0: no need */
	const char *kernel;	/* "v5.10", ">= v5.10" */
	bool physical;		/* no virtual machine */
	bool root;
	const char **kconfig;	/* "NAME", "NAME=y", "NAME=m", "NAME=n" */
	size_t n_kconfig;
	const char **programs;	/* other programs that must be in PATH */
	size_t n_programs;
};

struct job {
	const char *name;	/* FILE-VALUE-VALUE...: as LKP names atomic jobs, without .yaml */
	const char *test;	/* the program that measures: the prefix of its metrics */
	const char *canonical;	/* identity: JSON, keys sorted, one line */
	const char *file;	/* the job file */
	unsigned line;		/* where its document begins */

	struct job_program *program;	/* in the file's order */
	size_t n_programs;

	struct job_params params;	/* declared options with a value, sorted by key */
	struct job_params axes;		/* those of them that came from a list */
	struct job_params env;		/* for the test: plain names, percentages resolved */
	struct job_params all;		/* every value, "a.b.c" for nested keys, file's order */

	struct job_needs needs;
	const char *warmup;	/* "3", "until-stable 5% 60s"; NULL: the test decides */
	uint64_t runtime_secs;	/* what `runtime` says; 0: unknown */
	uint64_t deadline_secs;	/* `timeout`; 0: not given */
};

struct job_list {
	struct job **job;
	size_t n;
	void *own;		/* the memory of all jobs */
};

struct job_options {
	struct job_roots *roots;	/* where programs and includes are */
	const struct job_host *host;	/* percentages and expressions refer to it */
	const struct job_param *set;	/* override keys of all documents; "a.b" too */
	size_t n_set;
};

/*
 * Adds the jobs of the file at @path to @list in the order of its axes, the
 * first slowest. Errors read "FILE:LINE:COLUMN: what".
 */
_must_check_ int job_expand(const char *path, const struct job_options *opts,
			    struct job_list *list, struct err *e);

/* Value of @key in @job->all ("vm-scalability.test"), or NULL. */
const char *job_get(const struct job *job, const char *key);

/* Value of @key in @params, or NULL. */
const char *job_param_get(const struct job_params *params, const char *key);

/* The job as a JSON object on one line, for --json. */
void job_print_json(const struct job *job, struct text *out);

void job_list_release(struct job_list *list);
#define _job_list_ _cleanup_(job_list_release)
