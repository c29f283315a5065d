/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "run/facts.h"
#include "run/sysfile.h"
#include "run/topology.h"

#define SYS_CPU "sys/devices/system/cpu"
#define THP "sys/kernel/mm/transparent_hugepage"
#define KIB_PER_GIB (1UL << 20)

enum form {
	LINE,		/* the first line */
	CHOSEN,		/* the word in brackets: "always [madvise] never" */
	INVERTED,	/* 0 and 1 the other way round */
};

static const struct {
	const char *key, *path;
	enum form form;
} files[] = {
	{ "machine.vendor", "sys/class/dmi/id/sys_vendor", LINE },
	{ "machine.product", "sys/class/dmi/id/product_name", LINE },
	{ "machine.firmware_vendor", "sys/class/dmi/id/bios_vendor", LINE },
	{ "machine.firmware", "sys/class/dmi/id/bios_version", LINE },
	{ "machine.firmware_date", "sys/class/dmi/id/bios_date", LINE },
	{ "boot.id", "proc/sys/kernel/random/boot_id", LINE },
	{ "boot.kernel", "proc/sys/kernel/osrelease", LINE },
	{ "boot.version", "proc/sys/kernel/version", LINE },
	{ "boot.cmdline", "proc/cmdline", LINE },
	{ "env.smt", SYS_CPU "/smt/control", LINE },
	{ "env.cpufreq_driver", SYS_CPU "/cpufreq/policy0/scaling_driver", LINE },
	{ "env.cpuidle_driver", SYS_CPU "/cpuidle/current_driver", LINE },
	{ "env.turbo", SYS_CPU "/intel_pstate/no_turbo", INVERTED },
	{ "env.turbo", SYS_CPU "/cpufreq/boost", LINE },
	{ "env.thp_enabled", THP "/enabled", CHOSEN },
	{ "env.thp_defrag", THP "/defrag", CHOSEN },
	{ "env.thp_shmem_enabled", THP "/shmem_enabled", CHOSEN },
	{ "env.aslr", "proc/sys/kernel/randomize_va_space", LINE },
	{ "env.numa_balancing", "proc/sys/kernel/numa_balancing", LINE },
	{ "env.nmi_watchdog", "proc/sys/kernel/nmi_watchdog", LINE },
	{ "env.overcommit_memory", "proc/sys/vm/overcommit_memory", LINE },
	{ "env.swappiness", "proc/sys/vm/swappiness", LINE },
	{ "env.zone_reclaim", "proc/sys/vm/zone_reclaim_mode", LINE },
	{ "env.perf_event_paranoid", "proc/sys/kernel/perf_event_paranoid", LINE },
	{ "env.clocksource", "sys/devices/system/clocksource/clocksource0/current_clocksource",
	  LINE },
};

/* /proc/cpuinfo by architecture: the first of the names that is there. */
static const struct {
	const char *key, *names[3];
} cpuinfo[] = {
	{ "machine.cpu_vendor", { "vendor_id", "CPU implementer" } },
	{ "machine.cpu_model", { "model name", "cpu", "uarch" } },
	{ "machine.cpu_family", { "cpu family", "CPU architecture" } },
	{ "machine.cpu_model_number", { "model", "CPU part" } },
	{ "machine.cpu_stepping", { "stepping", "CPU revision", "revision" } },
	{ "env.microcode", { "microcode" } },
};

static char *trimmed(const char *from, size_t n)
{
	while (n && strchr(" \t\n", from[n - 1]))
		n--;
	while (n && strchr(" \t", *from))
		from++, n--;
	return n ? text_format("%.*s", (int)n, from) : NULL;
}

static char *take(const struct text *t, enum form form)
{
	const char *line = text_str(t), *open, *close;

	if (form == CHOSEN) {
		open = strchr(line, '[');
		close = open ? strchr(open, ']') : NULL;
		return close ? trimmed(open + 1, (size_t)(close - open - 1)) : NULL;
	}
	if (form == INVERTED)
		return *line == '0' ? text_copy("1") : *line == '1' ? text_copy("0") : NULL;
	return trimmed(line, strcspn(line, "\n"));
}

static void add_file(struct record *r, int root, const char *key, const char *path,
		     enum form form)
{
	_text_ struct text t = {};
	_free_ char *value = sysfile_read(root, path, &t) ? take(&t, form) : NULL;

	if (value)
		record_add(r, key, value);
}

/* The value of the first "NAME : value" line; NULL if there is none. */
static char *colon_field(const struct text *t, const char *name)
{
	size_t len = strlen(name);

	for (const char *p = text_str(t), *nl; *p; p = nl + (*nl == '\n')) {
		size_t blanks;

		nl = p + strcspn(p, "\n");
		if (strncmp(p, name, len))
			continue;
		blanks = strspn(p + len, " \t");
		if (p[len + blanks] == ':')
			return trimmed(p + len + blanks + 1, (size_t)(nl - (p + len + blanks + 1)));
	}
	return NULL;
}

