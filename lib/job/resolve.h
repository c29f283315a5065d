/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "job/arena.h"
#include "job/host.h"

/*
 * A value as the test is to see it on this machine: "50%" of the CPUs (of the
 * memory for kind "size") as a number, at least 1; for options by LKP's names
 * also "300s" as seconds and "32x" as 32. What says nothing else stays as it is.
 * Lives in @a or is @value itself. @kind is from the test's description or NULL; @host may be NULL.
 */
const char *value_resolve(struct arena *a, const char *key, const char *kind, const char *value,
			  const struct job_host *host);
