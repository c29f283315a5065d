/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Output of real tools that is known to be tricky, kept outside of the project
 * (SHARED/cases): what each parser must say, or must refuse.  Skipped where the
 * folder is absent.
 */
#include <fcntl.h>
#include <string.h>

#include "all.h"
#include "base/check.h"
#include "base/file.h"
#include "base/proc.h"

static const struct {
	const char *parser, *file, *says;	/* a line of the output, or the error */
} rows[] = {
	{ "vmstat", "vmstat/jc-vmstat-1-long.out", "memory.free: 763388\n" },
	{ "vmstat", "vmstat/jc-vmstat-awt.out", "nothing found" }, /* since boot alone */
	{ "vmstat", "vmstat/jc-vmstat-extra-wide.out", "nothing found" },
	{ "vmstat", "vmstat/jc-vmstat-d.out", "nothing found" }, /* disks, not vmstat */
	{ "perf-stat", "perf-stat/locale-de-interval.txt",
	  "line 1: '1.000,21' could be read two ways" },
	{ "perf-stat", "perf-stat/not-supported-arm.txt", "line 3: '9189,957375' could be read" },
	{ "perf-stat", "perf-stat/not-counted-semicolon.csv", "total.cycles: null not counted\n" },
	{ "mpstat", "mpstat/jc-mpstat-A-2-5.out", "cpu.all.usr%: 0.1\n" },
	{ "mpstat", "mpstat/sysstat-expected.mpstat-A-JSON", "node.1.nice%: 25.01\n" },
	{ "fio", "fio/json-with-error-lines-head.json", "JSON that begins in line 4" },
	{ "stress-ng", "stress-ng/metrics-corrupted.txt",
	  "krobot.invalid: 1 stress-ng: stressor metrics" },
	{ "stress-ng", "stress-ng/zero-ops-exit0.txt",
	  "krobot.invalid: 1 stress-ng: all bogo-op counters" },
	{ "proc-vmstat", "procfs/jc-vmstat", "nr_free_pages: " },
	{ "proc-vmstat", "procfs/node_exporter-vmstat", "nr_free_pages: " },
	{ "proc-vmstat", "procfs/pcp-m2-vmstat", "nr_alloc_batch: 5089\n" },
	{ "proc-vmstat", "procfs/pcp-m4-vmstat", "nr_free_pages: " },
	{ "proc-vmstat", "procfs/pcp-meminfo-root-007-vmstat", "nr_zone_active_anon: 224\n" },
	{ "meminfo", "procfs/node_exporter-meminfo", "MemFree: 225472\n" },
	{ "numa-meminfo", "procfs/pcp-meminfo-007-node1-meminfo", "node1.MemTotal: " },
	{ "buddyinfo", "procfs/jc-buddyinfo", "node0.DMA32.order10: 629\n" },
	{ "slabinfo", "procfs/jc-slabinfo", "RAWv6.active_slabs: 12\n" },
	{ "zoneinfo", "procfs/jc-zoneinfo2", "node0.DMA.free: 3832\n" },
	{ "interrupts", "procfs/node_exporter-interrupts_aarch64",
	  "IPI6:CPU_wake-up_interrupts: null" },
	{ "softirqs", "procfs/jc-softirqs", "TIMER: null" },
	{ "proc-stat", "topology/pcp-bigsys-proc-stat", "cpu479.user: null a counter seen once" },
	{ "interrupts", "topology/pcp-interrupts-1152cpu-x86_64.bz2",
	  "\nLOC:Local_timer_interrupts: null a counter seen once" },
};

static const struct parser *named(const char *name)
{
	for (size_t i = 0; i < COUNT(all_parsers); i++)
		if (!strcmp(all_parsers[i]->name, name))
			return all_parsers[i];
	fail_msg("no parser %s", name);
	return NULL;
}

/* False if it cannot be had here. */
static bool read_case(const char *path, struct text *out)
{
	struct err e = {};

	if (text_ends(path, ".bz2")) {
		_proc_ struct proc p = { .argv = ARGV("bzip2", "-dc", path) };

		if (proc_run(&p, &e) < 0 || p.status)
			return false;
		text_put(out, text_str(&p.out), p.out.len);
		return true;
	}
	return file_read(AT_FDCWD, path, 64U << 20, out, &e) == 0;
}

TEST(tricky_output_is_read_right_or_refused)
{
	const char *shared = getenv("SHARED");
	size_t n = 0;

	for (size_t i = 0; i < COUNT(rows); i++) {
		_free_ char *path =
			text_format("%s/cases/%s", shared ? shared : "../shared", rows[i].file);
		_parse_ struct parse p = { .out_fd = -1 };
		_input_ struct input *in = NULL;
		_text_ struct text raw = {};
		struct err e = {};

		if (!read_case(path, &raw))
			continue;
		n++;
		in = input_memory(text_str(&raw), raw.len);
		if (parse_run(&p, named(rows[i].parser), in, &e) < 0) {
			if (!strstr(e.text, rows[i].says))
				fail_msg("%s: %s", path, e.text);
		} else if (!strstr(text_str(&p.out), rows[i].says)) {
			fail_msg("%s has no '%s' but\n%.2000s", path, rows[i].says,
				 text_str(&p.out));
		}
	}
	if (!n)
		skip();
}
