/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Whether a job can run on a machine, before anything is started. Pure: looks
 * at the job, the facts and the description of its test, at nothing else.
 */
#pragma once

#include "job/job.h"

struct needs_facts {
	const struct job_host *host;
	uint64_t memory_free;		/* bytes that can be had now; 0: unknown */
	uint64_t disk_free;		/* bytes in the working folder; 0: unknown */
	/* Whether a program is in PATH; NULL: not checked. */
	bool (*has_program)(const char *name, void *arg);
	void *arg;
};

enum needs_answer { NEEDS_MET, NEEDS_UNMET };

/*
 * NEEDS_UNMET puts the first reason into @reason: "needs 64G of memory, the
 * machine has 24G". @d may be NULL: the test has no description. A need that
 * cannot be judged (no kconfig at hand) counts as met.
 */
enum needs_answer job_needs_check(const struct job *job, const struct program_description *d,
				  const struct needs_facts *facts, struct text *reason);

/* Bytes that the job will use, from need_memory or the description; 0: unknown. */
uint64_t job_needs_memory(const struct job *job, const struct program_description *d,
			  const struct job_host *host);
