/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A subcommand: one cmd_NAME.c, one row in main.c's table.  It turns argv
 * into a call on lib/flow and the result into text; it decides nothing.
 */
#pragma once

#include "base/err.h"
#include "base/opt.h"

/* Exit statuses, the same for every subcommand; `git bisect run` relies on them. */
enum {
	EXIT_SAME = 0,		/* done; nothing worse */
	EXIT_WORSE = 1,		/* done; a regression stands */
	EXIT_UNTESTABLE = 125,	/* this cannot be tested here */
	EXIT_TROUBLE = 128,	/* not done; stderr says why */
	EXIT_USAGE = 129,	/* the command line is wrong */
};

struct cmd {
	const char *name;
	const char *args;	/* what follows the name in the usage line */
	const char *help;	/* one line */
	const struct opt *opts;	/* one table for parsing, -h and the manual's check */
	/*
	 * @argc/@argv: what is left after the options. Returns an exit status, or
	 * -errno with @e filled: trouble. -EX_USAGE_ERR (see usage_err) is a usage error.
	 */
	int (*run)(int argc, char **argv, struct err *e);
};

/* Fills @e and returns the code that main() turns into EXIT_USAGE. */
int usage_err(struct err *e, const char *fmt, ...) _printf_(2, 3);

/* One line a command. */
extern const struct cmd cmd_bisect;
extern const struct cmd cmd_bisect_step;
extern const struct cmd cmd_expand;
extern const struct cmd cmd_qualify;
extern const struct cmd cmd_run;
extern const struct cmd cmd_compare;
extern const struct cmd cmd_test;
extern const struct cmd cmd_trend;
extern const struct cmd cmd_log;
extern const struct cmd cmd_show;
extern const struct cmd cmd_explain;
extern const struct cmd cmd_import;
extern const struct cmd cmd_parse;
extern const struct cmd cmd_doctor;
extern const struct cmd cmd_build;
