/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <fcntl.h>
#include <regex.h>
#include <stdlib.h>

#include "base/check.h"
#include "base/file.h"
#include "run/trouble.h"

/* Lines as kernels print them, each with what it must be taken for. */
static const struct {
	const char *line, *kind;
	enum trouble_effect effect;
} lines[] = {
	{ "Kernel panic - not syncing: Fatal exception in interrupt", "panic", TROUBLE_FAILED },
	{ "PANIC: double fault, error_code: 0x0", "panic", TROUBLE_FAILED },
	{ "PANIC: early exception 0x0e IP 10:ffffffff81000000 error 0", "panic", TROUBLE_FAILED },
	{ " -- System halted", "panic", TROUBLE_FAILED },
	{ "BUG: KASAN: use-after-free in vfs_read+0x1/0x20", "kasan", TROUBLE_FAILED },
	{ "UBSAN: shift-out-of-bounds in mm/slub.c:1:2", "ubsan", TROUBLE_NOTE },
	{ "kernel BUG at mm/mmap.c:100!", "bug", TROUBLE_FAILED },
	{ "Kernel BUG at ffffffff81000000 [verbose debug info unavailable]", "bug", TROUBLE_FAILED },
	{ "BUG: unable to handle page fault for address: 0000000000001000", "oops", TROUBLE_FAILED },
	{ "BUG: kernel NULL pointer dereference, address: 0000000000000008", "oops", TROUBLE_FAILED },
	{ "Unable to handle kernel paging request at virtual address dead", "oops", TROUBLE_FAILED },
	{ "general protection fault, probably for non-canonical address 0x1: 0000 [#1] SMP PTI",
	  "oops", TROUBLE_FAILED },
	{ "Oops: 0002 [#1] PREEMPT SMP NOPTI", "oops", TROUBLE_FAILED },
	{ "Internal error: Oops - BUG: 00000000f2000800 [#1] SMP", "oops", TROUBLE_FAILED },
	{ "invalid opcode: 0000 [#1] PREEMPT SMP", "oops", TROUBLE_FAILED },
	{ "divide error: 0000 [#1] SMP", "oops", TROUBLE_FAILED },
	{ "CFI failure at do_one+0x5/0x10 (target: two+0x0/0x10; expected type: 0x1)", "oops",
	  TROUBLE_FAILED },
	{ "no CFI hash found at: one+0x0/0x10", "oops", TROUBLE_FAILED },
	{ "RIP: 0010:do_one+0x12/0x40", "trace", TROUBLE_NOTE },
	{ "RIP: 0010:[<ffffffff810>] do_one+0x1/0x2", "trace", TROUBLE_NOTE },
	{ "EIP: do_one+0x1a/0x40", "trace", TROUBLE_NOTE },
	{ "EIP is at do_one+0x1/0x20", "trace", TROUBLE_NOTE },
	{ "do_IRQ: one has overflown the kernel stack: low stack detected by irq handler", "oops",
	  TROUBLE_FAILED },
	{ "KGDB: re-enter exception: ALL breakpoints killed", "oops", TROUBLE_FAILED },
	{ "Unknown interrupt or fault at: 0 0 0", "oops", TROUBLE_FAILED },
	{ "watchdog: BUG: soft lockup - CPU#1 stuck for 22s! [test:1]", "lockup", TROUBLE_FAILED },
	{ "watchdog: Watchdog detected hard LOCKUP on cpu 3", "lockup", TROUBLE_FAILED },
	{ "INFO: task one:123 blocked for more than 120 seconds.", "hung-task", TROUBLE_FAILED },
	{ "INFO: rcu_sched detected stalls on CPUs/tasks:", "stall", TROUBLE_FAILED },
	{ "rcu: INFO: rcu_preempt self-detected stall on CPU", "stall", TROUBLE_FAILED },
	{ "INFO: NMI handler (perf_event_nmi_handler) took too long to run: 2.5 msecs", "stall",
	  TROUBLE_NOTE },
	{ "INFO: Allocated in one age=1 cpu=1 pid=2", "stall", TROUBLE_NOTE },
	{ "smp: csd: Re-sending CSD lock (#1) IPI from CPU#00 to CPU#01", "stall", TROUBLE_INVALID },
	{ "irq 16: nobody cared (try booting with the \"irqpoll\" option)", "irq", TROUBLE_INVALID },
	{ "genirq: Flags mismatch irq 4. 00000000 (one) vs. 00000080 (two)", "irq", TROUBLE_NOTE },
	{ "WARNING: possible circular locking dependency detected", "lockdep", TROUBLE_NOTE },
	{ "WARNING: possible recursive locking detected", "lockdep", TROUBLE_NOTE },
	{ "[ INFO: possible irq lock inversion dependency detected ]", "lockdep", TROUBLE_NOTE },
	{ "[ INFO: SOFTIRQ-safe -> SOFTIRQ-unsafe lock order detected ]", "lockdep", TROUBLE_NOTE },
	{ "WARNING: inconsistent lock state", "lockdep", TROUBLE_NOTE },
	{ "inconsistent {HARDIRQ-ON-W} -> {IN-HARDIRQ-W} usage.", "lockdep", TROUBLE_NOTE },
	{ "WARNING: bad unlock balance detected!", "lockdep", TROUBLE_NOTE },
	{ "WARNING: held lock freed!", "lockdep", TROUBLE_NOTE },
	{ "one/1 is freeing memory 0-8, with a lock still held there!", "lockdep", TROUBLE_NOTE },
	{ "one/1 is leaving the kernel with locks still held!", "lockdep", TROUBLE_NOTE },
	{ "one/1 is exiting with locks still held!", "lockdep", TROUBLE_NOTE },
	{ " but this task is not holding: (&one->lock)", "lockdep", TROUBLE_NOTE },
	{ "one/1 is trying to lock: (&one->lock)", "lockdep", TROUBLE_NOTE },
	{ "one/1 is trying to release lock (&one->lock) at:", "lockdep", TROUBLE_NOTE },
	{ "one/1 is trying to contend lock (&one->lock) at:", "lockdep", TROUBLE_NOTE },
	{ "WARNING: suspicious RCU usage", "lockdep", TROUBLE_NOTE },
	{ "INFO: trying to register non-static key.", "lockdep", TROUBLE_NOTE },
	{ "WARNING: chain_key collision", "lockdep", TROUBLE_NOTE },
	{ "BUG: scheduling while atomic: test/1/0x00000002", "bug", TROUBLE_FAILED },
	{ "BUG: sleeping function called from invalid context at mm/slab.h:1", "bug", TROUBLE_FAILED },
	{ "BUG kmalloc-64 (Not tainted): Redzone overwritten", "bug", TROUBLE_FAILED },
	{ "[ BUG: bad unlock balance detected! ]", "lockdep", TROUBLE_NOTE },
	{ "[ BUG: Invalid wait context! ]", "bug", TROUBLE_FAILED },
	{ "one-1: BUG: something", "bug", TROUBLE_FAILED },
	{ "[T1] BUG: something", "bug", TROUBLE_FAILED },
	{ "[    1.000000] BUG: something", "bug", TROUBLE_FAILED },
	{ "INFO: Slab 0x1 objects=1 used=1", "bug", TROUBLE_FAILED },
	{ "INFO: Object 0x1 @offset=1", "bug", TROUBLE_FAILED },
	{ "INFO: 0x1-0x2. First byte 0x6b instead of 0xcc", "bug", TROUBLE_FAILED },
	{ "[ INFO: suspicious thing ]", "info", TROUBLE_NOTE },
	{ "list_add corruption. next->prev should be prev", "corruption", TROUBLE_FAILED },
	{ "pagealloc: memory corruption", "corruption", TROUBLE_FAILED },
	{ "pagealloc: single bit error", "corruption", TROUBLE_FAILED },
	{ "refcount_t: underflow; use-after-free.", "refcount", TROUBLE_NOTE },
	{ "refcount_t: addition on 0; use-after-free.", "refcount", TROUBLE_NOTE },
	{ "refcount_t: decrement hit 0; leaking memory.", "refcount", TROUBLE_NOTE },
	{ "refcount_t: saturated; leaking memory.", "refcount", TROUBLE_NOTE },
	{ "refcount_t: unknown saturation event!?.", "refcount", TROUBLE_NOTE },
	{ "Out of memory: Kill process 1 (one) score 1 or sacrifice child", "oom", TROUBLE_INVALID },
	{ "Out of memory: Killed process 12 (one) total-vm:1kB", "oom", TROUBLE_INVALID },
	{ "Out of memory and no killable processes...", "oom", TROUBLE_FAILED },
	{ "Memory cgroup out of memory: Killed process 9 (one)", "oom", TROUBLE_INVALID },
	{ "one invoked oom-killer: gfp_mask=0xcc0, order=0", "oom", TROUBLE_INVALID },
	{ "one: page allocation failure: order:4, mode:0xcc0", "allocation", TROUBLE_NOTE },
	{ "warn_alloc_failed+0x1/0x2", "allocation", TROUBLE_NOTE },
	{ "Mem-Info:", "allocation", TROUBLE_NOTE },
	{ "one[1]: GUP no longer grows the stack in one (1): 1-2 (3)", "allocation", TROUBLE_NOTE },
	{ "CPU3: Package cpu clock throttled (total events = 4)", "throttled", TROUBLE_INVALID },
	{ "CPU1: Core temperature above threshold, cpu clock is throttled (total events = 1)",
	  "throttled", TROUBLE_INVALID },
	{ "mce: [Hardware Error]: Machine check events logged", "hardware", TROUBLE_INVALID },
	{ "I/O error, dev sda, sector 8 op 0x0:(READ)", "hardware", TROUBLE_INVALID },
	{ "EXT4-fs error (device sda1): ext4_lookup:1", "filesystem", TROUBLE_INVALID },
	{ "getblk(): invalid block size 1 requested", "filesystem", TROUBLE_NOTE },
	{ "sysfs: cannot create duplicate filename '/one'", "register", TROUBLE_NOTE },
	{ "kobject one: tried to init an initialized object", "register", TROUBLE_NOTE },
	{ "kobject one: invalid kobject pointer!", "register", TROUBLE_NOTE },
	{ "kobject one: must have a ktype to be initialized properly!", "register", TROUBLE_NOTE },
	{ "sysctl table check failed: one/two", "register", TROUBLE_NOTE },
	{ "sysctl duplicate entry: /one", "register", TROUBLE_NOTE },
	{ "sysctl could not get directory: /one", "register", TROUBLE_NOTE },
	{ "sysctl link missing during unregister: /one", "register", TROUBLE_NOTE },
	{ "initcall one returned with preemption imbalance", "boot", TROUBLE_NOTE },
	{ "Initramfs unpacking failed: junk", "boot", TROUBLE_NOTE },
	{ "rootfs image is not initramfs (invalid magic at start of compressed archive); looks like",
	  "boot", TROUBLE_NOTE },
	{ "32-bit relocation outside of kernel!", "boot", TROUBLE_NOTE },
	{ "64-bit relocation outside of kernel!", "boot", TROUBLE_NOTE },
	{ "Failed to allocate space for phdrs", "boot", TROUBLE_NOTE },
	{ "Kernel is not a valid ELF file", "boot", TROUBLE_NOTE },
	{ "Destination address inappropriately aligned", "boot", TROUBLE_NOTE },
	{ "Destination address too large", "boot", TROUBLE_NOTE },
	{ "Wrong destination address", "boot", TROUBLE_NOTE },
	{ "IP-Config: Auto-configuration of network failed.", "boot", TROUBLE_NOTE },
	{ "Initiating system reboot", "boot", TROUBLE_NOTE },
	{ "one: failed to enable IOPF feature", "driver", TROUBLE_NOTE },
	{ "[drm:one [i915]] *ERROR* two", "driver", TROUBLE_NOTE },
	{ "neighbour: Destroying alive neighbour 0", "driver", TROUBLE_NOTE },
	{ "S0Box: more than 5 loops in s0box_interrupt", "driver", TROUBLE_NOTE },
	{ "rsyslogd[1]: bad frame in 32bit sigreturn", "driver", TROUBLE_NOTE },
	{ "audit: (1) error: two", "audit", TROUBLE_NOTE },
	{ "Assertion failed", "assertion", TROUBLE_NOTE },
	{ "one: assertion failed: x", "assertion", TROUBLE_NOTE },
	{ "Assertion failure in one()", "assertion", TROUBLE_NOTE },
	{ "assertion failure", "assertion", TROUBLE_NOTE },
	{ "WARNING: CPU: 0 PID: 1 at mm/page_alloc.c:1 one+0x1/0x2", "warning", TROUBLE_NOTE },
	{ "WARNING: at kernel/one.c:1 two+0x1/0x2()", "warning", TROUBLE_NOTE },
	{ "WARNING: one lock two", "warning", TROUBLE_NOTE },
	{ "WARNING: bad lookup idx: 1", "warning", TROUBLE_NOTE },
	{ "WARNING: dead process 1 still has LDT?", "warning", TROUBLE_NOTE },
	{ "WARNING: kernel stack regs at 1", "warning", TROUBLE_NOTE },
	{ "WARNING: stack recursion on 1", "warning", TROUBLE_NOTE },
	{ "WARNING: workqueue cpumask: online intersect > possible intersect", "warning",
	  TROUBLE_NOTE },
	{ "drivers/one/two.c:123 three_four !", "warning", TROUBLE_NOTE },
};

