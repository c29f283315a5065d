/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Kernels built from a git tree, the same from the same: user, host, date and
 * number that the kernel's build puts into the image are fixed, sources lie at a
 * path of their own, and the key of what is kept says all that went in (the
 * tree's hash, the configuration asked for, the compiler).
 *
 * One build folder serves all trees with the same configuration and compiler: a
 * neighbour's sources are laid over it, and make builds what that changes.
 *
 *	CACHE/build/KEY/lock		held by the one build that uses the folder
 *	CACHE/build/KEY/src obj		sources, and what make made of them
 *	CACHE/build/KEY/index		which files git put into src
 *	CACHE/kernels/KEY/		what came out (kernel/cache.h); log, why of a failure
 */
#pragma once

#include "base/err.h"
#include "kernel/kernel.h"

/* As kernel_prepare(), for "REVISION" and "REVISION+PATCH+PATCH". */
_must_check_ int build_prepare(struct kernel *k, const struct kernel_source *from,
			       struct err *e);
