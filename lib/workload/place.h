/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where workers and their memory go, by parameters that every workload has:
 *
 *	cpus	"0-3,8": only these CPUs; default: those we may run on
 *	nodes	"2": use the CPUs and memory of so many nodes; fewer here is a skip
 *	place	none, compact (fill a node's CPUs, then the next), spread (a node each in turn)
 *	mem	default, local, interleave, remote (the farthest node), bind:K
 *
 * By raw system calls, so that static programs need no libnuma.  The numbering
 * of CPUs and nodes may have holes, nodes may be without CPUs or memory.
 */
#pragma once

#include <stddef.h>

#include "base/err.h"
#include "workload/workload.h"

extern const struct param place_params[];
extern const size_t place_n_params;

/* Reads the topology and checks the parameters against it. */
_must_check_ int place_open(struct err *e);

/* CPUs that may be used under the parameters. */
unsigned int place_n_cpus(void);

/*
 * Puts the calling task, worker @i, on its CPU and sets its memory policy.
 * With place=none and no cpus it stays where it is.
 */
_must_check_ int place_worker(unsigned int i, struct err *e);

/* Nodes with memory, and the number of the @k-th. */
unsigned int place_n_nodes(void);
unsigned int place_node(unsigned int k);

/* The node of a CPU; -1: none of ours. */
int place_node_of(int cpu);

/* The CPU that worker @i gets, or -1 if it is not bound. */
int place_cpu(unsigned int i);
