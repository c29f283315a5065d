/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * An initramfs in the "newc" form of cpio, made in memory: no root, no disk
 * image.  The same calls give the same bytes: owners are root, times are 0,
 * inode numbers count up.  The format is the kernel's
 * Documentation/driver-api/early-userspace/buffer-format.rst.
 */
#pragma once

#include <sys/types.h>

#include "base/err.h"
#include "base/text.h"

struct initramfs {
	struct text bytes;
	unsigned int ino;
	char **folder;		/* that were made */
	size_t n_folders;
};

/*
 * Paths are absolute; folders above them are made as needed.  Asserts that the
 * path is a clean one ("/a/b": no "..", no "//").
 */
void initramfs_folder(struct initramfs *i, const char *path);
void initramfs_file(struct initramfs *i, const char *path, mode_t mode, const void *bytes,
		    size_t n);
void initramfs_link(struct initramfs *i, const char *path, const char *to);
void initramfs_device(struct initramfs *i, const char *path, mode_t mode, unsigned int major,
		      unsigned int minor);

/* A copy of @from, executable if that is. */
_must_check_ int initramfs_copy(struct initramfs *i, const char *path, const char *from,
				struct err *e);

/* Nothing may be added after it. */
void initramfs_end(struct initramfs *i);

void initramfs_release(struct initramfs *i);
#define _initramfs_ _cleanup_(initramfs_release)
