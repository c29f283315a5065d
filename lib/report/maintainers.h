/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Own reading of a kernel tree's MAINTAINERS, for trees where
 * scripts/get_maintainer.pl cannot be run.  Sections count as the kernel's
 * script counts them: F (globs; a trailing slash takes all that is below), X,
 * N (regular expressions on the path), S.  K, which looks into contents, is not
 * read.  The section that takes every file gives its lists but no people.
 */
#pragma once

#include "report/recipients.h"

/* Adds people (M, R) and lists (L) of all sections that have one of @files. */
void maintainers_add(const char *text, size_t n, const char *const *files, size_t n_files,
		     struct recipients *out);

/* Does a pattern of an F or X line take this path? */
bool maintainers_pattern(const char *pattern, const char *path);
