/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "run/activity.h"
#include "run/doctor.h"
#include "run/fake.h"

#define CPU "sys/devices/system/cpu/"

struct file {
	const char *path, *text;
};

static void examine(struct doctor *d, const struct file *files, size_t n)
{
	struct fake f;

	fake_open(&f);
	for (size_t i = 0; i < n; i++)
		fake_put(&f, files[i].path, files[i].text);
	doctor_examine(d, f.root, 1000000);
	fake_close(&f);
}

static void want(const struct doctor *d, const char *name, enum doctor_verdict v,
		 const char *value)
{
	for (size_t i = 0; i < d->n; i++)
		if (!strcmp(d->line[i].name, name)) {
			if (d->line[i].verdict != v || strcmp(d->line[i].value, value))
				fail_msg("%s: %s '%s'", name,
					 doctor_verdict_name(d->line[i].verdict), d->line[i].value);
			return;
		}
	fail_msg("no line %s", name);
}

TEST(a_quiet_server)
{
	static const struct file files[] = {
		{ CPU "online", "0-1\n" },
		{ CPU "cpu0/cpufreq/scaling_governor", "performance\n" },
		{ CPU "cpu1/cpufreq/scaling_governor", "performance\n" },
		{ CPU "intel_pstate/no_turbo", "1\n" },
		{ CPU "smt/active", "0\n" },
		{ CPU "cpu0/cpuidle/state0/latency", "0\n" },
		{ CPU "cpu0/cpuidle/state1/latency", "2\n" },
		{ CPU "cpu0/cpuidle/state2/latency", "133\n" },
		{ CPU "cpu0/cpuidle/state2/disable", "1\n" },
		{ CPU "cpu0/thermal_throttle/core_throttle_count", "0\n" },
		{ "sys/kernel/mm/transparent_hugepage/enabled", "always [madvise] never\n" },
		{ "sys/bus/event_source/devices/cpu/type", "4\n" },
		{ "sys/devices/system/clocksource/clocksource0/current_clocksource", "tsc\n" },
		{ "proc/cpuinfo", "processor : 0\nflags : fpu tsc\n" },
		{ "proc/meminfo", "MemTotal: 1000 kB\nMemAvailable: 900 kB\nSwapTotal: 0 kB\n"
				  "SwapFree: 0 kB\n" },
		{ "proc/stat", "cpu 1 2 3 4 5 6 7 8 0 0\n" },
	};
	_doctor_ struct doctor d = {};

	examine(&d, files, COUNT(files));
	want(&d, "governor", DOCTOR_GOOD, "performance");
	want(&d, "turbo", DOCTOR_GOOD, "off");
	want(&d, "C-states", DOCTOR_GOOD, "up to 2 us to wake");
	want(&d, "SMT", DOCTOR_GOOD, "off");
	want(&d, "THP", DOCTOR_GOOD, "madvise");
	want(&d, "swap", DOCTOR_GOOD, "none");
	want(&d, "PMU", DOCTOR_GOOD, "cpu");
	want(&d, "hypervisor", DOCTOR_GOOD, "none");
	want(&d, "throttling", DOCTOR_GOOD, "0 times since boot, summed over CPUs");
	assert_false(doctor_any_bad(&d));
}

TEST(a_laptop_as_it_comes)
{
	static const struct file files[] = {
		{ CPU "online", "0-1\n" },
		{ CPU "cpu0/cpufreq/scaling_governor", "powersave\n" },
		{ CPU "cpu1/cpufreq/scaling_governor", "powersave\n" },
		{ CPU "intel_pstate/no_turbo", "0\n" },
		{ CPU "smt/active", "1\n" },
		{ CPU "cpu0/cpuidle/state0/latency", "250\n" },
		{ CPU "cpu1/thermal_throttle/core_throttle_count", "7\n" },
		{ CPU "vulnerabilities/meltdown", "Mitigation: PTI\n" },
		{ CPU "vulnerabilities/l1tf", "Not affected\n" },
		{ "sys/kernel/mm/transparent_hugepage/enabled", "[always] madvise never\n" },
		{ "sys/kernel/mm/ksm/run", "1\n" },
		{ "sys/class/power_supply/AC/type", "Mains\n" },
		{ "sys/class/power_supply/AC/online", "0\n" },
		{ "sys/class/power_supply/BAT0/type", "Battery\n" },
		{ "sys/devices/system/clocksource/clocksource0/current_clocksource", "hpet\n" },
		{ "proc/cpuinfo", "processor : 0\nflags : fpu hypervisor\n" },
		{ "proc/meminfo", "MemTotal: 1000 kB\nMemAvailable: 300 kB\nSwapTotal: 8192 kB\n"
				  "SwapFree: 4096 kB\n" },
	};
	_doctor_ struct doctor d = {};

	examine(&d, files, COUNT(files));
	want(&d, "governor", DOCTOR_BAD, "powersave");
	want(&d, "turbo", DOCTOR_BAD, "on");
	want(&d, "C-states", DOCTOR_NOTE, "up to 250 us to wake");
	want(&d, "SMT", DOCTOR_NOTE, "on");
	want(&d, "THP", DOCTOR_NOTE, "always");
	want(&d, "swap", DOCTOR_BAD, "4 MiB of 8 MiB in use");
	want(&d, "memory", DOCTOR_BAD, "30 % available");
	want(&d, "steal", DOCTOR_UNKNOWN, "not told");
	want(&d, "hypervisor", DOCTOR_BAD, "this is a virtual machine");
	want(&d, "clocksource", DOCTOR_BAD, "hpet");
	want(&d, "mitigations", DOCTOR_NOTE, "1 of 2 in force");
	want(&d, "throttling", DOCTOR_BAD, "7 times since boot, summed over CPUs");
	want(&d, "KSM", DOCTOR_BAD, "on");
	want(&d, "power", DOCTOR_BAD, "on battery");
	assert_true(doctor_any_bad(&d));
}

TEST(a_machine_that_tells_nothing_is_not_called_bad)
{
	_doctor_ struct doctor d = {};

	examine(&d, NULL, 0);
	want(&d, "governor", DOCTOR_UNKNOWN, "no frequency scaling that this kernel sees");
	want(&d, "clocksource", DOCTOR_UNKNOWN, "not told");
	assert_false(doctor_any_bad(&d));
}

TEST(activity_is_the_rise_between_two_looks)
{
	struct activity a = { .busy_ns = 10, .idle_ns = 50, .steal_ns = 3 };
	struct activity b = { .busy_ns = 15, .idle_ns = 40, .steal_ns = 3 };
	struct activity d = activity_between(&a, &b);

	assert_int_equal(d.busy_ns, 5);
	assert_int_equal(d.idle_ns, 0);
	assert_int_equal(d.steal_ns, 0);
}
