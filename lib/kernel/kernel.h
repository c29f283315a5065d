/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Kernels, ready to boot.  A kernel is named by one of
 *
 *	debian:PACKAGE		got with `apt-get download`, unpacked, not installed;
 *				the name of a meta-package gives the current image
 *	FILE.deb		the same, from a file
 *	FILE			a bzImage or vmlinux
 *	REVISION		a commit of a git tree; built (kernel/build.h)
 *	REVISION+FILE.patch	with patches on top, as `git apply` takes them
 *
 *	_kernel_ struct kernel k = KERNEL_NONE;
 *	struct kernel_source from = { .name = "debian:linux-image-cloud-amd64",
 *				      .cache = place.cache };
 *
 *	switch (kernel_prepare(&k, &from, &e)) {
 *	case KERNEL_READY:	boot k.image with k.modules; expect k.release
 *	case KERNEL_NO_BUILD:	tell k.why; k.log has the whole
 *	default:		e
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "kernel/cache.h"

enum kernel_answer {
	KERNEL_READY,
	KERNEL_NO_BUILD,	/* it does not compile, or a patch does not apply */
};

struct kernel_source {
	const char *name;
	const char *cache;		/* krobot's cache folder */
	uint64_t cache_max;		/* bytes for kernels; 0: 20 GiB */
	/* The rest is for revisions. */
	const char *tree;		/* folder of a git tree; NULL: "." */
	const char *const *configs;	/* a base, then fragments (kernel/config.h) */
	size_t n_configs;
	unsigned int jobs;		/* 0: one for each CPU online */
	void (*progress)(const char *what, unsigned int k, unsigned int n);	/* may be NULL */
};

struct kernel {
	char *id;		/* 40 hex digits: the same kernel, build for build */
	char *release;		/* what `uname -r` is to say */
	char *image;		/* to boot: absolute path */
	char **module;		/* files to load before a virtio port is there, in order */
	size_t n_modules;
	char *why, *log;	/* of a build that failed: its first error, a file's path */
	char *commit, *tree_hash, *config, *compiler;	/* of a build, else NULL; config: path */
	struct cache_entry entry;	/* holds the files while this struct lives */
};

#define KERNEL_NONE { .entry = CACHE_ENTRY_NONE }

/*
 * An enum kernel_answer, or -errno: trouble (no such name, no network, disk full).
 * @k is to be released in any case.
 */
_must_check_ int kernel_prepare(struct kernel *k, const struct kernel_source *from,
				struct err *e);

void kernel_release(struct kernel *k);
#define _kernel_ _cleanup_(kernel_release)
