/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A kernel's configuration: a base and fragments over it.
 *
 * The base is a target of the kernel's make ("tinyconfig", "defconfig") or a
 * .config file; a fragment is a file of lines as .config has them, or "vm", the one
 * built in (jobs/kernel/vm.config).  A later line wins.  "# optional" behind an
 * option: the kernel may not know it.
 */
#pragma once

#include "base/err.h"
#include "base/text.h"

struct config_line {
	char *name;		/* "CONFIG_X" */
	char *value;		/* "n" for "is not set" */
	bool optional;
};

struct config {
	char *base_target;	/* NULL: @base_text is used */
	struct text base_text;
	struct config_line *v;	/* of all fragments; each name once */
	size_t n;
};

/* With no names: tinyconfig and vm. */
_must_check_ int config_read(struct config *c, const char *const *names, size_t n,
			     struct err *e);

/* Adds the lines of a fragment. @name stands in errors. */
_must_check_ int config_parse(struct config *c, const char *text, size_t n, const char *name,
			      struct err *e);

/* Lines to append to a .config. */
void config_print(const struct config *c, struct text *out);

/* NULL when @result (a whole .config) has what was asked for, else what it has not. */
char *config_missing(const struct config *c, const char *result);

void config_release(struct config *c);
#define _config_ _cleanup_(config_release)
