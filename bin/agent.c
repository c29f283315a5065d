/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * krobot-agent: what runs on the machine under test.  A plan goes in, a result
 * folder comes out (run/plan.h, run/result.h).  It is static and needs nothing
 * of the machine but a kernel, /proc and /sys.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "run/claim.h"
#include "run/guard.h"
#include "run/init.h"

#define EXIT_TROUBLE 128
#define EXIT_USAGE 129

static const char usage[] =
	"usage: krobot-agent run PLAN RESULT STATE\n"
	"       krobot-agent sweep STATE\n"
	"\n"
	"  run     runs the test that the file PLAN describes into the folder RESULT;\n"
	"          while it runs, a note of it lies below the folder STATE\n"
	"  sweep   cleans up after runs noted below STATE that were killed\n";

int main(int argc, char **argv)
{
	struct err e = {};
	int r;

	if (getpid() == 1 && !strcmp(argv[0], "/init"))
		init_main();
	if (argc == 5 && !strcmp(argv[1], "run")) {
		prctl(PR_SET_PDEATHSIG, SIGTERM);
		r = guard_run(argv[2], argv[3], argv[4], &e);
	} else if (argc == 3 && !strcmp(argv[1], "sweep")) {
		r = claim_sweep(argv[2], &e);
	} else {
		fputs(usage, stderr);
		return EXIT_USAGE;
	}
	if (r < 0)
		fprintf(stderr, "krobot-agent: %s\n", e.text);
	return r < 0 ? EXIT_TROUBLE : 0;
}
