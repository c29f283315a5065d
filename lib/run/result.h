/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The result folder: what an agent leaves of one run.  The exit record is
 * written last, in one step, after everything else has reached the disk.  So a
 * folder with `exit` is whole, and one without is a run that never ended.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"

#define RESULT_PLAN	"plan"		/* record: as given */
#define RESULT_FACTS	"facts"		/* record: machine.*, boot.*, env.* (run/facts.h) */
#define RESULT_JOURNAL	"journal"	/* record, appended to: began NS, ended NS (wall clock) */
#define RESULT_STDOUT	"stdout"	/* raw */
#define RESULT_STDERR	"stderr"	/* raw */
#define RESULT_KMSG	"kmsg"		/* "[SECONDS.MICROSECONDS] text", as dmesg prints */
#define RESULT_TROUBLE	"trouble"	/* record: KIND TEXT, what the kernel complained of */
#define RESULT_SETUP	"setup"		/* record: what was set for the run, and what could not be */
#define RESULT_MONITORS	"monitors"	/* folder: one raw file a monitor; NAME.log: its complaints */
#define RESULT_EXIT	"exit"		/* record: struct result_exit */
#define RESULT_WORK	"work"		/* the test's cwd; gone when the run has ended */

enum run_state {
	RUN_OK,
	RUN_SKIPPED,	/* status 77: it says that it cannot run here */
	RUN_FAILED,	/* another status, a signal, or it could not be started */
	RUN_TIMEOUT,	/* the deadline passed */
	RUN_INVALID,	/* its own checks say that its numbers mean nothing */
	RUN_LOST,	/* never written: there is no exit record */
	RUN_STATES
};

/* "ok", "skipped" ... */
const char *run_state_name(enum run_state s);

/* RUN_STATES if @name is none of them. */
enum run_state run_state_parse(const char *name);

/* In numbers below: not known, which is not 0. Absent from the record. */
#define RESULT_ABSENT UINT64_MAX

struct result_exit {
	enum run_state state;
	char *reason;			/* one line; NULL when ok */
	uint64_t status;		/* of exit(); absent if a signal ended it */
	uint64_t signal;		/* that ended it; absent if it ended by itself */
	uint64_t wall_ns;		/* from before its start to its end, raw clock */
	/* The next eight are of the whole tree of processes. */
	uint64_t user_ns, sys_ns;
	uint64_t max_rss_kib;		/* of the largest process */
	uint64_t minor_faults, major_faults;
	uint64_t voluntary_switches, involuntary_switches;
	uint64_t leftovers;		/* processes still there at its end; killed */
	uint64_t stdout_bytes, stderr_bytes;	/* as kept */
	uint64_t steal_ns;		/* over all CPUs, taken by the hypervisor */
	uint64_t busy_khz;		/* mean clock while not idle (APERF/MPERF or cpufreq) */
	uint64_t monitor_cpu_ns;	/* what the built-in monitors cost */
};

/* RUN_LOST, numbers absent. */
void result_exit_init(struct result_exit *x);

/* @dir: the result folder's descriptor. Asserts that the state is not RUN_LOST. */
_must_check_ int result_exit_write(const struct result_exit *x, int dir, struct err *e);

/*
 * No exit record is an answer: 0 with RUN_LOST.  A broken one is an error.
 * @x is to be released either way.
 */
_must_check_ int result_exit_read(struct result_exit *x, int dir, struct err *e);

/* There is an exit record below @path (a result folder). */
bool result_is_complete(const char *path);

void result_exit_release(struct result_exit *x);
#define _result_exit_ _cleanup_(result_exit_release)
