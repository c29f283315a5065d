/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sockets, cores, CPUs and memory nodes, from sysfs below a root descriptor;
 * where sysfs says nothing (old or odd kernels), from /proc/cpuinfo.
 *
 * Numbers may have holes.  A CPU that is offline has no package and no core.
 * A node may have no CPU (memory behind CXL), or several nodes may share a
 * package (sub-NUMA clusters).
 */
#pragma once

#include <stdint.h>

#include "run/cpulist.h"

#define TOPOLOGY_UNKNOWN (-1)

struct topology_cpu {
	unsigned int id;
	int package, core, node;	/* TOPOLOGY_UNKNOWN: not told */
};

struct topology_node {
	unsigned int id;
	struct cpulist cpus;
	uint64_t memory_kib;		/* 0: none, or not told */
	char *distances;		/* to each node in order: "10 21"; NULL: not told */
};

struct topology {
	struct cpulist present, online, isolated;
	struct topology_cpu *cpu;	/* of each present CPU, by id */
	size_t n_cpus;
	struct topology_node *node;	/* by id */
	size_t n_nodes;
	unsigned int cores;		/* of online CPUs; 0 if not told */
};

/* Never fails: what is not told is empty. */
void topology_read(struct topology *t, int root);

/* Distinct packages of online CPUs; 0 if not told. */
unsigned int topology_sockets(const struct topology *t);

void topology_release(struct topology *t);
#define _topology_ _cleanup_(topology_release)
