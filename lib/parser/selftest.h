/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The tests that a kernel makes of itself while it boots. */
#pragma once

#include "parser/verdict.h"

struct selftest {
	struct verdicts seen;
	bool with_tracer;	/* the event tests run again under the function tracer */
	bool over;		/* the boot is done */
};

/* True if the line was a result. */
bool selftest_line(struct parse *p, struct selftest *t, const char *line);
void selftest_release(struct selftest *t);
