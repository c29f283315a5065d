/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <limits.h>
#include <linux/mempolicy.h>
#include <sched.h>
#include <stdarg.h>
#include <string.h>
#include <sys/syscall.h>

#include "base/value.h"
#include "workload/place.h"

#define MAX_CPUS	8192
#define MAX_NODES	1024

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

struct cpu {
	unsigned int id;
	unsigned int node;
	unsigned int smt;	/* 0: the first thread of its core */
};

static struct {
	struct cpu cpu[MAX_CPUS];
	unsigned int n;
	unsigned int node[MAX_NODES];	/* ids of nodes in use */
	unsigned int n_nodes;
	bool bind;
} topo;

/* Calls @each for every number of a list such as "0-3,8,10-11"; false if it is none. */
static bool list_each(const char *s, unsigned int max, void (*each)(unsigned int, void *), void *arg)
{
	while (*s && *s != '\n') {
		char *end;
		unsigned long from = strtoul(s, &end, 10), to = from;

		if (end == s)
			return false;
		if (*end == '-') {
			s = end + 1;
			to = strtoul(s, &end, 10);
			if (end == s)
				return false;
		}
		if (to < from || to >= max)
			return false;
		for (; from <= to; from++)
			each((unsigned int)from, arg);
		s = *end == ',' ? end + 1 : end;
		if (*end && *end != ',' && *end != '\n')
			return false;
	}
	return true;
}