static void add_cpuinfo(struct record *r, int root)
{
	_text_ struct text t = {};
	_free_ char *flags = NULL;

	if (!sysfile_read(root, "proc/cpuinfo", &t))
		return;
	for (size_t i = 0; i < COUNT(cpuinfo); i++) {
		_free_ char *value = NULL;

		for (size_t k = 0; k < COUNT(cpuinfo[i].names) && cpuinfo[i].names[k] && !value; k++)
			value = colon_field(&t, cpuinfo[i].names[k]);
		if (value)
			record_add(r, cpuinfo[i].key, value);
	}
	flags = colon_field(&t, "flags");
	if (flags)
		record_add(r, "machine.virtual",
			   strstr(flags, " hypervisor") ? "yes" : "no");
}

/*
 * Installed memory from what the kernel has left of it: up to the next eighth
 * of the power of two below, which is coarser than what kernels keep back and
 * finer than what machines are built with.
 */
static uint64_t round_memory(uint64_t kib)
{
	uint64_t unit = 1;

	while (unit * 16 <= kib)
		unit *= 2;
	return (kib + unit - 1) / unit * unit;
}

static void add_memory(struct record *r, int root)
{
	_text_ struct text t = {};
	_free_ char *total = NULL, *swap = NULL;
	uint64_t kib, round;

	if (!sysfile_read(root, "proc/meminfo", &t))
		return;
	total = colon_field(&t, "MemTotal");
	swap = colon_field(&t, "SwapTotal");
	if (total && (kib = strtoull(total, NULL, 10)) > 0) {
		round = round_memory(kib);
		if (round % KIB_PER_GIB)
			record_addf(r, "machine.memory", "%" PRIu64 "M", round / 1024);
		else
			record_addf(r, "machine.memory", "%" PRIu64 "G", (uint64_t)(round / KIB_PER_GIB));
		record_add_u64(r, "env.memory_kib", kib);
	}
	if (swap)
		record_add_u64(r, "env.swap_kib", strtoull(swap, NULL, 10));
}

static void add_list(struct record *r, const char *key, const struct cpulist *l)
{
	_text_ struct text t = {};

	cpulist_print(l, &t);
	if (t.len)
		record_add(r, key, text_str(&t));
}

static void add_nodes(struct record *r, const struct topology *t)
{
	unsigned int with_cpus = 0;

	for (size_t i = 0; i < t->n_nodes; i++) {
		const struct topology_node *n = &t->node[i];
		_free_ char *cpus = text_format("machine.node.%u.cpus", n->id);
		_free_ char *memory = text_format("env.node.%u.memory_kib", n->id);
		_free_ char *distances = text_format("machine.node.%u.distances", n->id);

		with_cpus += cpulist_count(&n->cpus) > 0;
		add_list(r, cpus, &n->cpus);
		record_add_u64(r, memory, n->memory_kib);
		if (n->distances)
			record_add(r, distances, n->distances);
	}
	/* A kernel without NUMA is a machine with one node. */
	record_add_u64(r, "machine.nodes", t->n_nodes ? t->n_nodes : 1);
	record_add_u64(r, "machine.nodes_with_cpus", t->n_nodes ? with_cpus : 1);
}

/* One line "CPU:PACKAGE:CORE:NODE ...", with - for what is not told. */
static void add_map(struct record *r, const struct topology *t)
{
	_text_ struct text map = {};

	for (size_t i = 0; i < t->n_cpus; i++) {
		const struct topology_cpu *c = &t->cpu[i];
		const int values[] = { c->package, c->core, c->node };

		text_printf(&map, "%s%u", i ? " " : "", c->id);
		for (size_t k = 0; k < COUNT(values); k++)
			if (values[k] == TOPOLOGY_UNKNOWN)
				text_puts(&map, ":-");
			else
				text_printf(&map, ":%d", values[k]);
	}
	record_add(r, "env.cpu_map", text_str(&map));
}

static void add_topology(struct record *r, const struct topology *t)
{
	unsigned int sockets = topology_sockets(t);
	struct cpulist offline = t->present;

	for (size_t i = 0; i < COUNT(offline.bits); i++)
		offline.bits[i] &= ~t->online.bits[i];
	if (sockets)
		record_add_u64(r, "machine.sockets", sockets);
	if (t->cores)
		record_add_u64(r, "machine.cores", t->cores);
	if (t->n_cpus) {
		record_add_u64(r, "machine.cpus", t->n_cpus);
		record_add_u64(r, "env.cpus_online", cpulist_count(&t->online));
		add_map(r, t);
	}
	add_list(r, "env.cpus_offline", &offline);
	add_list(r, "env.cpus_isolated", &t->isolated);
	add_nodes(r, t);
}