TEST(each_line_is_taken_for_what_it_is)
{
	for (size_t i = 0; i < COUNT(lines); i++) {
		const struct trouble *t = trouble_find(lines[i].line);

		if (!t || strcmp(t->kind, lines[i].kind) || t->effect != lines[i].effect)
			fail_msg("%s: taken for %s", lines[i].line, t ? t->kind : "nothing");
	}
}

TEST(ordinary_lines_are_none)
{
	static const char *const quiet[] = {
		"", "x", "Linux version 6.1", "traps: one[1] general protection fault ip:0 sp:0",
		"one (86): drop_caches: 1", "one[12]: segfault at 0 ip 0 sp 0 error 4 in one[1+2]",
		"perf: interrupt took too long (2501 > 2500), lowering kernel.perf_event_max_sample_rate",
		"TCP: request_sock_TCP: Possible SYN flooding on port 1.", "debug: ok",
		"audit: type=1400 audit(1.2:3): BUG: not really", "lockdep is on",
		"random: crng init done!", "IPv6: eth0: link becomes ready",
	};

	for (size_t i = 0; i < COUNT(quiet); i++)
		if (trouble_find(quiet[i]))
			fail_msg("'%s' taken for %s", quiet[i], trouble_find(quiet[i])->kind);
}

TEST(a_log_gives_each_text_once_and_its_worst_first)
{
	static const char log[] =
		"[    1.000000] hello\n"
		"[    2.000000] WARNING: CPU: 0 PID: 1 at a.c:1 b+0x1/0x2\n"
		"[    3.000000] WARNING: CPU: 0 PID: 1 at a.c:1 b+0x1/0x2\n"
		"[    4.000000] Out of memory: Killed process 1 (a)\n"
		"[    5.000000] BUG: kernel NULL pointer dereference, address: 0\n"
		"[    6.000000] Kernel panic - not syncing: x\n"
		"# BUG: a note of ours";
	_record_ struct record found = {};
	enum trouble_effect worst;

	assert_string_equal(trouble_scan(log, strlen(log), &found, &worst),
			    "BUG: kernel NULL pointer dereference, address: 0");
	assert_int_equal(worst, TROUBLE_FAILED);
	assert_int_equal(found.n, 4);
	assert_string_equal(found.line[0].key, "warning");
	assert_string_equal(found.line[1].key, "oom");
}

