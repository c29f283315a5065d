/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which CPU belongs to which node, as /sys/devices/system tells.  Numbers of
 * CPUs and nodes may have holes, and a node may be without CPUs or without
 * memory.  What is not told is one node with all CPUs, cores of one thread.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#define TOPOLOGY_CPUS	8192
#define TOPOLOGY_NODES	1024

struct topology_cpu {
	unsigned int id;
	unsigned int node;
	unsigned int smt;	/* 0: the first thread of its core */
};

struct topology_nodes {
	unsigned int id[TOPOLOGY_NODES];
	unsigned int n;
};

struct topology {
	struct topology_cpu cpu[TOPOLOGY_CPUS];		/* those that were asked for */
	unsigned int n;
	struct topology_nodes used;			/* have one of these CPUs, by id */
	struct topology_nodes online;
	struct topology_nodes memory;			/* those of them with memory */
};

/* Sets the bytes of @set that a list such as "0-3,8,10-11" names; false if it is none. */
bool topology_list(const char *s, char *set, size_t n);

/* @root stands before /sys, "" but in tests. @wanted: a byte for each CPU id. */
void topology_read(struct topology *t, const char *root, const char *wanted);

/* A node's CPUs after another's, in each of them cores before their second threads. */
void topology_compact(struct topology *t);

/* Of a compact one: a CPU of each node in turn. */
void topology_spread(struct topology *t);

/* Only the CPUs of the first @n nodes. */
void topology_keep(struct topology *t, unsigned int n);

bool topology_has_memory(const struct topology *t, unsigned int node);

/*
 * The node with memory that is farthest from @from by the firmware's distances,
 * another than @from in any case; @from if there is none.
 */
unsigned int topology_farthest(const struct topology *t, const char *root, unsigned int from);
