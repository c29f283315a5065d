/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>

#include "base/proc.h"
#include "run/cpulist.h"
#include "run/facts.h"
#include "run/fake.h"

static void _printf_(3, 4) putf(const struct fake *t, const char *text, const char *fmt, ...)
{
	_text_ struct text path = {};
	va_list ap;

	va_start(ap, fmt);
	text_vprintf(&path, fmt, ap);
	va_end(ap);
	fake_put(t, text_str(&path), text);
}

/*
 * A machine by its shape.  CPUs are numbered as firmware does: the first
 * threads of all cores over all sockets, then the second threads.
 */
struct shape {
	const char *name;
	unsigned int sockets, nodes_per_socket, cores_per_node, threads;
	unsigned int cpuless_nodes;
	const char *offline;		/* CPUs */
	unsigned int hole_from, hole;	/* numbers left out before this CPU */
	/* what must come out */
	const char *want_sockets, *want_nodes, *want_with_cpus, *want_cores, *want_cpus,
		*want_online, *want_last_node_cpus;
};

static const struct shape shapes[] = {
	{ "laptop", 1, 1, 4, 2, 0, "", 0, 0, "1", "1", "1", "4", "8", "8", "0-7" },
	{ "two sockets", 2, 1, 24, 2, 0, "", 0, 0, "2", "2", "2", "48", "96", "96",
	  "24-47,72-95" },
	{ "four sockets", 4, 1, 18, 2, 0, "", 0, 0, "4", "4", "4", "72", "144", "144",
	  "54-71,126-143" },
	{ "eight sockets", 8, 1, 28, 2, 0, "", 0, 0, "8", "8", "8", "224", "448", "448",
	  "196-223,420-447" },
	{ "sub-NUMA clusters", 2, 2, 12, 2, 0, "", 0, 0, "2", "4", "4", "48", "96", "96",
	  "36-47,84-95" },
	{ "memory behind CXL", 2, 1, 8, 1, 2, "", 0, 0, "2", "4", "2", "16", "16", "16", NULL },
	{ "offline CPUs", 1, 1, 4, 2, 0, "1,4-7", 0, 0, "1", "1", "1", "3", "8", "3", "0,2-3" },
	{ "holes in the numbers", 2, 1, 4, 1, 0, "", 4, 4, "2", "2", "2", "8", "8", "8", "8-11" },
};

struct place {
	unsigned int id, package, core, node;
};

static struct place place_of(const struct shape *s, unsigned int i)
{
	unsigned int per_socket = s->nodes_per_socket * s->cores_per_node;
	unsigned int cores = s->sockets * per_socket, core = i % cores;

	return (struct place){ .id = i + (s->hole && i >= s->hole_from ? s->hole : 0),
			       .package = core / per_socket, .core = core % per_socket,
			       .node = core / s->cores_per_node };
}

static void put_list(const struct fake *t, const struct cpulist *l, const char *path)
{
	_text_ struct text text = {};

	cpulist_print(l, &text);
	text_putc(&text, '\n');
	fake_put(t, path, text_str(&text));
}

static void put_cpu(const struct fake *t, const struct shape *s, unsigned int i,
		    const struct cpulist *online)
{
	unsigned int cores = s->sockets * s->nodes_per_socket * s->cores_per_node;
	struct place p = place_of(s, i);
	_free_ char *package = text_format("%u\n", p.package);
	_free_ char *core = text_format("%u\n", p.core);
	_free_ char *path = text_format("sys/devices/system/cpu/cpu%u/topology/core_cpus_list", p.id);
	struct cpulist siblings = {};

	for (unsigned int k = i % cores; k < cores * s->threads; k += cores)
		if (cpulist_has(online, place_of(s, k).id))
			cpulist_add(&siblings, place_of(s, k).id);
	putf(t, package, "sys/devices/system/cpu/cpu%u/topology/physical_package_id", p.id);
	putf(t, core, "sys/devices/system/cpu/cpu%u/topology/core_id", p.id);
	put_list(t, &siblings, path);
}

