/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "run/sysfile.h"
#include "run/topology.h"

#define SYS_CPU "sys/devices/system/cpu"
#define SYS_NODE "sys/devices/system/node"

static bool read_list(int root, const char *path, struct cpulist *l)
{
	_text_ struct text t = {};
	struct cpulist got = {};

	if (!sysfile_read(root, path, &t) || !cpulist_parse(&got, text_str(&t)))
		return false;
	*l = got;
	return true;
}

static int read_int(int root, const char *path)
{
	int64_t v = sysfile_number(root, path);

	return v < 0 || v > INT32_MAX ? TOPOLOGY_UNKNOWN : (int)v;
}

unsigned int topology_sockets(const struct topology *t)
{
	unsigned int n = 0;

	/* A package counts at the first CPU that is in it. */
	for (size_t i = 0, k; i < t->n_cpus; i++) {
		for (k = 0; k < i && t->cpu[k].package != t->cpu[i].package; k++)
			;
		n += t->cpu[i].package >= 0 && k == i;
	}
	return n;
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
	unsigned int id, per_package = 0;
	char *save = NULL;

	if (!sysfile_read(root, "proc/cpuinfo", &text) || !text.len)
		return;
	for (char *line = strtok_r(text.p, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		if (cpuinfo_processor(line, &id)) {
			cpu = cpulist_has(&t->present, id) ? NULL : add_cpu(t, id);
			cpulist_add(&t->present, id);
		} else if (cpu && text_starts(line, "physical id")) {
			sscanf(line, "physical id : %d", &cpu->package);
		} else if (cpu && text_starts(line, "core id")) {
			sscanf(line, "core id : %d", &cpu->core);
		} else if (cpu && text_starts(line, "cpu cores")) {
			sscanf(line, "cpu cores : %u", &per_package);
		}
	}
	t->online = t->present;
	t->cores = topology_sockets(t) * per_package;
}

/*
 * A core's number says little: some count within the package, some within a die
 * of it.  So a core is the set of CPUs that share it, counted at its first.
 */
static bool is_first_of_core(int root, unsigned int id)
{
	static const char *const files[] = { "core_cpus_list", "thread_siblings_list" };

	for (size_t i = 0; i < COUNT(files); i++) {
		_free_ char *path = text_format(SYS_CPU "/cpu%u/topology/%s", id, files[i]);
		struct cpulist core = {};

		if (read_list(root, path, &core))
			return cpulist_next(&core, 0) == id;
	}
	return false;
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
		t->cores += is_first_of_core(root, id);
	}
}

static uint64_t node_memory(int root, unsigned int id)
{
	_free_ char *path = text_format(SYS_NODE "/node%u/meminfo", id);
	_text_ struct text t = {};
	uint64_t kib = 0;
	const char *p;

	if (sysfile_read(root, path, &t) && (p = strstr(text_str(&t), "MemTotal:")))
		sscanf(p, "MemTotal: %" SCNu64, &kib);
	return kib;
}

static char *node_distances(int root, unsigned int id)
{
	_free_ char *path = text_format(SYS_NODE "/node%u/distance", id);
	_text_ struct text t = {};

	if (!sysfile_read(root, path, &t))
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

void topology_release(struct topology *t)
{
	for (size_t i = 0; i < t->n_nodes; i++)
		free(t->node[i].distances);
	free(t->node);
	free(t->cpu);
	*t = (struct topology){};
}
