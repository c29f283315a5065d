/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/record.h"
#include "run/activity.h"
#include "run/doctor.h"
#include "run/facts.h"
#include "run/sysfile.h"
#include "run/topology.h"

#define CPU "sys/devices/system/cpu/"

/* Shares of one CPU's time from which something else is at work. */
#define STEAL_BAD	0.001
#define LOAD_BAD	0.05
/* A sleep that takes longer than this to wake from is seen in latencies. */
#define WAKE_SLOW_US	10

struct patient {
	int root;
	const struct record *facts;
	bool watched;
	struct activity act;		/* meanwhile */
	double secs;
};

static enum doctor_verdict governor(const struct patient *p, struct text *value)
{
	const char *v = record_get(p->facts, "env.governor");

	text_puts(value, v ? v : "no frequency scaling that this kernel sees");
	return !v ? DOCTOR_UNKNOWN : !strcmp(v, "performance") ? DOCTOR_GOOD : DOCTOR_BAD;
}

static enum doctor_verdict turbo(const struct patient *p, struct text *value)
{
	const char *v = record_get(p->facts, "env.turbo");

	text_puts(value, !v ? "not told" : strcmp(v, "0") ? "on" : "off");
	return !v ? DOCTOR_UNKNOWN : strcmp(v, "0") ? DOCTOR_BAD : DOCTOR_GOOD;
}

static enum doctor_verdict cstates(const struct patient *p, struct text *value)
{
	int64_t slowest = 0;
	int found = 0;

	for (int i = 0; i < 16; i++) {
		_free_ char *latency = text_format(CPU "cpu0/cpuidle/state%d/latency", i);
		_free_ char *disable = text_format(CPU "cpu0/cpuidle/state%d/disable", i);
		int64_t us = sysfile_number(p->root, latency);

		if (us < 0)
			break;
		found++;
		if (sysfile_number(p->root, disable) != 1 && us > slowest)
			slowest = us;
	}
	if (!found) {
		text_puts(value, "none that this kernel governs");
		return DOCTOR_UNKNOWN;
	}
	text_printf(value, "up to %" PRId64 " us to wake", slowest);
	return slowest > WAKE_SLOW_US ? DOCTOR_NOTE : DOCTOR_GOOD;
}

static enum doctor_verdict smt(const struct patient *p, struct text *value)
{
	int64_t active = sysfile_number(p->root, CPU "smt/active");

	text_puts(value, active < 0 ? "not told" : active ? "on" : "off");
	return active < 0 ? DOCTOR_UNKNOWN : active ? DOCTOR_NOTE : DOCTOR_GOOD;
}

static enum doctor_verdict thp(const struct patient *p, struct text *value)
{
	const char *v = record_get(p->facts, "env.thp_enabled");

	text_puts(value, v ? v : "not in this kernel");
	return v && !strcmp(v, "always") ? DOCTOR_NOTE : DOCTOR_GOOD;
}

/* The kB that /proc/meminfo gives for @name; -1 if it gives none. */
static int64_t meminfo(int root, const char *name)
{
	_text_ struct text t = {};
	const char *p;

	if (!sysfile_read(root, "proc/meminfo", &t) || !(p = strstr(text_str(&t), name)))
		return -1;
	return strtoll(p + strlen(name), NULL, 10);
}

static enum doctor_verdict swap(const struct patient *p, struct text *value)
{
	int64_t total = meminfo(p->root, "SwapTotal:"), left = meminfo(p->root, "SwapFree:");

	if (total < 0 || left < 0) {
		text_puts(value, "not told");
		return DOCTOR_UNKNOWN;
	}
	if (!total) {
		text_puts(value, "none");
		return DOCTOR_GOOD;
	}
	text_printf(value, "%" PRId64 " MiB of %" PRId64 " MiB in use", (total - left) / 1024,
		    total / 1024);
	return total > left ? DOCTOR_BAD : DOCTOR_NOTE;
}

static enum doctor_verdict memory(const struct patient *p, struct text *value)
{
	int64_t total = meminfo(p->root, "MemTotal:"), left = meminfo(p->root, "MemAvailable:");

