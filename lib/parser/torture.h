/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The kernel's torture modules (rcutorture, locktorture) say in the log when a
 * test of a type begins and how it ended; a test without an end is "unknown".
 */
#pragma once

#include "parser/parse.h"

struct torture {
	char type[80];		/* the test under way, "" if none */
	bool hotplug;		/* CPUs come and go meanwhile */
};

int torture_line(struct parse *p, char *line, struct err *e);
int torture_end(struct parse *p, struct err *e);

#define TORTURE_PARSER								\
	.state_size = sizeof(struct torture), .line = torture_line, .end = torture_end,	\
	.expects = "a line 'TYPE-torture:--- Start of test'"
