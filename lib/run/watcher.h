/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Monitors that are programs of the system (perf, vmstat ...), run beside the
 * test: started right before it, told to stop by SIGINT right after it.  What
 * they print is kept in monitors/NAME, their complaints in monitors/NAME.log.
 * What they use is not counted as the test's.
 */
#pragma once

#include <stdbool.h>
#include <sys/resource.h>

#include "base/err.h"
#include "base/record.h"
#include "run/plan.h"

struct watcher;

struct watchers {
	struct watcher *v;
	size_t n;
	struct rusage usage;	/* of those that have ended */
	struct record told;	/* monitor_unavailable NAME: why */
};

struct watchers_place {
	int dir;		/* the result folder */
	const char *result;	/* its absolute path */
	const char *cgroup;	/* NULL: none */
	uint64_t max;		/* bytes a monitor may write; then it is ended */
};

bool watcher_is_known(const char *name);

/*
 * Starts those monitors of the plan that are programs.  One that is not installed
 * here is told and left out.
 */
_must_check_ int watchers_start(struct watchers *w, const struct plan *p,
				const struct watchers_place *at, struct err *e);

/* A child has been reaped: true if it was one of these. */
bool watchers_reaped(struct watchers *w, pid_t pid, const struct rusage *usage);

/* Ends them, by force if five seconds are not enough. */
void watchers_stop(struct watchers *w);

/*
 * What is to be made of their output afterwards (perf report), a minute at most
 * for each.  No process of the test is left by then.
 */
_must_check_ int watchers_finish(struct watchers *w, const struct watchers_place *at,
				 struct err *e);

void watchers_release(struct watchers *w);
#define _watchers_ _cleanup_(watchers_release)
