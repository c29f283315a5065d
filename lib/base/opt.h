/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Options as a table.  One row is the whole truth about an option: parsing,
 * --help, shell completion and the manual page are all made from it.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"

struct opt {
	char letter;		/* 0: long form only */
	const char *name;
	enum {
		OPT_FLAG,	/* bool * */
		OPT_TEXT,	/* const char **, borrowed from argv */
		OPT_COUNT,	/* uint64_t * */
		OPT_SIZE,	/* uint64_t *, bytes */
		OPT_TIME,	/* uint64_t *, seconds */
		OPT_LIST,	/* struct opt_list *, each time given adds one */
	} kind;
	void *value;		/* holds the default until given */
	const char *arg;	/* what --help calls the argument */
	const char *help;
};

#define OPT_END { 0 }

struct opt_list {
	const char *v[64];	/* borrowed from argv */
	size_t n;
};

/*
 * Fills the values; options and other arguments may come in any order (argv is
 * permuted), "--" ends the options.  Returns the index of the first argument
 * that is no option, or OPT_HELP after printing @usage and the table to stdout.
 */
#define OPT_HELP INT32_MAX
_must_check_ int opt_parse(int argc, char **argv, const struct opt *opts,
			   const char *usage, struct err *e);
