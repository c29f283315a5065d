/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Boots of kernels in QEMU, each with all jobs of a session: kernels made ready,
 * a machine started, the runs parsed and stored.  What a boot is for, and which
 * kernel comes next, is the caller's.
 */
#pragma once

#include "base/err.h"
#include "base/opt.h"
#include "flow/item.h"
#include "flow/place.h"
#include "kernel/kernel.h"
#include "store/store.h"
#include "target/qemu.h"

struct boot_opts {
	const char *const *file;	/* job files */
	size_t n_files;
	const struct opt_list *set;
	const char *tree;		/* git tree of revisions; NULL: "." */
	const char *const *configs;
	size_t n_configs;
	const char *mode;		/* kvm, tcg, tcg-icount; NULL: kvm if it works, else tcg */
	uint64_t cpus, sockets, nodes, memory;	/* memory in bytes */
	uint64_t timeout_secs;		/* of a run; 0: from the job */
};

struct boots {
	const struct place *place;
	const struct boot_opts *o;
	struct items items;		/* those that can run */
	struct store *store;
	struct qemu_vm vm;
	char *agent;
	unsigned int attempts;		/* boots that were started */
};

/* @b is to be released either way. 1: no job can run here. */
_must_check_ int boots_open(struct boots *b, const struct place *place,
			    const struct boot_opts *o, struct err *e);
void boots_release(struct boots *b);
#define _boots_ _cleanup_(boots_release)

/* An enum kernel_answer, or -errno. It is told what came of it. */
_must_check_ int boots_prepare(const struct boots *b, const char *name, struct kernel *k,
			       struct err *e);

/* Settles the mode, for which it may boot @k once, and opens the store. */
_must_check_ int boots_begin(struct boots *b, const struct kernel *k, struct err *e);

enum boot_end {
	BOOT_DONE,
	BOOT_LOST,	/* by the machinery: nothing that can be held against the kernel */
	BOOT_REFUSED,	/* the kernel did not boot, or went down */
};

/* One boot, its runs labelled @label. Returns a boot_end, or -errno; an end is told. */
_must_check_ int boots_one(struct boots *b, const struct kernel *k, const char *label,
			   struct err *e);
