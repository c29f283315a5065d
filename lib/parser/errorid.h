/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Names for lines of trouble.  The same trouble must have the same name on each
 * machine and kernel, so numbers, addresses, versions and devices become '#' and
 * blanks '_'.  The names are LKP's, to the byte: histories of functional metrics
 * join by them.
 */
#pragma once

#include "base/text.h"

struct errorid;

struct errorid *errorid_new(void);
void errorid_free(struct errorid *x);

/* Of a line of a program's stderr. */
void errorid_plain(struct errorid *x, const char *line, struct text *id);

/*
 * Of a line of the kernel log, with or without level and time in front.  @pattern
 * is a shorter text that finds such lines again (with ".*" for what changes).
 */
void errorid_kernel(struct errorid *x, const char *line, struct text *id, struct text *pattern);

DEFINE_CLEANUP(struct errorid, errorid)