static bool read_line(char *buf, size_t n, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
static bool read_line(char *buf, size_t n, const char *fmt, ...)
{
	char path[160];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(path, sizeof(path), fmt, ap);
	va_end(ap);
	_fclose_ FILE *f = fopen(path, "re");

	return f && fgets(buf, (int)n, f);
}

static void set_bit(unsigned int i, void *set)
{
	((char *)set)[i] = 1;
}

static void mark_node(unsigned int cpu, void *node)
{
	for (unsigned int i = 0; i < topo.n; i++)
		if (topo.cpu[i].id == cpu)
			topo.cpu[i].node = *(unsigned int *)node;
}

static unsigned int smt_rank(unsigned int cpu)
{
	static char in[MAX_CPUS];
	char line[4096];
	unsigned int rank = 0;

	memset(in, 0, sizeof(in));
	if (!read_line(line, sizeof(line),
		       "/sys/devices/system/cpu/cpu%u/topology/thread_siblings_list", cpu) ||
	    !list_each(line, MAX_CPUS, set_bit, in))
		return 0;
	for (unsigned int i = 0; i < cpu; i++)
		rank += in[i];
	return rank;
}

static int by_compact(const void *a, const void *b)
{
	const struct cpu *x = a, *y = b;

	if (x->node != y->node)
		return x->node < y->node ? -1 : 1;
	if (x->smt != y->smt)
		return x->smt < y->smt ? -1 : 1;
	return x->id < y->id ? -1 : x->id > y->id;
}

/* One CPU of each node in turn, cores before their second threads. */
static void sort_spread(void)
{
	static struct cpu out[MAX_CPUS];
	static bool used[MAX_CPUS];
	unsigned int n = 0;

	memset(used, 0, sizeof(used));
	while (n < topo.n) {
		for (unsigned int k = 0; k < topo.n_nodes; k++) {
			for (unsigned int i = 0; i < topo.n; i++) {
				if (used[i] || topo.cpu[i].node != topo.node[k])
					continue;
				used[i] = true;
				out[n++] = topo.cpu[i];
				break;
			}
		}
	}
	memcpy(topo.cpu, out, n * sizeof(out[0]));
}

static void read_nodes(void)
{
	static char online[MAX_NODES];
	char line[4096];

	memset(online, 0, sizeof(online));
	if (!read_line(line, sizeof(line), "/sys/devices/system/node/online") ||
	    !list_each(line, MAX_NODES, set_bit, online))
		online[0] = 1;
	for (unsigned int n = 0; n < MAX_NODES; n++)
		if (online[n] && read_line(line, sizeof(line),
					   "/sys/devices/system/node/node%u/cpulist", n))
			list_each(line, MAX_CPUS, mark_node, &n);
	/* Nodes that have a CPU of ours, in the order of their ids. */
	for (unsigned int n = 0; n < MAX_NODES; n++) {
		for (unsigned int i = 0; i < topo.n; i++) {
			if (topo.cpu[i].node == n) {
				topo.node[topo.n_nodes++] = n;
				break;
			}
		}
	}
}

static int read_cpus(struct err *e)
{
	static char wanted[MAX_CPUS];
	unsigned long mask[MAX_CPUS / (8 * sizeof(long))] = {};
	long got = syscall(SYS_sched_getaffinity, 0, sizeof(mask), mask);

	if (got < 0)
		return err_sys(e, "sched_getaffinity");
	memset(wanted, !*cpus_text, sizeof(wanted));
	if (!list_each(cpus_text, MAX_CPUS, set_bit, wanted))
		return err_set(e, EINVAL, "cpus: '%s' is not a list of CPUs", cpus_text);
	for (unsigned int i = 0; i < MAX_CPUS; i++) {
		bool may = mask[i / (8 * sizeof(long))] >> (i % (8 * sizeof(long))) & 1;

		if (may && wanted[i])
			topo.cpu[topo.n++] = (struct cpu){ .id = i, .smt = smt_rank(i) };
		else if (*cpus_text && wanted[i])
			return skip(e, "cpus: CPU %u is not to be had", i);
	}
	return topo.n ? 0 : skip(e, "cpus: none of %s is to be had", cpus_text);
}

static void keep_nodes(unsigned int n)
{
	unsigned int kept = 0;

	topo.n_nodes = n;
	for (unsigned int i = 0; i < topo.n; i++)
		for (unsigned int k = 0; k < n; k++)
			if (topo.cpu[i].node == topo.node[k]) {
				topo.cpu[kept++] = topo.cpu[i];
				break;
			}
	topo.n = kept;
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

int place_open(struct err *e)
{
	int r = read_cpus(e);

	if (r < 0)
		return r;
	read_nodes();
	if (nodes_wanted > topo.n_nodes)
		return skip(e, "nodes: %u asked for, this machine has %u with CPUs",
			    (unsigned int)nodes_wanted, topo.n_nodes);
	if (nodes_wanted)
		keep_nodes((unsigned int)nodes_wanted);
	if (!mem_known())
		return err_set(e, EINVAL, "mem: '%s' is no memory policy", mem_text);
	if (!strcmp(mem_text, "remote") && topo.n_nodes < 2)
		return skip(e, "mem: remote needs two nodes, this machine has %u", topo.n_nodes);
	qsort(topo.cpu, topo.n, sizeof(topo.cpu[0]), by_compact);
	if (!strcmp(place_text, "spread"))
		sort_spread();
	topo.bind = *cpus_text || nodes_wanted || strcmp(place_text, "none");
	return 0;
}

unsigned int place_n_cpus(void)
{
	return topo.n;
}

int place_cpu(unsigned int i)
{
	return topo.bind ? (int)topo.cpu[i % topo.n].id : -1;
}

/* The node farthest from @from by the firmware's distances. */
static unsigned int farthest(unsigned int from)
{
	unsigned int far = from, most = 0, at = 0;
	char line[8192], *s = line, *end;

	if (!read_line(line, sizeof(line), "/sys/devices/system/node/node%u/distance", from))
		return topo.node[topo.node[0] == from];
	for (unsigned long d; (d = strtoul(s, &end, 10)), end != s; s = end, at++) {
		if (d > most && at < topo.n_nodes && topo.node[at] != from) {
			most = (unsigned int)d;
			far = topo.node[at];
		}
	}
	return far;
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

static int set_memory(unsigned int i, struct err *e)
{
	unsigned int own = topo.cpu[i % topo.n].node, node;

	if (!strcmp(mem_text, "default"))
		return 0;
	if (!strcmp(mem_text, "local"))
		return set_policy(MPOL_LOCAL, NULL, 0, e);
	if (!strcmp(mem_text, "interleave"))
		return set_policy(MPOL_INTERLEAVE, topo.node, topo.n_nodes, e);
	node = !strcmp(mem_text, "remote") ? farthest(own) : (unsigned int)atoi(mem_text + 5);
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
