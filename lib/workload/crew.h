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
#include <time.h>

#include "base/err.h"

#define CREW_TASKS_MAX	65536
#define CREW_NUMBERS	136

struct crew;

struct task {
	unsigned int id;
	struct crew *crew;
	void *data;			/* the workload's own */
	_Atomic uint64_t ops;		/* done so far; only the task writes it */
	uint64_t began_ns, ended_ns;	/* of work(), CLOCK_MONOTONIC_RAW */
	uint64_t cpu_ns;		/* CPU time of work() */
	uint64_t faults;		/* minor faults in work() */
	uint64_t switches;		/* involuntary context switches in work() */
	clockid_t cpu_clock;		/* its CPU time, as the caller can read it */
	const _Atomic bool *stop;
	const _Atomic uint64_t *delay_ns;
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
	void (*watch)(struct crew *c);	/* in a thread of the caller beside them; may be NULL */
	uint64_t until_ns;	/* the time is up then; 0: work() ends by itself */
	uint64_t run_ns;	/* how long; sets until_ns at the barrier */

	uint64_t delay_ns;	/* as if by crew_delay(), from the start */

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

/* For watch(): waits until the tasks work; false if they will not. */
bool crew_wait_begin(struct crew *c);

/* Sleeps for @ns, or less when the tasks have ended: false then. */
bool crew_sleep(struct crew *c, uint64_t ns);

/* For watch(): task_goes_on() is false from now on. */
void crew_stop(struct crew *c);

/* Each task_did() of one operation takes @ns longer, by a busy loop. */
void crew_delay(struct crew *c, uint64_t ns);

static inline bool task_goes_on(const struct task *t)
{
	return !atomic_load_explicit(t->stop, memory_order_relaxed);
}

/* Busy for @n times the delay, in CPU time. */
void task_delay(const struct task *t, uint64_t n);

/* Counts @n operations that are done: no locked instruction, no line that others write. */
static inline void task_did(struct task *t, uint64_t n)
{
	uint64_t ops = atomic_load_explicit(&t->ops, memory_order_relaxed);

	atomic_store_explicit(&t->ops, ops + n, memory_order_relaxed);
	if (__builtin_expect(atomic_load_explicit(t->delay_ns, memory_order_relaxed) != 0, 0))
		task_delay(t, n);
}

/* One operation more: @done in all. */
static inline void task_reached(struct task *t, uint64_t done)
{
	atomic_store_explicit(&t->ops, done, memory_order_relaxed);
	if (__builtin_expect(atomic_load_explicit(t->delay_ns, memory_order_relaxed) != 0, 0))
		task_delay(t, 1);
}

/*
 * The loop of a task whose round is one operation.  The count is in a register
 * and only written to the ledger: adding to it in memory would cost the time
 * that a store takes to reach the next load, more than a nanosecond.  It is made
 * once at least: a task that comes late to a short run must not have done nothing.
 */
#define task_loop(t) \
	for (uint64_t done_ = 0; !done_ || task_goes_on(t); task_reached((t), ++done_))

/*
 * Where the sequence of task @n starts, the same in each run.  States that are
 * near each other give sequences that avoid each other's numbers, so the tasks'
 * are thrown far apart (the last steps of splitmix64, Steele and others 2014).
 */
static inline uint64_t crew_seed(uint64_t n)
{
	n += 0x9e3779b97f4a7c15ULL;
	n = (n ^ n >> 30) * 0xbf58476d1ce4e5b9ULL;
	n = (n ^ n >> 27) * 0x94d049bb133111ebULL;
	return n ^ n >> 31;
}

/* Each task has a sequence of its own: begin @state with crew_seed(t->id). */
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
