/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What lies in a kernel's folder of the cache, and how it gets there. */
#pragma once

#include "base/record.h"
#include "kernel/kernel.h"

/*
 * Puts into @folder what is booted of the kernel image @image: the vmlinux inside
 * where an emulator can start that (it is twice as fast), else a copy; and from
 * @modules (a folder of module files, or NULL) those that a virtio port needs.
 * Adds "release", "image" and "module" to @info.
 */
_must_check_ int fill_boot(const char *folder, const char *image, const char *modules,
			   struct record *info, struct err *e);

/* Fills @k from the record of its entry. */
_must_check_ int fill_kernel(struct kernel *k, const struct record *info, struct err *e);