	if (total <= 0 || left < 0) {
		text_puts(value, "not told");
		return DOCTOR_UNKNOWN;
	}
	text_printf(value, "%" PRId64 " %% available", left * 100 / total);
	return left * 2 < total ? DOCTOR_BAD : DOCTOR_GOOD;
}

static enum doctor_verdict steal_time(const struct patient *p, struct text *value)
{
	double share = p->watched ? (double)p->act.steal_ns / 1e9 / p->secs : 0;

	if (!p->watched) {
		text_puts(value, "not told");
		return DOCTOR_UNKNOWN;
	}
	text_printf(value, "%.1f %% of one CPU over %.1f s", share * 100, p->secs);
	return share >= STEAL_BAD ? DOCTOR_BAD : DOCTOR_GOOD;
}

static enum doctor_verdict other_load(const struct patient *p, struct text *value)
{
	double share = p->watched ? (double)p->act.busy_ns / 1e9 / p->secs : 0;

	if (!p->watched) {
		text_puts(value, "not told");
		return DOCTOR_UNKNOWN;
	}
	text_printf(value, "%.1f %% of one CPU over %.1f s", share * 100, p->secs);
	return share >= LOAD_BAD ? DOCTOR_BAD : DOCTOR_GOOD;
}

static enum doctor_verdict hypervisor(const struct patient *p, struct text *value)
{
	const char *v = record_get(p->facts, "machine.virtual");
	const char *vendor = record_get(p->facts, "machine.vendor");

	if (!v || strcmp(v, "yes")) {
		text_puts(value, v ? "none" : "not told");
		return v ? DOCTOR_GOOD : DOCTOR_UNKNOWN;
	}
	text_puts(value, "this is a virtual machine");
	if (vendor)
		text_printf(value, " (%s)", vendor);
	return DOCTOR_BAD;
}

static enum doctor_verdict clocksource(const struct patient *p, struct text *value)
{
	static const char *const fast[] = { "tsc", "arch_sys_counter", "tod", "timebase",
					    "riscv_clocksource", "kvm-clock" };
	const char *v = record_get(p->facts, "env.clocksource");

	text_puts(value, v ? v : "not told");
	for (size_t i = 0; v && i < COUNT(fast); i++)
		if (!strcmp(v, fast[i]))
			return DOCTOR_GOOD;
	return v ? DOCTOR_BAD : DOCTOR_UNKNOWN;
}

static enum doctor_verdict mitigations(const struct patient *p, struct text *value)
{
	unsigned int active = 0, all = 0;

	for (size_t i = 0; i < p->facts->n; i++)
		if (text_starts(p->facts->line[i].key, "env.mitigation.")) {
			all++;
			active += text_starts(p->facts->line[i].value, "Mitigation");
		}
	if (!all) {
		text_puts(value, "not told");
		return DOCTOR_UNKNOWN;
	}
	text_printf(value, "%u of %u in force", active, all);
	return active ? DOCTOR_NOTE : DOCTOR_GOOD;
}

static int is_cpu_pmu(const struct dirent *d)
{
	static const char *const names[] = { "cpu", "cpu_core", "cpum_cf", "power_pmu" };

	for (size_t i = 0; i < COUNT(names); i++)
		if (!strcmp(d->d_name, names[i]))
			return 1;
	return text_starts(d->d_name, "armv");
}

static enum doctor_verdict pmu(const struct patient *p, struct text *value)
{
	struct dirent **list = NULL;
	int n = scandirat(p->root, "sys/bus/event_source/devices", &list, is_cpu_pmu, alphasort);

	text_puts(value, n > 0 ? list[0]->d_name : "none");
	for (int i = 0; i < n; i++)
		free(list[i]);
	free(list);
	return n > 0 ? DOCTOR_GOOD : DOCTOR_NOTE;
}

static enum doctor_verdict isolated(const struct patient *p, struct text *value)
{
	const char *v = record_get(p->facts, "env.cpus_isolated");

