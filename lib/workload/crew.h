/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A crew: tasks (processes, or threads of one process) that set up, meet at a
 * barrier, work, and leave what they found where the caller reads it.
 *
 * The ledger is shared anonymous memory, a page a task, first touched by the
 * task itself after it was placed: local to its node, and no task's counter
 * shares a line with another's.
 */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"

#define CREW_TASKS_MAX	65536
#define CREW_NUMBERS	8

struct crew;

struct task {
	unsigned int id;
	struct crew *crew;
	void *data;			/* the workload's own */
	_Atomic uint64_t ops;		/* done so far; only the task writes it */
	uint64_t began_ns, ended_ns;	/* of work(), CLOCK_MONOTONIC_RAW */
	uint64_t cpu_ns;		/* CPU time of work() */
	uint64_t faults;		/* minor faults in work() */
	int ran_on;			/* CPU at the end */
	double number[CREW_NUMBERS];	/* for the workload to fill */
	int code;			/* error, with its text */
	char text[200];
};

struct crew {
	unsigned int n;
	bool threads;		/* of this process, else a process each ... */
	bool child;		/* ... or threads of one process that is forked for them */
	int (*setup)(struct task *t, struct err *e);	/* before the barrier; may be NULL */
	int (*work)(struct task *t, struct err *e);	/* after it */
	void (*leave)(struct task *t);			/* when all have worked; may be NULL */
	uint64_t until_ns;	/* the time is up then; 0: work() ends by itself */
	uint64_t run_ns;	/* how long; sets until_ns at the barrier */

	struct task **task;	/* made by crew_run(); the caller reads it afterwards */
	void *shared;
};

/*
 * Runs all tasks to their end and returns the first error of one.
 * Processes die with the caller.
 */
_must_check_ int crew_run(struct crew *c, struct err *e);
void crew_release(struct crew *c);
#define _crew_ _cleanup_(crew_release)

/* Inside work(): waits until all tasks are here.  The same number of times in each. */
void crew_meet(const struct task *t);

/* Whether the time is up; call it every few microseconds of work, not more often. */
bool crew_time_is_up(const struct task *t);

/* Each task has a sequence of its own, the same in each run. State: any number. */
static inline uint64_t crew_random(uint64_t *state)
{
	/* wyrand (Wang Yi, 2019): one multiplication, under a nanosecond. */
	__uint128_t m;

	*state += 0xa0761d6478bd642fULL;
	m = (__uint128_t)*state * (*state ^ 0xe7037ed1a0b428dbULL);
	return (uint64_t)(m >> 64) ^ (uint64_t)m;
}

/* Below @n, without division (Lemire 2019; the bias is under n / 2^64). */
static inline uint64_t crew_below(uint64_t *state, uint64_t n)
{
	return (uint64_t)((__uint128_t)crew_random(state) * n >> 64);
}
