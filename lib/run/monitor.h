/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The built-in monitors: files of /proc and /sys, read again and again while
 * the test runs, and kept as they are.  All of them live in the agent's own loop
 * with one timer.  A sample is taken right before the test starts and right
 * after it has ended, so that a counter's growth is that of the run.
 *
 *	monitors/NAME:	time: SECONDS.NANOSECONDS	wall clock
 *			/path/of/the/file		where a monitor has several
 *			the file's text
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/record.h"
#include "run/plan.h"

struct monitor;

struct monitors {
	struct monitor *v;
	size_t n;
	int root;		/* "/", or a tree that stands in for it; borrowed */
	int timer;		/* readable when a sample is due; -1: there are no monitors */
	uint64_t max;		/* bytes a monitor may keep */
	uint64_t cpu_ns;	/* of this thread, for all that monitors did */
	struct record told;	/* monitor_unavailable NAME, monitor_cut NAME */
};

#define MONITORS_NONE { .root = -1, .timer = -1 }

/* Also one that is a program (run/watcher.h). LKP's names mean the same. */
bool monitor_is_known(const char *name);

/*
 * Makes the files below @dir/monitors.  What this machine has no files for is
 * told and left out, and so is an unknown name.  Programs are passed over.
 */
_must_check_ int monitors_open(struct monitors *m, const struct plan *p, int root, int dir,
			       struct err *e);

/* The first samples; the timer runs from here on. */
_must_check_ int monitors_begin(struct monitors *m, struct err *e);

/* What is due. To be called when the timer is readable; harmless at other times. */
_must_check_ int monitors_take(struct monitors *m, struct err *e);

/* The last samples. The files are on disk then. */
_must_check_ int monitors_end(struct monitors *m, struct err *e);

void monitors_release(struct monitors *m);
#define _monitors_ _cleanup_(monitors_release)
