/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Files of /proc and /sys below a root descriptor ("/", or a recorded tree).  For
 * these, not being there is an answer like any other.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/text.h"

/* Appends the text; false, and nothing appended, where it cannot be read. */
bool sysfile_read(int root, const char *path, struct text *out);

/* The number at the file's beginning, if it is none below 0; else -1. */
int64_t sysfile_number(int root, const char *path);

/*
 * Calls @fn with the path of each readable file that @pattern means, in the order
 * of their numbers.  A * stands for the digits at the end of one folder's name:
 * "a/cpu*" followed by "/b" is a/cpu0/b, a/cpu1/b ...  A pattern without * is the
 * file itself.
 */
void sysfile_each(int root, const char *pattern, void (*fn)(const char *path, void *arg),
		  void *arg);
