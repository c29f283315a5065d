/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Debian's packages of kernel images: got and unpacked, never installed. */
#pragma once

#include "base/err.h"
#include "base/record.h"

/*
 * Path of the package's file below @cache, downloaded if it is not there yet; caller
 * frees.  The name of a meta-package stands for the image it depends on.
 * Errors: ENOENT when there is no such package; EIO when it cannot be got.
 */
_must_check_ int package_get(const char *cache, const char *name, char **path, struct err *e);

/* Fills a kernel's folder (kernel/fill.h) from the package's file @deb. */
_must_check_ int package_fill(const char *folder, const char *deb, struct record *info,
			      struct err *e);
