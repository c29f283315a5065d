/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Whole files and folders.  Paths in errors are as given.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"
#include "base/text.h"

/*
 * Appends the file's bytes to @out; more than @max is an error (EFBIG).
 * Works for /proc and /sys, whose sizes say nothing.
 * @dir is a folder's descriptor or AT_FDCWD.
 */
_must_check_ int file_read(int dir, const char *path, size_t max, struct text *out,
			   struct err *e);

/*
 * Writes @n bytes under a temporary name beside @path, fsyncs file and folder,
 * renames: readers see the old content or the new, also after a crash.
 */
_must_check_ int file_write(int dir, const char *path, const void *bytes, size_t n,
			    struct err *e);

/* mkdir -p; existing folders are fine. */
_must_check_ int dir_make(const char *path, struct err *e);

/* rm -r that follows no link and stays on one file system; absent is fine. */
_must_check_ int dir_remove(const char *path, struct err *e);

/* "a/b" from "a" and "b"; @b alone if it is absolute. Caller frees. */
char *path_join(const char *a, const char *b);

/* What follows the last slash; borrowed. */
const char *path_base(const char *path);

/* Everything before the last slash ("." if none, "/" for root). Caller frees. */
char *path_folder(const char *path);
