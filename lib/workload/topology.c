/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/attr.h"
#include "workload/topology.h"

#define NODE "%s/sys/devices/system/node/"

/* One list of all that there can be, written the longest way. */
static char line[64 << 10];

bool topology_list(const char *s, char *set, size_t n)
{
	while (*s && *s != '\n') {
		char *end;
		unsigned long from = strtoul(s, &end, 10), to = from;

		if (end == s || *s < '0' || *s > '9')
			return false;
		if (*end == '-') {
			s = end + 1;
			to = strtoul(s, &end, 10);
			if (end == s || *s < '0' || *s > '9')
				return false;
		}
		if (to < from || to >= n)
			return false;
		memset(set + from, 1, to - from + 1);
		if (*end && *end != ',' && *end != '\n')
			return false;
		s = *end == ',' ? end + 1 : end;
	}
	return true;
}

_printf_(1, 2) static bool read_line(const char *fmt, ...)
{
	char path[512];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(path, sizeof(path), fmt, ap);
	va_end(ap);
	_fclose_ FILE *f = fopen(path, "re");

	return f && fgets(line, sizeof(line), f);
}

static unsigned int smt_rank(const char *root, unsigned int cpu)
{
	char in[TOPOLOGY_CPUS] = {};
	unsigned int rank = 0;

	if (!read_line("%s/sys/devices/system/cpu/cpu%u/topology/thread_siblings_list", root, cpu) ||
	    !topology_list(line, in, sizeof(in)))
		return 0;
	for (unsigned int i = 0; i < cpu; i++)
		rank += (unsigned int)in[i];
	return rank;
}

static void read_cpus_of(struct topology *t, const char *root, unsigned int node)
{
	char in[TOPOLOGY_CPUS] = {};

	if (!read_line(NODE "node%u/cpulist", root, node) || !topology_list(line, in, sizeof(in)))
		return;
	for (unsigned int i = 0; i < t->n; i++)
		if (in[t->cpu[i].id])
			t->cpu[i].node = node;
}

static void read_nodes(struct topology_nodes *out, const char *root, const char *file)
{
	char in[TOPOLOGY_NODES] = {};

	out->n = 0;
	if (!read_line(NODE "%s", root, file) || !topology_list(line, in, sizeof(in)))
		return;
	for (unsigned int i = 0; i < TOPOLOGY_NODES; i++)
		if (in[i])
			out->id[out->n++] = i;
}

static void find_used(struct topology *t)
{
	char used[TOPOLOGY_NODES] = {};

	for (unsigned int i = 0; i < t->n; i++)
		used[t->cpu[i].node] = 1;
	t->used.n = 0;
	for (unsigned int i = 0; i < TOPOLOGY_NODES; i++)
		if (used[i])
			t->used.id[t->used.n++] = i;
}

void topology_read(struct topology *t, const char *root, const char *wanted)
{
	memset(t, 0, sizeof(*t));
	for (unsigned int i = 0; i < TOPOLOGY_CPUS; i++)
		if (wanted[i])
			t->cpu[t->n++] = (struct topology_cpu){ .id = i, .smt = smt_rank(root, i) };
	read_nodes(&t->online, root, "online");
	for (unsigned int i = 0; i < t->n && t->online.n; i++)
		t->cpu[i].node = t->online.id[0];	/* until a node claims it */
	for (unsigned int i = 0; i < t->online.n; i++)
		read_cpus_of(t, root, t->online.id[i]);
	find_used(t);
	if (!t->online.n)
		t->online = t->used;
	read_nodes(&t->memory, root, "has_memory");
	if (!t->memory.n)
		t->memory = t->online;
}

static int by_compact(const void *a, const void *b)
{
	const struct topology_cpu *x = a, *y = b;

	if (x->node != y->node)
		return x->node < y->node ? -1 : 1;
	if (x->smt != y->smt)
		return x->smt < y->smt ? -1 : 1;
	return x->id < y->id ? -1 : x->id > y->id;
}

void topology_compact(struct topology *t)
{
	qsort(t->cpu, t->n, sizeof(t->cpu[0]), by_compact);
}

void topology_spread(struct topology *t)
{
	struct topology_cpu *out = calloc(t->n + 1, sizeof(*out));
	bool *used = calloc(t->n + 1, sizeof(*used));
	unsigned int n = 0;

	if (!out || !used)
		abort();
	while (n < t->n) {
		for (unsigned int k = 0; k < t->used.n; k++) {
			unsigned int i = 0;

			while (i < t->n && (used[i] || t->cpu[i].node != t->used.id[k]))
				i++;
			if (i == t->n)
				continue;
			used[i] = true;
			out[n++] = t->cpu[i];
		}
	}
	memcpy(t->cpu, out, n * sizeof(out[0]));
	free(out);
	free(used);
}

void topology_keep(struct topology *t, unsigned int n)
{
	unsigned int kept = 0;

	if (n >= t->used.n)
		return;
	for (unsigned int i = 0; i < t->n; i++)
		if (n && t->cpu[i].node <= t->used.id[n - 1])
			t->cpu[kept++] = t->cpu[i];
	t->n = kept;
	t->used.n = n;
}

bool topology_has_memory(const struct topology *t, unsigned int node)
{
	for (unsigned int i = 0; i < t->memory.n; i++)
		if (t->memory.id[i] == node)
			return true;
	return false;
}

/* Column k of a node's distances is the k-th node that is online, whatever its number. */
unsigned int topology_farthest(const struct topology *t, const char *root, unsigned int from)
{
	bool told = read_line(NODE "node%u/distance", root, from);
	unsigned int far = from;
	unsigned long most = 0;
	char *s = line;

	for (unsigned int k = 0; k < t->online.n; k++) {
		char *end = s;
		unsigned long d = told ? strtoul(s, &end, 10) : 0;

		if (end == s)
			d = 1;	/* not told: one is as far as another */
		s = end;
		if (d > most && t->online.id[k] != from && topology_has_memory(t, t->online.id[k])) {
			most = d;
			far = t->online.id[k];
		}
	}
	return far;
}
