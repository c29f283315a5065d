/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where allocations came from: the numastat files of the nodes, or the table of the
 * program numastat ("              node0    node1", "numa_hit   12   13").
 */
#pragma once

#include "parser/sample.h"

#define NUMASTAT_NODES_MAX 256

struct numastat {
	unsigned int column[NUMASTAT_NODES_MAX];	/* the nodes of the table */
	size_t n;					/* 0: files */
	unsigned int node;
	bool any;
};

int numastat_line(struct parse *p, char *line, struct err *e);

#define NUMASTAT_PARSER								\
	.state_size = sizeof(struct numastat), .line = numastat_line, .series = true, \
	.strict = true,								\
	.expects = "the path of a node's numastat and lines 'NAME NUMBER'"