	text_puts(value, v ? v : "none");
	return DOCTOR_GOOD;
}

static enum doctor_verdict throttled(const struct patient *p, struct text *value)
{
	static const char *const files[] = { "core_throttle_count", "package_throttle_count" };
	_topology_ struct topology t;
	uint64_t events = 0;
	bool told = false;

	topology_read(&t, p->root);
	cpulist_each(cpu, &t.online)
		for (size_t i = 0; i < COUNT(files); i++) {
			_free_ char *path = text_format(CPU "cpu%u/thermal_throttle/%s", cpu,
							files[i]);
			int64_t n = sysfile_number(p->root, path);

			told |= n >= 0;
			events += n > 0 ? (uint64_t)n : 0;
		}
	if (!told) {
		text_puts(value, "not told");
		return DOCTOR_UNKNOWN;
	}
	text_printf(value, "%" PRIu64 " times since boot, summed over CPUs", events);
	return events ? DOCTOR_BAD : DOCTOR_GOOD;
}

static enum doctor_verdict numa_balancing(const struct patient *p, struct text *value)
{
	const char *v = record_get(p->facts, "env.numa_balancing");
	const char *nodes = record_get(p->facts, "machine.nodes");
	bool one = !nodes || !strcmp(nodes, "1"), off = !v || !strcmp(v, "0");

	text_printf(value, "%s, %s", off ? "off" : "on", one ? "one node" : "several nodes");
	return off || one ? DOCTOR_GOOD : DOCTOR_BAD;
}

static enum doctor_verdict nmi_watchdog(const struct patient *p, struct text *value)
{
	const char *v = record_get(p->facts, "env.nmi_watchdog");

	text_puts(value, v && !strcmp(v, "1") ? "on" : "off");
	return v && !strcmp(v, "1") ? DOCTOR_NOTE : DOCTOR_GOOD;
}

static enum doctor_verdict ksm(const struct patient *p, struct text *value)
{
	int64_t run = sysfile_number(p->root, "sys/kernel/mm/ksm/run");

	text_puts(value, run == 1 ? "on" : "off");
	return run == 1 ? DOCTOR_BAD : DOCTOR_GOOD;
}

static enum doctor_verdict aslr(const struct patient *p, struct text *value)
{
	const char *v = record_get(p->facts, "env.aslr");

	text_puts(value, v ? v : "not told");
	return !v ? DOCTOR_UNKNOWN : strcmp(v, "0") ? DOCTOR_NOTE : DOCTOR_GOOD;
}

static int any_name(const struct dirent *d)
{
	return *d->d_name != '.';
}

static enum doctor_verdict battery(const struct patient *p, struct text *value)
{
	static const char folder[] = "sys/class/power_supply";
	struct dirent **list = NULL;
	int n = scandirat(p->root, folder, &list, any_name, alphasort);
	bool mains = false, on = false;

	for (int i = 0; i < n; i++) {
		_free_ char *type = text_format("%s/%s/type", folder, list[i]->d_name);
		_free_ char *online = text_format("%s/%s/online", folder, list[i]->d_name);
		_text_ struct text t = {};

		if (sysfile_read(p->root, type, &t) && text_starts(text_str(&t), "Mains")) {
			mains = true;
			on |= sysfile_number(p->root, online) == 1;
		}
		free(list[i]);
	}
	free(list);
	text_puts(value, !mains || on ? "mains" : "on battery");
	return !mains || on ? DOCTOR_GOOD : DOCTOR_BAD;
}

