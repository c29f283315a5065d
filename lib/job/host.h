/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a job file may know of the machine it is for: "50%" is of its CPUs, an
 * expression may ask for `nr_node`. From this machine, or from a file of
 * "key: value" lines as LKP keeps them in hosts/.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"

#define JOB_HOST_EXTRA 64

struct job_host {
	char *name;		/* the file's name; "localhost" */
	uint64_t nr_cpu, nr_node;
	uint64_t memory;	/* bytes */
	char *memory_text;	/* as written in the file, or whole GiB: "24G" */
	char *arch;		/* "x86_64" */
	char *kernel;		/* release, "6.1.0-47-amd64"; NULL: unknown */
	bool virtual;		/* runs under a hypervisor */
	bool root;		/* tests run as root */
	char *kconfig;		/* text of the kernel's configuration; NULL: unknown */
	struct {
		char *key, *value;
	} extra[JOB_HOST_EXTRA];	/* further scalars of the file */
	size_t n_extra;
};

/* This machine, from /proc and /sys below @root ("" for the real ones). */
_must_check_ int job_host_here(struct job_host *h, const char *root, struct err *e);

_must_check_ int job_host_read(struct job_host *h, const char *path, struct err *e);

void job_host_release(struct job_host *h);
#define _job_host_ _cleanup_(job_host_release)