/* One line a cache of the first CPU online: "machine.cache.L3 32768K, 1 for 48 CPUs". */
static void add_caches(struct record *r, int root, const struct topology *t)
{
	unsigned int cpu = cpulist_next(&t->online, 0);

	for (int i = 0; i < 16; i++) {
		static const char *const names[] = { "level", "type", "size", "shared_cpu_list" };
		char *v[COUNT(names)] = {};
		struct cpulist shared = {};

		for (size_t k = 0; k < COUNT(names); k++) {
			_free_ char *path = text_format(SYS_CPU "/cpu%u/cache/index%d/%s", cpu, i,
							names[k]);
			_text_ struct text text = {};

			v[k] = sysfile_read(root, path, &text) ? take(&text, LINE) : NULL;
		}
		if (v[0] && v[1] && v[2]) {
			_free_ char *key = text_format("machine.cache.L%.10s%s", v[0],
						       *v[1] == 'D' ? "d" : *v[1] == 'I' ? "i" : "");

			if (!strpbrk(key, " \n"))
				record_addf(r, key, "%s, one for %u CPUs", v[2],
					    v[3] && cpulist_parse(&shared, v[3]) ?
					    cpulist_count(&shared) : 1);
		}
		for (size_t k = 0; k < COUNT(names); k++)
			free(v[k]);
	}
}

/* One value if all CPUs agree, else each value with its CPUs' number. */
static void add_per_cpu(struct record *r, int root, const struct topology *t, const char *key,
			const char *file)
{
	char *value[8] = {};
	unsigned int count[8] = {}, n = 0;
	_text_ struct text all = {};

	cpulist_each(cpu, &t->online) {
		_free_ char *path = text_format(SYS_CPU "/cpu%u/%s", cpu, file);
		_text_ struct text text = {};
		_free_ char *v = sysfile_read(root, path, &text) ? take(&text, LINE) : NULL;
		unsigned int i = 0;

		while (v && i < n && strcmp(v, value[i]))
			i++;
		if (!v || i == COUNT(value))
			continue;
		if (i == n)
			value[n++] = steal(v);
		count[i]++;
	}
	for (unsigned int i = 0; i < n; i++) {
		if (n == 1)
			text_puts(&all, value[i]);
		else
			text_printf(&all, "%s%s on %u", i ? ", " : "", value[i], count[i]);
		free(value[i]);
	}
	if (all.len)
		record_add(r, key, text_str(&all));
}

static int any_file(const struct dirent *d)
{
	return *d->d_name != '.' && !strpbrk(d->d_name, " \n");
}

static void add_mitigations(struct record *r, int root)
{
	static const char folder[] = SYS_CPU "/vulnerabilities";
	struct dirent **list = NULL;
	int n = scandirat(root, folder, &list, any_file, alphasort);

	for (int i = 0; i < n; i++) {
		_free_ char *key = text_format("env.mitigation.%s", list[i]->d_name);
		_free_ char *path = path_join(folder, list[i]->d_name);

		add_file(r, root, key, path, LINE);
		free(list[i]);
	}
	free(list);
}

void facts_read(struct record *r, int root)
{
	_topology_ struct topology t;

	topology_read(&t, root);
	add_cpuinfo(r, root);
	add_memory(r, root);
	add_topology(r, &t);
	add_caches(r, root, &t);
	for (size_t i = 0; i < COUNT(files); i++)
		if (!record_get(r, files[i].key))
			add_file(r, root, files[i].key, files[i].path, files[i].form);
	add_per_cpu(r, root, &t, "env.governor", "cpufreq/scaling_governor");
	add_per_cpu(r, root, &t, "env.epp", "cpufreq/energy_performance_preference");
	add_mitigations(r, root);
}

/* @point is @path or a folder above it; "\040" and the like are not undone. */
static bool is_above(const char *point, const char *path)
{
	size_t n = strlen(point);

	return !strcmp(point, "/") ||
	       (!strncmp(point, path, n) && (path[n] == '/' || !path[n]));
}

void facts_mount(struct record *r, int root, const char *name, const char *path)
{
	_free_ char *key = text_format("env.mount.%s", name), *best = NULL;
	_text_ struct text t = {};
	char *save = NULL;
	size_t longest = 0;

	if (!sysfile_read(root, "proc/self/mountinfo", &t) || !t.len)
		return;
	for (char *line = strtok_r(t.p, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		_free_ char *point = NULL, *options = NULL, *type = NULL, *source = NULL;
		const char *dash = strstr(line, " - ");

		if (!dash || sscanf(line, "%*s %*s %*s %*s %ms %ms", &point, &options) != 2 ||
		    sscanf(dash, " - %ms %ms", &type, &source) != 2)
			continue;
		if (!is_above(point, path) || strlen(point) < longest)
			continue;	/* of equals the later one covers the earlier */
		longest = strlen(point);
		free(best);
		best = text_format("%s %s %s %s", type, source, point, options);
	}
	if (best)
		record_add(r, key, best);
}