static const struct {
	const char *name;
	enum doctor_verdict (*look)(const struct patient *p, struct text *value);
	const char *why, *advice;
} checks[] = {
	{ "governor", governor, "other governors follow the load, so the clock differs between runs",
	  "set cpufreq_governor: performance in the job" },
	{ "turbo", turbo, "the clock then depends on heat and on how many CPUs are busy",
	  "set turbo: off in the job" },
	{ "C-states", cstates, "waking from deep sleep is part of every latency",
	  "for latencies boot with cpuidle states limited (intel_idle.max_cstate=1)" },
	{ "SMT", smt, "two threads share a core, so who runs beside whom matters",
	  "bind the tasks (bind, spread), or boot with nosmt" },
	{ "THP", thp, "a test with large buffers may or may not get huge pages",
	  "say thp_enabled in the job" },
	{ "swap", swap, "memory that has been swapped out is read back during a run",
	  "swapoff -a, or set swap: off in the job" },
	{ "memory", memory, "with little memory left reclaim runs beside the test",
	  "end what holds the memory" },
	{ "steal", steal_time, "the hypervisor gives this machine's CPUs to others",
	  "take a dedicated host; compare runs by their steal time" },
	{ "load", other_load, "something else runs and takes CPU, caches and memory bandwidth",
	  "end it (top shows it), or bind tests to other CPUs" },
	{ "hypervisor", hypervisor, "exits, steal and the host's settings are not seen from here",
	  "measure on hardware before mailing anyone; at least qualify this machine" },
	{ "clocksource", clocksource, "reading a slow clock costs microseconds and is in every number",
	  "find in dmesg why tsc was given up; boot with tsc=reliable if it is sound" },
	{ "mitigations", mitigations, "they make system calls and faults dearer, and differ by boot option",
	  "compare only boots with the same mitigations= option" },
	{ "PMU", pmu, "without counters a regression cannot be explained by events",
	  "on a virtual machine ask for a virtual PMU" },
	{ "isolated CPUs", isolated, "tests that are bound to them meet no other tasks",
	  "boot with isolcpus= or make a cpuset partition, if tests need quiet CPUs" },
	{ "throttling", throttled, "a hot machine lowers its clock in the middle of a run",
	  "cool it; leave pauses between runs" },
	{ "NUMA balancing", numa_balancing, "pages move between nodes while the test runs",
	  "set numa_balancing: 0 in the job, or bind memory" },
	{ "NMI watchdog", nmi_watchdog, "it takes one hardware counter and an interrupt now and then",
	  "set nmi_watchdog: 0 in the job" },
	{ "KSM", ksm, "a kernel thread scans memory and merges equal pages",
	  "set ksm: 0 in the job" },
	{ "ASLR", aslr, "addresses differ by run, and with them cache and page alignment",
	  "many runs average over it; or set aslr: 0 in the job" },
	{ "power", battery, "on battery the firmware holds the clock down",
	  "plug it in" },
};

const char *doctor_verdict_name(enum doctor_verdict v)
{
	static const char *const names[] = { "good", "note", "bad", "unknown" };

	return names[v];
}

static void watch(struct patient *p, uint64_t ns)
{
	struct timespec left = { .tv_sec = (time_t)(ns / 1000000000),
				 .tv_nsec = (long)(ns % 1000000000) };
	uint64_t begin = clock_mono_ns();
	struct activity a, b;

	if (!activity_read(p->root, &a))
		return;
	while (nanosleep(&left, &left) < 0)
		;
	p->watched = activity_read(p->root, &b);
	p->act = activity_between(&a, &b);
	p->secs = (double)(clock_mono_ns() - begin) / 1e9;
}

void doctor_examine(struct doctor *d, int root, uint64_t watch_ns)
{
	_record_ struct record facts = {};
	struct patient p = { .root = root, .facts = &facts };

	facts_read(&facts, root);
	watch(&p, watch_ns);
	for (size_t i = 0; i < COUNT(checks); i++) {
		_text_ struct text value = {};
		enum doctor_verdict v = checks[i].look(&p, &value);

		GROW(d->line, d->n);
		d->line[d->n++] = (struct doctor_line){ checks[i].name, v, text_steal(&value),
							checks[i].why, checks[i].advice };
	}
}

bool doctor_any_bad(const struct doctor *d)
{
	for (size_t i = 0; i < d->n; i++)
		if (d->line[i].verdict == DOCTOR_BAD)
			return true;
	return false;
}

void doctor_release(struct doctor *d)
{
	for (size_t i = 0; i < d->n; i++)
		free(d->line[i].value);
	free(d->line);
	*d = (struct doctor){};
}
