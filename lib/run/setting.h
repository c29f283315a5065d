/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One setting of the machine: which file holds it, how it is written there and
 * how it reads back.  Paths are relative to a root descriptor.
 */
#pragma once

#include <stdbool.h>

#include "base/err.h"

enum setting_form {
	SETTING_PLAIN,		/* as written */
	SETTING_SWITCH,		/* on, off, yes, no, true, false, 1, 0: written as 1, 0 */
	SETTING_INVERTED,	/* the same, written as 0, 1 */
};

struct setting {
	char *path;
	enum setting_form form;
	/*
	 * Two files for one thing (dirty_ratio, dirty_bytes): writing one makes
	 * the other 0, and 0 cannot be written.  NULL: none.
	 */
	char *partner;
};

/*
 * Whether a job's key ("cpufreq_governor", "transparent_hugepage.thp_enabled") is
 * a setting of the machine, also where this machine does not have it.
 */
bool setting_is_known(const char *key);

/*
 * The files that @key means on this machine: how many, 0 if the machine has no
 * such thing, EINVAL if nothing is known by that name.  The vector is freed by
 * the caller, each element released.
 */
_must_check_ int setting_find(int root, const char *key, struct setting **out, struct err *e);

/* What to write for a value as people write it. Caller frees. */
char *setting_value(const struct setting *s, const char *value);

/*
 * The file to be written to get the present state back, and what into it.
 * Caller frees both.
 */
_must_check_ int setting_read_active(int root, const struct setting *s, char **path,
				     char **value, struct err *e);

/*
 * Writes, unless it is so already, and reads back.  Files that show choices
 * ("always [never]") read as the chosen one; blanks of any kind and number are
 * equal.  EIO when it reads back otherwise.
 */
_must_check_ int setting_write(int root, const char *path, const char *value, struct err *e);

/* Below sys/ or proc/sys/, and not out of it again; or the name of a swap area. */
bool setting_path_is_safe(const char *path, size_t n);

void setting_release(struct setting *s);
