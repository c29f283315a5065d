/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Workloads that are a loop: how many operations a second do tasks get done?
 *
 *	static int work(struct task *t, struct err *e)
 *	{
 *		task_loop(t)
 *			... one operation, its return value checked ...
 *		return 0;
 *	}
 *
 * rate_run() starts the tasks at a barrier, lets them warm up until the rate is
 * steady, then reads their counters in intervals.  The rate is what all tasks
 * did in the window over the window's time; rates of tasks are never summed up.
 * CPU time per operation stands beside it: it hardly moves when somebody else
 * takes the CPUs, the rate does.
 */
#pragma once

#include <math.h>

#include "workload/crew.h"
#include "workload/workload.h"

struct loop {
	const char *name;
	const char *about;	/* what one operation is */
	const char *kernel;	/* functions that it exercises */
	int (*open)(struct err *e);	/* once, before the tasks are; may be NULL */
	int (*setup)(struct task *t, struct err *e);
	int (*work)(struct task *t, struct err *e);
	void (*leave)(struct task *t);
	void (*put)(const struct crew *c);	/* prints further metrics; may be NULL */
	/* Minor faults of one operation: fewer makes the run invalid; 0: not checked. */
	double faults;
	bool paired;		/* needs an even number of tasks, 2 at least */
	bool opposed;		/* odd tasks only hinder the even ones: they are not counted */
	bool processes;		/* as processes only, ... */
	bool threads;		/* ... or as threads only */
};

extern struct rate_options {
	uint64_t runtime, nr_task, interval_ms, cpu_delay, alternate;
	double warmup;
	const char *mode;
} rate_options;

extern const char *const rate_modes[];

#define RATE_PARAMS								\
	{ "runtime", PARAM_TIME, &rate_options.runtime, "10",			\
	  "seconds that are measured; 0 is one interval", 0, 10000000 },	\
	{ "warmup", PARAM_NUMBER, &rate_options.warmup, "1",			\
	  "seconds at least before; longer, by a quarter of runtime at most, "	\
	  "until three intervals agree within 2 %" },				\
	{ "interval_ms", PARAM_COUNT, &rate_options.interval_ms, "250",		\
	  "between two readings of the counters", 5, 3600000 },			\
	{ "nr_task", PARAM_COUNT, &rate_options.nr_task, "0",			\
	  "tasks; 0 is one a CPU; 50% is of the CPUs", 0, CREW_TASKS_MAX },	\
	{ "mode", PARAM_CHOICE, &rate_options.mode, "process",			\
	  "what a task is", .choices = rate_modes },				\
	{ "cpu_delay", PARAM_COUNT, &rate_options.cpu_delay, "0",		\
	  "ns of CPU time spent in addition on each operation", 0, 1000000000 },\
	{ "alternate", PARAM_COUNT, &rate_options.alternate, "0",		\
	  "1: cpu_delay in every second interval only, and its effect is told", 0, 1 }

/* Told of the first nodes of a machine that has several. */
#define RATE_NODES	8
#define RATE_NODE(k)								\
	{ "node" #k "_ops_per_second", "1/s", "higher", false, true,		\
	  "operations of the tasks that ran on node " #k }

#define RATE_METRICS								\
	{ "ops_per_second", "1/s", "higher", true, false,			\
	  "operations that all tasks did in a second" },			\
	{ "cpu_ns_per_op", "ns", "lower", false, false,				\
	  "CPU time of one operation" },					\
	{ "ops_per_cpu_second", "1/s", "higher", false, false,			\
	  "operations in a second of CPU time" },				\
	{ "per_process_ops", "1/s", "higher", false, true,			\
	  "rate of one task, when tasks are processes" },			\
	{ "per_thread_ops", "1/s", "higher", false, true,			\
	  "rate of one task, when tasks are threads" },				\
	{ "median_task_ops", "1/s", "higher", false, false,			\
	  "rate of the middle task" },						\
	{ "task_spread%", "%", "lower", false, true,				\
	  "standard deviation of the tasks' rates over their mean" },		\
	{ "interval_spread%", "%", "lower", false, true,			\
	  "the same of the intervals; no error of the rate, they depend on each other" }, \
	{ "interval_ops", "1/s", "none", false, false, "the rate in each interval" }, \
	{ "workload", "1", "none", false, false, "operations in the window" },	\
	{ "cpu_share", "1", "none", false, false,				\
	  "CPU time over wall time of the tasks; below 1 they slept or others took CPUs" }, \
	{ "faults_per_op", "1", "none", false, false, "minor faults of one operation" }, \
	{ "involuntary_switches", "1/s", "none", false, false,			\
	  "times a second that a task was made to wait" },			\
	{ "steal_share", "1", "none", false, true,				\
	  "share of CPU time that the hypervisor kept" },			\
	{ "start_skew_us", "us", "none", false, false,				\
	  "between the first and the last task's start" },			\
	{ "warmup_secs", "s", "none", false, false, "until the window began" },	\
	RATE_NODE(0), RATE_NODE(1), RATE_NODE(2), RATE_NODE(3),			\
	RATE_NODE(4), RATE_NODE(5), RATE_NODE(6), RATE_NODE(7),			\
	{ "delay_effect", "1", "none", false, true,				\
	  "CPU time that cpu_delay added to an operation, over cpu_delay" }

/* Runs it and prints RATE_METRICS. */
_must_check_ int rate_run(const struct loop *l, struct err *e);

/* From a table whose names are the choices of a parameter; NULL: not there. */
const struct loop *loop_find(const struct loop *l, size_t n, const char *name);
