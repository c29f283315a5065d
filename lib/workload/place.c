/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <linux/mempolicy.h>
#include <sched.h>
#include <string.h>
#include <sys/syscall.h>

#include "base/value.h"
#include "workload/place.h"
#include "workload/topology.h"

#define MAX_CPUS	TOPOLOGY_CPUS
#define MAX_NODES	TOPOLOGY_NODES

static const char *cpus_text, *place_text, *mem_text;
static uint64_t nodes_wanted;

static const char *const places[] = { "none", "compact", "spread", NULL };

const struct param place_params[] = {
	{ "cpus", PARAM_TEXT, &cpus_text, "", "only these CPUs, such as 0-3,8" },
	{ "nodes", PARAM_COUNT, &nodes_wanted, "0", "use so many NUMA nodes; 0 is all", 0, MAX_NODES },
	{ "place", PARAM_CHOICE, &place_text, "none", "where workers go", .choices = places },
	{ "mem", PARAM_TEXT, &mem_text, "default",
	  "memory policy: default, local, interleave, remote, bind:NODE" },
};
const size_t place_n_params = COUNT(place_params);

static struct topology topo;
static bool bound;

static int read_cpus(struct err *e)
{
	static char wanted[MAX_CPUS];
	unsigned long mask[MAX_CPUS / (8 * sizeof(long))] = {};
	long got = syscall(SYS_sched_getaffinity, 0, sizeof(mask), mask);

	if (got < 0)
		return err_sys(e, "sched_getaffinity");
	memset(wanted, !*cpus_text, sizeof(wanted));
	if (!topology_list(cpus_text, wanted, MAX_CPUS))
		return err_set(e, EINVAL, "cpus: '%s' is not a list of CPUs", cpus_text);
	for (unsigned int i = 0; i < MAX_CPUS; i++) {
		bool may = mask[i / (8 * sizeof(long))] >> (i % (8 * sizeof(long))) & 1;

		if (*cpus_text && wanted[i] && !may)
			return skip(e, "cpus: CPU %u is not to be had", i);
		wanted[i] = wanted[i] && may;
	}
	topology_read(&topo, "", wanted);
	return topo.n ? 0 : skip(e, "cpus: none of %s is to be had", cpus_text);
}

static bool mem_known(void)
{
	static const char *const words[] = { "default", "local", "interleave", "remote" };
	char *end;

	for (size_t i = 0; i < COUNT(words); i++)
		if (!strcmp(mem_text, words[i]))
			return true;
	if (strncmp(mem_text, "bind:", 5))
		return false;
	return strtoul(mem_text + 5, &end, 10) < MAX_NODES && end != mem_text + 5 && !*end;
}

/* Of "bind:K". */
static unsigned int node_to_bind(void)
{
	return (unsigned int)atoi(mem_text + 5);
}

int place_open(struct err *e)
{
	int r = read_cpus(e);

	if (r < 0)
		return r;
	if (nodes_wanted > topo.used.n)
		return skip(e, "nodes: %u asked for, this machine has %u with CPUs",
			    (unsigned int)nodes_wanted, topo.used.n);
	if (nodes_wanted)
		topology_keep(&topo, (unsigned int)nodes_wanted);
	if (!mem_known())
		return err_set(e, EINVAL, "mem: '%s' is no memory policy", mem_text);
	if (!strcmp(mem_text, "remote") && topo.memory.n < 2)
		return skip(e, "mem: remote needs two nodes with memory, this machine has %u",
			    topo.memory.n);
	if (!strncmp(mem_text, "bind:", 5) && !topology_has_memory(&topo, node_to_bind()))
		return skip(e, "mem: this machine has no node %s with memory", mem_text + 5);
	topology_compact(&topo);
	if (!strcmp(place_text, "spread"))
		topology_spread(&topo);
	bound = *cpus_text || nodes_wanted || strcmp(place_text, "none");
	return 0;
}

unsigned int place_n_cpus(void)
{
	return topo.n;
}

unsigned int place_n_nodes(void)
{
	return topo.memory.n;
}

unsigned int place_node(unsigned int k)
{
	return topo.memory.id[k];
}

int place_node_of(int cpu)
{
	for (unsigned int i = 0; i < topo.n; i++)
		if ((int)topo.cpu[i].id == cpu)
			return (int)topo.cpu[i].node;
	return -1;
}

int place_cpu(unsigned int i)
{
	return bound ? (int)topo.cpu[i % topo.n].id : -1;
}

static int set_policy(int mode, const unsigned int *node, unsigned int n, struct err *e)
{
	unsigned long mask[MAX_NODES / (8 * sizeof(long))] = {};

	for (unsigned int i = 0; i < n; i++)
		mask[node[i] / (8 * sizeof(long))] |= 1UL << (node[i] % (8 * sizeof(long)));
	if (syscall(SYS_set_mempolicy, mode, n ? mask : NULL, n ? MAX_NODES : 0) < 0) {
		if (errno == ENOSYS)
			return skip(e, "mem: this kernel has no NUMA");
		return err_sys(e, "mem: set_mempolicy");
	}
	return 0;
}

/* Over the memory of the nodes that are used, or of all if `nodes` does not limit them. */
static int interleave(struct err *e)
{
	unsigned int node[MAX_NODES], n = 0;

	for (unsigned int i = 0; i < topo.memory.n; i++) {
		bool used = !nodes_wanted;

		for (unsigned int k = 0; k < topo.used.n; k++)
			used |= topo.used.id[k] == topo.memory.id[i];
		if (used)
			node[n++] = topo.memory.id[i];
	}
	return n ? set_policy(MPOL_INTERLEAVE, node, n, e) :
		   skip(e, "mem: none of the nodes that are used has memory");
}

static int set_memory(unsigned int i, struct err *e)
{
	unsigned int own = topo.cpu[i % topo.n].node, node;

	if (!strcmp(mem_text, "default"))
		return 0;
	if (!strcmp(mem_text, "local"))
		return set_policy(MPOL_LOCAL, NULL, 0, e);
	if (!strcmp(mem_text, "interleave"))
		return interleave(e);
	node = !strcmp(mem_text, "remote") ? topology_farthest(&topo, "", own) : node_to_bind();
	return set_policy(MPOL_BIND, &node, 1, e);
}

int place_worker(unsigned int i, struct err *e)
{
	unsigned long mask[MAX_CPUS / (8 * sizeof(long))] = {};
	int cpu = place_cpu(i);

	if (cpu >= 0) {
		mask[(unsigned int)cpu / (8 * sizeof(long))] |=
			1UL << ((unsigned int)cpu % (8 * sizeof(long)));
		if (syscall(SYS_sched_setaffinity, 0, sizeof(mask), mask) < 0)
			return err_sys(e, "binding worker %u to CPU %d", i, cpu);
	}
	return set_memory(i, e);
}
