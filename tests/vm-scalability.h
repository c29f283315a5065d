/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The cases of vm-scalability, a row each, and what they share.
 */
#pragma once

#include "workload/crew.h"
#include "workload/workload.h"

#define PAGE	4096
#define WORD	8
#define WORDS_PER_PAGE (PAGE / WORD)

struct vm_case {
	const char *name;
	enum { WRITE, READ, COW } access;
	bool random;
	bool threads;		/* of one process; else a process each */
	bool whole;		/* each task goes over all of the unit, not its part */
	bool one_mapping;	/* that all tasks use */
	enum {
		ANON,
		HUGETLB,
		FILE_ONE,	/* one file that all tasks map */
		FILE_OWN,	/* a file for each task */
		SHM_ONE,	/* the same in memory (tmpfs) */
		SHM_OWN,
	} memory;
	/*
	 * Two phases that are timed apart; NULL: first touch, then accesses to
	 * pages that are there.  @n is the task's bytes at @p, file @fd if any.
	 */
	int (*first)(char *p, uint64_t n, int fd, struct err *e);
	int (*second)(char *p, uint64_t n, int fd, struct err *e);
	bool filled;		/* touched in the set-up, before the clock */
	bool unmapped;		/* works on the file alone */
	bool swap;		/* wants swap space */
};

extern const struct vm_case vm_cases[];
extern const size_t vm_n_cases;

/* What a task touches, and how. */
struct touch {
	const struct vm_case *vm;
	const struct task *task;	/* for its delay */
	char *p;
	uint64_t n_pages;
	uint64_t *seed;
};

/* Each page once: a word at random, or all of them in order. Answers accesses. */
uint64_t touch_first(const struct touch *t);

/* Accesses to pages that are there. Answers how many. */
uint64_t touch_again(const struct touch *t);

/* Phases in vm-scalability-move.c. */
int move_by_pages(char *p, uint64_t n, int fd, struct err *e);
int move_by_mbind(char *p, uint64_t n, int fd, struct err *e);
int move_process(char *p, uint64_t n, int fd, struct err *e);
int merge(char *p, uint64_t n, int fd, struct err *e);
int unmerge(char *p, uint64_t n, int fd, struct err *e);

/* LKP's parameters beyond those that every case needs. */
extern struct lkp_options {
	uint64_t sync_rw, sync_free, bind_cpu, repeat, pre_setup;
	const char *fs, *timed_wp;
} lkp_options;

#define LKP_PARAMS								\
	{ "sync_rw", PARAM_COUNT, &lkp_options.sync_rw, "0",			\
	  "1: tasks wait for each other before the first access; they always do", 0, 1 }, \
	{ "sync_free", PARAM_COUNT, &lkp_options.sync_free, "0",		\
	  "1: and before they unmap; they always do", 0, 1 },			\
	{ "bind_cpu", PARAM_COUNT, &lkp_options.bind_cpu, "0",			\
	  "task K on the CPU of rank K times this, of those that it may use; 0: anywhere", 0, 65536 }, \
	{ "repeat", PARAM_COUNT, &lkp_options.repeat, "1",			\
	  "only 1: rounds are repeated until runtime is over", 1, 1 },		\
	{ "fs", PARAM_TEXT, &lkp_options.fs, "",				\
	  "file system that the current folder must be on, for cases with files" }, \
	{ "pre_setup", PARAM_COUNT, &lkp_options.pre_setup, "1",		\
	  "0 and 1 alike: files are made in the current folder, on whatever it is", 0, 1 }, \
	{ "timed_wp", PARAM_TEXT, &lkp_options.timed_wp, "", "only empty: no case has it" }

/* Whether the case can be run so. */
_must_check_ int lkp_check(const struct vm_case *vm, struct err *e);

/* Binds the calling task, if bind_cpu says so. */
_must_check_ int lkp_bind(unsigned int task, struct err *e);
