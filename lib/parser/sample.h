/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a sampler of /proc and /sys files writes: each sample begins with a line
 * "time: SECONDS", then come the bytes of the file.  Where a sample has several
 * files (one a NUMA node), a line with the file's path stands before each.
 */
#pragma once

#include "parser/parse.h"

/* Takes a "time: N" line; false if it is another. */
bool sample_time(struct parse *p, const char *line);

/*
 * Takes a line that names a node and nothing else ("/sys/.../node3/vmstat",
 * "node3", "Node 3:"); false if it is another.
 */
bool sample_node(const char *line, unsigned int *node);

/* "NAME VALUE", the line of most of these files. */
bool sample_pair(const char *line, struct span *name, struct span *value);
