/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <poll.h>
#include <time.h>

#include "run/fake.h"
#include "run/monitor.h"

static void machine_open(struct fake *f, struct plan *p)
{
	fake_open(f);
	plan_init(p);
	fake_put(f, "proc/vmstat", "pgfault 1\n");
	fake_put(f, "sys/devices/system/node/node0/vmstat", "numa_hit 1\n");
	fake_put(f, "sys/devices/system/node/node2/vmstat", "numa_hit 2\n");
	fake_put(f, "sys/devices/system/node/node10/vmstat", "numa_hit 3\n");
	fake_put(f, "sys/devices/system/node/nodex/vmstat", "numa_hit 4\n");
}

/* The text without the times, which are shown as "T". */
static void kept(const struct fake *f, const char *name, struct text *out)
{
	_free_ char *path = text_format("monitors/%s", name);
	_text_ struct text t = {};
	struct err e = {};

	assert_int_equal(file_read(f->root, path, 1U << 20, &t, &e), 0);
	for (const char *p = text_str(&t); *p; p++) {
		unsigned long long secs, ns;
		int n;

		if (sscanf(p, "time: %llu.%9llu\n%n", &secs, &ns, &n) == 2 && secs > 1000000000) {
			assert_true(ns < 1000000000);
			text_puts(out, "T\n");
			p += n - 1;
		} else {
			text_putc(out, *p);
		}
	}
}

TEST(one_sample_before_and_one_after)
{
	_monitors_ struct monitors m = MONITORS_NONE;
	_text_ struct text vmstat = {}, numa = {};
	struct err e = {};
	_plan_ struct plan plan;
	struct fake f;

	machine_open(&f, &plan);
	plan_monitor_add(&plan, "proc-vmstat", 3600000000000);
	plan_monitor_add(&plan, "numa-vmstat", 3600000000000);
	assert_int_equal(monitors_open(&m, &plan, f.root, f.root, &e), 0);
	assert_int_equal(monitors_begin(&m, &e), 0);
	assert_int_equal(monitors_take(&m, &e), 0);
	fake_put(&f, "proc/vmstat", "pgfault 5\n");
	assert_int_equal(monitors_end(&m, &e), 0);
	kept(&f, "proc-vmstat", &vmstat);
	kept(&f, "numa-vmstat", &numa);
	assert_string_equal(text_str(&vmstat), "T\npgfault 1\nT\npgfault 5\n");
	assert_int_equal(strncmp(text_str(&numa),
				 "T\n/sys/devices/system/node/node0/vmstat\nnuma_hit 1\n"
				 "/sys/devices/system/node/node2/vmstat\nnuma_hit 2\n"
				 "/sys/devices/system/node/node10/vmstat\nnuma_hit 3\nT\n", 140), 0);
	assert_true(m.cpu_ns > 0);
	fake_close(&f);
}

TEST(the_timer_brings_samples_between)
{
	_monitors_ struct monitors m = MONITORS_NONE;
	_text_ struct text t = {};
	struct err e = {};
	_plan_ struct plan plan;
	struct fake f;

	machine_open(&f, &plan);
	plan_monitor_add(&plan, "proc-vmstat", 2000000);
	assert_int_equal(monitors_open(&m, &plan, f.root, f.root, &e), 0);
	assert_int_equal(monitors_begin(&m, &e), 0);
	for (int i = 0; i < 3; i++) {
		struct pollfd p = { m.timer, POLLIN, 0 };

		assert_int_equal(poll(&p, 1, 60000), 1);
		assert_int_equal(monitors_take(&m, &e), 0);
	}
	assert_int_equal(monitors_end(&m, &e), 0);
	kept(&f, "proc-vmstat", &t);
	assert_string_equal(text_str(&t), "T\npgfault 1\nT\npgfault 1\nT\npgfault 1\nT\npgfault 1\n"
			    "T\npgfault 1\n");
	fake_close(&f);
}

TEST(what_is_not_there_is_told)
{
	_monitors_ struct monitors m = MONITORS_NONE;
	struct err e = {};
	_plan_ struct plan plan;
	struct fake f;

	machine_open(&f, &plan);
	plan_monitor_add(&plan, "meminfo", 1000000000);
	plan_monitor_add(&plan, "no-such", 1000000000);
	assert_int_equal(monitors_open(&m, &plan, f.root, f.root, &e), 0);
	assert_int_equal(m.n, 0);
	assert_int_equal(m.told.n, 2);
	assert_string_equal(m.told.line[0].value, "meminfo: no /proc/meminfo");
	assert_string_equal(m.told.line[1].value, "no-such: no monitor of that name");
	assert_int_equal(monitors_begin(&m, &e), 0);
	assert_int_equal(monitors_end(&m, &e), 0);
	assert_true(monitor_is_known("slabinfo"));
	assert_false(monitor_is_known("no-such"));
	fake_close(&f);
}

TEST(what_is_kept_is_bounded)
{
	_monitors_ struct monitors m = MONITORS_NONE;
	_text_ struct text t = {};
	struct err e = {};
	_plan_ struct plan plan;
	struct fake f;

	machine_open(&f, &plan);
	plan.out_max_bytes = 10;
	plan_monitor_add(&plan, "proc-vmstat", 1000000000);
	assert_int_equal(monitors_open(&m, &plan, f.root, f.root, &e), 0);
	assert_int_equal(monitors_begin(&m, &e), 0);
	assert_int_equal(monitors_end(&m, &e), 0);
	assert_string_equal(record_get(&m.told, "monitor_cut"), "proc-vmstat");
	kept(&f, "proc-vmstat", &t);
	assert_int_equal(t.len, 0);
	fake_close(&f);
}
