/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Helper programs (git, a parser, get_maintainer.pl): arguments as a vector,
 * never through a shell, output and time bounded.  The programs under test are
 * not run from here but by the agent (lib/run).
 */
#pragma once

#include <stdint.h>

#include "base/err.h"
#include "base/text.h"

struct proc {
	const char *const *argv;	/* argv[0] is looked up in PATH; ends in NULL */
	const char *cwd;		/* NULL: ours */
	const char *const *env;		/* NULL: ours, with LC_ALL=C */
	const void *in;			/* bytes for its stdin; NULL: /dev/null */
	size_t in_len;
	int in_fd;			/* if > 0 and no @in: its stdin */
	int out_fd;			/* if > 0: its stdout, else kept in @out */
	uint64_t timeout_ns;		/* 0: 60 s. On time-out it and its group are killed */
	size_t out_max;			/* 0: 64 MiB; more is an error (EFBIG) */

	/* Results */
	struct text out;		/* stdout */
	struct text errs;		/* stderr, the last 8 KiB */
	int status;			/* exit status, 128 + N for signal N */
};

/*
 * Runs it to its end.  0 when it ran, whatever its status; -errno when it could
 * not be started, took too long (ETIMEDOUT) or printed too much.
 */
_must_check_ int proc_run(struct proc *p, struct err *e);

/* As proc_run(), but a status other than 0 is an error with its last words. */
_must_check_ int proc_ok(struct proc *p, struct err *e);

void proc_release(struct proc *p);
#define _proc_ _cleanup_(proc_release)

#define ARGV(...) ((const char *const[]){ __VA_ARGS__, NULL })
