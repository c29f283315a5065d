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