TEST(a_quiet_log_gives_nothing)
{
	_record_ struct record found = {};
	enum trouble_effect worst;

	assert_null(trouble_scan("[    1.000000] hello\n", 21, &found, &worst));
	assert_null(trouble_scan("", 0, &found, &worst));
	assert_int_equal(found.n, 0);
}

/*
 * Every pattern of another robot's list fits one of the lines above, all of
 * which are caught: so what it catches in kind is caught here.
 */
TEST(nothing_that_another_robot_catches_is_missing)
{
	const char *shared = getenv("SHARED");
	_free_ char *path = text_format("%s/lkp/etc/oops-pattern", shared ? shared : "/nowhere");
	_text_ struct text t = {};
	struct err e = {};
	char *save = NULL;
	int missing = 0, all = 0;

	if (file_read(AT_FDCWD, path, 1U << 20, &t, &e) < 0) {
		print_message("# skipped: %s\n", e.text);
		return;
	}
	for (char *p = strtok_r(t.p, "\n", &save); p; p = strtok_r(NULL, "\n", &save)) {
		bool found = false;
		regex_t re;

		assert_int_equal(regcomp(&re, p, REG_EXTENDED | REG_NOSUB), 0);
		for (size_t i = 0; i < COUNT(lines) && !found; i++)
			found = !regexec(&re, lines[i].line, 0, NULL, 0);
		regfree(&re);
		if (!found)
			print_message("# no line for: %s\n", p);
		missing += !found;
		all++;
	}
	print_message("# %d of %d patterns\n", all - missing, all);
	assert_int_equal(missing, 0);
	assert_true(all > 50);
}