static void put_nodes(const struct fake *t, const struct shape *s, const struct cpulist *online,
		      unsigned int n)
{
	unsigned int with_cpus = s->sockets * s->nodes_per_socket;
	struct cpulist nodes = {};

	for (unsigned int node = 0; node < with_cpus + s->cpuless_nodes; node++) {
		_free_ char *path = text_format("sys/devices/system/node/node%u/cpulist", node);
		_free_ char *memory = text_format("Node %u MemTotal:       %u kB\n", node,
						  1000 + node);
		struct cpulist cpus = {};

		for (unsigned int i = 0; i < n; i++)
			if (place_of(s, i).node == node && cpulist_has(online, place_of(s, i).id))
				cpulist_add(&cpus, place_of(s, i).id);
		cpulist_add(&nodes, node);
		put_list(t, &cpus, path);
		putf(t, memory, "sys/devices/system/node/node%u/meminfo", node);
		putf(t, "10 21 \n", "sys/devices/system/node/node%u/distance", node);
	}
	put_list(t, &nodes, "sys/devices/system/node/online");
}

static void shape_make(const struct fake *t, const struct shape *s)
{
	unsigned int n = s->sockets * s->nodes_per_socket * s->cores_per_node * s->threads;
	struct cpulist present = {}, online = {}, offline = {};

	assert_true(cpulist_parse(&offline, s->offline));
	for (unsigned int i = 0; i < n; i++) {
		cpulist_add(&present, place_of(s, i).id);
		if (!cpulist_has(&offline, place_of(s, i).id))
			cpulist_add(&online, place_of(s, i).id);
	}
	for (unsigned int i = 0; i < n; i++)
		if (cpulist_has(&online, place_of(s, i).id))
			put_cpu(t, s, i, &online);
	put_list(t, &present, "sys/devices/system/cpu/present");
	put_list(t, &online, "sys/devices/system/cpu/online");
	fake_put(t, "sys/devices/system/cpu/isolated", "\n");
	put_nodes(t, s, &online, n);
}

static void want(const struct record *r, const char *key, const char *value)
{
	const char *got = record_get(r, key);

	if (!got || strcmp(got, value))
		fail_msg("%s is '%s', not '%s'", key, got ? got : "(absent)", value);
}

TEST(shapes_of_machines)
{
	for (size_t i = 0; i < COUNT(shapes); i++) {
		const struct shape *s = &shapes[i];
		_record_ struct record r = {};
		_free_ char *last = NULL;
		struct fake t;

		fake_open(&t);
		shape_make(&t, s);
		facts_read(&r, t.root);
		fake_close(&t);
		print_message("# %s\n", s->name);
		last = text_format("machine.node.%d.cpus", atoi(s->want_nodes) - 1);
		want(&r, "machine.sockets", s->want_sockets);
		want(&r, "machine.nodes", s->want_nodes);
		want(&r, "machine.nodes_with_cpus", s->want_with_cpus);
		want(&r, "machine.cores", s->want_cores);
		want(&r, "machine.cpus", s->want_cpus);
		want(&r, "env.cpus_online", s->want_online);
		want(&r, "machine.node.0.distances", "10 21");
		want(&r, "env.node.0.memory_kib", "1000");
		if (s->want_last_node_cpus)
			want(&r, last, s->want_last_node_cpus);
		else
			assert_null(record_get(&r, last));
		if (*s->offline)
			want(&r, "env.cpus_offline", s->offline);
		else
			assert_null(record_get(&r, "env.cpus_offline"));
		assert_null(record_get(&r, "env.cpus_isolated"));
	}
}

TEST(the_map_tells_place_of_each_cpu)
{
	static const struct shape s = { "", 2, 1, 2, 1, 0, "2", 1, 1 };
	_record_ struct record r = {};
	struct fake t;

	fake_open(&t);
	shape_make(&t, &s);
	facts_read(&r, t.root);
	fake_close(&t);
	want(&r, "env.cpu_map", "0:0:0:0 2:-:-:- 3:1:0:1 4:1:1:1");
}

TEST(nothing_told_is_nothing_said)
{
	_record_ struct record r = {};
	struct fake t;

	fake_open(&t);
	facts_read(&r, t.root);
	fake_close(&t);
	assert_int_equal(r.n, 2);	/* a machine has a node, told or not */
	want(&r, "machine.nodes", "1");
	want(&r, "machine.nodes_with_cpus", "1");
}

