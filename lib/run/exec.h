/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Starting the test: its environment, its folder, its session.
 */
#pragma once

#include <sys/types.h>

#include "base/err.h"
#include "base/record.h"
#include "run/plan.h"

/* A program as it is started here, whatever it is for. */
struct exec_process {
	char *const *argv, *const *env;	/* argv[0] is a path; both end in NULL */
	const char *cwd;
	const char *cgroup;		/* NULL: none */
	int out, err;			/* become its stdout and stderr */
	uint64_t file_max;		/* bytes of any file that it writes; 0: no limit */
};

/*
 * Starts it in a session of its own with signals, umask and descriptors as a
 * login would give them, and stdin from /dev/null.  It is killed when the calling
 * process dies.
 */
_must_check_ int exec_spawn(const struct exec_process *p, pid_t *pid, struct err *e);

/* Where programs are looked for, and the PATH of the test. */
#define EXEC_PATH "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

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
 * one, but none replaces RESULT_ROOT.  An error means that the program could not
 * be started.
 */
_must_check_ int exec_start(struct exec *x, struct err *e);
