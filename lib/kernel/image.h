/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Kernel images for x86-64: the compressed bzImage that distributions install,
 * and vmlinux, the ELF file inside.  Layout of the former: the kernel's
 * Documentation/arch/x86/boot.rst.
 */
#pragma once

#include "base/err.h"
#include "base/text.h"

#define IMAGE_MAX_BYTES (1U << 30)

/*
 * The release that the kernel will show as `uname -r`; caller frees.
 * Errors: EINVAL when it is no kernel image.
 */
_must_check_ int image_release(const void *p, size_t n, char **release, struct err *e);

/*
 * The vmlinux inside a bzImage.  0 when @out has it; 1 when there is none to be
 * had (it is a vmlinux already, or is compressed in an unknown way).
 */
_must_check_ int image_extract(const void *p, size_t n, struct text *out, struct err *e);

/* A vmlinux that an emulator can start directly, by its PVH entry. */
bool image_is_pvh(const void *p, size_t n);