TEST(settings_are_read_in_their_forms)
{
	_record_ struct record r = {};
	struct fake t;

	fake_open(&t);
	fake_put(&t, "sys/kernel/mm/transparent_hugepage/enabled", "always [madvise] never\n");
	fake_put(&t, "sys/devices/system/cpu/intel_pstate/no_turbo", "1\n");
	fake_put(&t, "proc/cmdline", "ro quiet  \n");
	fake_put(&t, "proc/sys/kernel/randomize_va_space", "2\n");
	fake_put(&t, "sys/devices/system/cpu/vulnerabilities/meltdown", "Mitigation: PTI\n");
	fake_put(&t, "sys/devices/system/cpu/online", "0-3\n");
	for (unsigned int cpu = 0; cpu < 4; cpu++) {
		putf(&t, cpu < 3 ? "performance\n" : "powersave\n",
		     "sys/devices/system/cpu/cpu%u/cpufreq/scaling_governor", cpu);
		putf(&t, "128\n", "sys/devices/system/cpu/cpu%u/cpufreq/"
		     "energy_performance_preference", cpu);
	}
	facts_read(&r, t.root);
	fake_close(&t);
	want(&r, "env.thp_enabled", "madvise");
	want(&r, "env.turbo", "0");
	want(&r, "boot.cmdline", "ro quiet");
	want(&r, "env.aslr", "2");
	want(&r, "env.mitigation.meltdown", "Mitigation: PTI");
	want(&r, "env.governor", "performance on 3, powersave on 1");
	want(&r, "env.epp", "128");
}

TEST(memory_is_rounded_to_what_is_built_in)
{
	static const struct {
		const char *meminfo, *want;
	} cases[] = {
		{ "MemTotal:       24684084 kB\nSwapTotal: 0 kB\n", "24G" },
		{ "MemTotal:        7974000 kB\n", "8G" },
		{ "MemTotal:      131750000 kB\n", "128G" },
		{ "MemTotal:     1056000000 kB\n", "1024G" },
		{ "MemTotal:         497000 kB\n", "512M" },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		_record_ struct record r = {};
		struct fake t;

		fake_open(&t);
		fake_put(&t, "proc/meminfo", cases[i].meminfo);
		facts_read(&r, t.root);
		fake_close(&t);
		want(&r, "machine.memory", cases[i].want);
	}
}

TEST(the_mount_is_the_innermost_one_and_the_last)
{
	_record_ struct record r = {};
	struct fake t;

	fake_open(&t);
	fake_put(&t, "proc/self/mountinfo",
	    "1 0 8:1 / / rw - ext4 /dev/root rw\n"
	    "2 1 0:2 / /data rw,noatime shared:1 - xfs /dev/sdb rw\n"
	    "3 1 0:3 / /data rw - tmpfs tmpfs rw\n"
	    "4 1 0:4 / /dat rw - btrfs /dev/sdc rw\n"
	    "broken\n");
	facts_mount(&r, t.root, "work", "/data/results");
	facts_mount(&r, t.root, "program", "/database");
	fake_close(&t);
	want(&r, "env.mount.work", "tmpfs tmpfs /data rw");
	want(&r, "env.mount.program", "ext4 /dev/root / rw");
}

/* Recorded /proc/cpuinfo of machines whose sysfs is not at hand. */
TEST(recorded_machines)
{
	static const struct {
		const char *file, *sockets, *cores, *cpus, *family;
	} cases[] = {
		{ "pcp-cpuinfo-2cpu-s390x-linux-2.6.32", NULL, NULL, "2", NULL },
		{ "pcp-cpuinfo-8cpu-aarch64-linux-3.17.0", NULL, NULL, "8", "AArch64" },
		{ "pcp-cpuinfo-32cpu-amd-6132", "4", "32", "32", "16" },
		{ "pcp-bigsys-cpuinfo.gz", "16", "240", "480", "6" },
	};
	const char *shared = getenv("SHARED");
	char folder[4096];

	snprintf(folder, sizeof(folder), "%s/cases/topology", shared ? shared : "/nowhere");
	if (access(folder, R_OK) < 0) {
		print_message("# skipped: no %s\n", folder);
		return;
	}
	for (size_t i = 0; i < COUNT(cases); i++) {
		_free_ char *path = path_join(folder, cases[i].file);
		_proc_ struct proc p = { .argv = ARGV("gzip", "-dcf", path) };
		_record_ struct record r = {};
		struct err e = {};
		struct fake t;

		assert_int_equal(proc_ok(&p, &e), 0);
		fake_open(&t);
		fake_put(&t, "proc/cpuinfo", text_str(&p.out));
		facts_read(&r, t.root);
		fake_close(&t);
		want(&r, "machine.cpus", cases[i].cpus);
		want(&r, "env.cpus_online", cases[i].cpus);
		if (cases[i].sockets)
			want(&r, "machine.sockets", cases[i].sockets);
		else
			assert_null(record_get(&r, "machine.sockets"));
		if (cases[i].cores)
			want(&r, "machine.cores", cases[i].cores);
		if (cases[i].family)
			want(&r, "machine.cpu_family", cases[i].family);
	}
}
