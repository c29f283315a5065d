/* SPDX-License-Identifier: GPL-2.0-or-later */
/* dbench and tbench are one program with one last line. */
#pragma once

#include "parser/parse.h"

struct dbench {
	struct spread throughput, latency;
	double clients, procs;
};

int dbench_line(struct parse *p, char *line, struct err *e);
int dbench_end(struct parse *p, struct err *e);
void dbench_release(void *state);

#define DBENCH_PARSER								\
	.state_size = sizeof(struct dbench), .line = dbench_line, .end = dbench_end, \
	.release = dbench_release,						\
	.expects = "a line 'Throughput N MB/sec N clients N procs max_latency=N ms'"
