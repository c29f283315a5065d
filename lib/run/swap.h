/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Swap areas as settings.  They are set by system calls, not through files, and
 * so only on this machine itself; below another root there are none.
 * An area's name is "swap:PRIORITY:PATH", which is all that is needed to take
 * it into use again.  Its value is 1 or 0.
 */
#pragma once

#include <stdbool.h>

#include "base/err.h"
#include "base/text.h"

bool swap_is_name(const char *name);

/* Appends the names of all areas in use, one a line. */
void swap_list(int root, struct text *names);

bool swap_is_on(int root, const char *name);

/* An area that is as wanted already is left as it is. */
_must_check_ int swap_set(int root, const char *name, bool on, struct err *e);
