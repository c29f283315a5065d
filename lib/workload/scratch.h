/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Files that workloads work on, in the current folder, which is the run's own. */
#pragma once

#include <stdint.h>

#include "base/err.h"

/*
 * A file without a name, of @size bytes that are holes: nothing of it is left,
 * whatever ends the program.  The caller closes it.
 */
_must_check_ int scratch_file(uint64_t size, struct err *e);
