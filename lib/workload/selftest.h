/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the frame itself costs, for `NAME --selftest`. */
#pragma once

#include "base/err.h"

/* Prints frame_ns_per_op, random_ns and clock_ns: the best of several batches, CPU time. */
_must_check_ int selftest_run(struct err *e);
