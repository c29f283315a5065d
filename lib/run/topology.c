/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "run/topology.h"

#define SYS_CPU "sys/devices/system/cpu"
#define SYS_NODE "sys/devices/system/node"
#define FILE_MAX (16U << 20)

static bool slurp(int root, struct text *out, const char *path)
{
	struct err ignored;

	return file_read(root, path, FILE_MAX, out, &ignored) == 0;
}

static bool read_list(int root, const char *path, struct cpulist *l)
{
	_text_ struct text t = {};
	struct cpulist got = {};

	if (!slurp(root, &t, path) || !cpulist_parse(&got, text_str(&t)))
		return false;
	*l = got;
	return true;
}

static int read_int(int root, const char *path)
{
	_text_ struct text t = {};
	char *end;
	long v;

	if (!slurp(root, &t, path))
		return TOPOLOGY_UNKNOWN;
	v = strtol(text_str(&t), &end, 10);
	return end == text_str(&t) || v < 0 || v > INT32_MAX ? TOPOLOGY_UNKNOWN : (int)v;
}

static struct topology_cpu *add_cpu(struct topology *t, unsigned int id)
{
	GROW(t->cpu, t->n_cpus);
	t->cpu[t->n_cpus] = (struct topology_cpu){ id, TOPOLOGY_UNKNOWN, TOPOLOGY_UNKNOWN,
						   TOPOLOGY_UNKNOWN };
	return &t->cpu[t->n_cpus++];
}

/* "processor : 3", and on s390 "processor 3: version = ..." */
static bool cpuinfo_processor(const char *line, unsigned int *id)
{
	return text_starts(line, "processor") &&
	       (sscanf(line, "processor : %u", id) == 1 || sscanf(line, "processor %u:", id) == 1) &&
	       *id < CPULIST_MAX;
}

static void read_cpuinfo(struct topology *t, int root)
{
	_text_ struct text text = {};
	struct topology_cpu *cpu = NULL;
	unsigned int id;
	char *save = NULL;

	if (!slurp(root, &text, "proc/cpuinfo") || !text.len)
		return;
	for (char *line = strtok_r(text.p, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		if (cpuinfo_processor(line, &id)) {
			cpu = cpulist_has(&t->present, id) ? NULL : add_cpu(t, id);
			cpulist_add(&t->present, id);
		} else if (cpu && text_starts(line, "physical id")) {
			sscanf(line, "physical id : %d", &cpu->package);
		} else if (cpu && text_starts(line, "core id")) {
			sscanf(line, "core id : %d", &cpu->core);
		}
	}
	t->online = t->present;
}

static void read_cpus(struct topology *t, int root)
{
	if (!read_list(root, SYS_CPU "/present", &t->present) &&
	    !read_list(root, SYS_CPU "/online", &t->present)) {
		read_cpuinfo(t, root);
		return;
	}
	if (!read_list(root, SYS_CPU "/online", &t->online))
		t->online = t->present;
	if (!read_list(root, SYS_CPU "/isolated", &t->isolated))
		t->isolated = (struct cpulist){};
	cpulist_each(id, &t->present) {
		_free_ char *package = text_format(SYS_CPU "/cpu%u/topology/physical_package_id", id);
		_free_ char *core = text_format(SYS_CPU "/cpu%u/topology/core_id", id);
		struct topology_cpu *cpu = add_cpu(t, id);

		if (!cpulist_has(&t->online, id))
			continue;
		cpu->package = read_int(root, package);
		cpu->core = read_int(root, core);
	}
}

static uint64_t node_memory(int root, unsigned int id)
{
	_free_ char *path = text_format(SYS_NODE "/node%u/meminfo", id);
	_text_ struct text t = {};
	uint64_t kib = 0;
	const char *p;

	if (slurp(root, &t, path) && (p = strstr(text_str(&t), "MemTotal:")))
		sscanf(p, "MemTotal: %" SCNu64, &kib);
	return kib;
}

static char *node_distances(int root, unsigned int id)
{
	_free_ char *path = text_format(SYS_NODE "/node%u/distance", id);
	_text_ struct text t = {};

	if (!slurp(root, &t, path))
		return NULL;
	while (t.len && (t.p[t.len - 1] == '\n' || t.p[t.len - 1] == ' '))
		t.p[--t.len] = '\0';
	return text_steal(&t);
}

static void read_nodes(struct topology *t, int root)
{
	struct cpulist nodes = {};

	if (!read_list(root, SYS_NODE "/online", &nodes))
		return;
	cpulist_each(id, &nodes) {
		_free_ char *path = text_format(SYS_NODE "/node%u/cpulist", id);
		struct topology_node *n;

		GROW(t->node, t->n_nodes);
		n = &t->node[t->n_nodes++];
		*n = (struct topology_node){ .id = id, .memory_kib = node_memory(root, id),
					     .distances = node_distances(root, id) };
		if (!read_list(root, path, &n->cpus))
			n->cpus = (struct cpulist){};
		for (size_t i = 0; i < t->n_cpus; i++)
			if (cpulist_has(&n->cpus, t->cpu[i].id))
				t->cpu[i].node = (int)id;
	}
}

void topology_read(struct topology *t, int root)
{
	*t = (struct topology){};
	read_cpus(t, root);
	read_nodes(t, root);
}

static int by_number(const void *a, const void *b)
{
	const int64_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

static unsigned int distinct(int64_t *v, size_t n)
{
	unsigned int found = 0;

	if (n)
		qsort(v, n, sizeof(*v), by_number);
	for (size_t i = 0; i < n; i++)
		found += !i || v[i] != v[i - 1];
	return found;
}

unsigned int topology_sockets(const struct topology *t)
{
	_free_ int64_t *v = mem_zero(t->n_cpus, sizeof(*v));
	size_t n = 0;

	for (size_t i = 0; i < t->n_cpus; i++)
		if (t->cpu[i].package >= 0)
			v[n++] = t->cpu[i].package;
	return distinct(v, n);
}

/* A core's number is unique within its package only. */
unsigned int topology_cores(const struct topology *t)
{
	_free_ int64_t *v = mem_zero(t->n_cpus, sizeof(*v));
	size_t n = 0;

	for (size_t i = 0; i < t->n_cpus; i++)
		if (t->cpu[i].core >= 0)
			v[n++] = ((int64_t)t->cpu[i].package << 32) + t->cpu[i].core;
	return distinct(v, n);
}

void topology_release(struct topology *t)
{
	for (size_t i = 0; i < t->n_nodes; i++)
		free(t->node[i].distances);
	free(t->node);
	free(t->cpu);
	*t = (struct topology){};
}
