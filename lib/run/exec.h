/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Starting the test: its environment, its folder, its session.
 */
#pragma once

#include <sys/types.h>

#include "base/err.h"
#include "base/record.h"
#include "run/plan.h"

struct exec {
	const struct plan *plan;
	const char *work;		/* its cwd; also TMP */
	const char *result;		/* RESULT_ROOT */
	const char *cgroup;		/* NULL: none */
	const struct record *facts;	/* nr_cpu, nr_node, memory are taken from there */

	/* Results */
	pid_t pid;
	int out, err;			/* the ends of its stdout and stderr to read from */
};

/*
 * The environment is PATH HOME LANG=C LC_ALL=C TMP RESULT_ROOT nr_cpu nr_node
 * memory, then the plan's env, then its params; a later one replaces an earlier
 * one, but none replaces RESULT_ROOT.  Stdin is /dev/null.  The test is killed
 * when the calling process dies.  An error means that the program could not be
 * started.
 */
_must_check_ int exec_start(struct exec *x, struct err *e);
