/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <string.h>

#include "run/trouble.h"

#define FOUND_MAX 1000
#define TEXT_MAX 300

/*
 * The parts between the stars come in this order somewhere in the line; one that
 * starts with ^ starts the line.  The first row that fits counts, so that the
 * particular stands before the general.
 */
static const struct row {
	const char *pattern;
	struct trouble is;
} rows[] = {
	{ "^traps: ", { NULL } },		/* programs that crash, not the kernel */
	{ "^audit: type=", { NULL } },

	{ "Kernel panic - not syncing", { "panic", TROUBLE_FAILED } },
	{ "PANIC: double fault", { "panic", TROUBLE_FAILED } },
	{ "PANIC: early exception", { "panic", TROUBLE_FAILED } },
	{ "-- System halted", { "panic", TROUBLE_FAILED } },

	{ "KASAN: ", { "kasan", TROUBLE_FAILED } },
	{ "KFENCE: ", { "kfence", TROUBLE_FAILED } },
	{ "KMSAN: ", { "kmsan", TROUBLE_FAILED } },
	{ "KCSAN: ", { "kcsan", TROUBLE_NOTE } },
	{ "UBSAN: ", { "ubsan", TROUBLE_NOTE } },

	{ "kernel BUG at ", { "bug", TROUBLE_FAILED } },
	{ "Kernel BUG at", { "bug", TROUBLE_FAILED } },
	{ "BUG: unable to handle", { "oops", TROUBLE_FAILED } },
	{ "BUG: kernel NULL pointer", { "oops", TROUBLE_FAILED } },
	{ "Unable to handle kernel", { "oops", TROUBLE_FAILED } },
	{ "Unhandled kernel ", { "oops", TROUBLE_FAILED } },
	{ "^general protection fault", { "oops", TROUBLE_FAILED } },
	{ "Oops: ", { "oops", TROUBLE_FAILED } },
	{ "Oops - ", { "oops", TROUBLE_FAILED } },
	{ "^Internal error: ", { "oops", TROUBLE_FAILED } },
	{ ": 0000 [#", { "oops", TROUBLE_FAILED } },
	{ " [#*] SMP", { "oops", TROUBLE_FAILED } },
	{ " [#*] PREEMPT", { "oops", TROUBLE_FAILED } },
	{ "CFI failure at", { "oops", TROUBLE_FAILED } },
	{ "no CFI hash found at", { "oops", TROUBLE_FAILED } },
	/* Of an oops, which has said so before, or of a warning. */
	{ "RIP: 0010:", { "trace", TROUBLE_NOTE } },
	{ "EIP: ", { "trace", TROUBLE_NOTE } },
	{ "EIP is at ", { "trace", TROUBLE_NOTE } },
	{ "stack-protector: Kernel stack is corrupted", { "oops", TROUBLE_FAILED } },
	{ "low stack detected by irq handler", { "oops", TROUBLE_FAILED } },
	{ "KGDB: re-enter exception", { "oops", TROUBLE_FAILED } },
	{ "Unknown interrupt or fault at:", { "oops", TROUBLE_FAILED } },

	{ "BUG: soft lockup", { "lockup", TROUBLE_FAILED } },
	{ "hard LOCKUP", { "lockup", TROUBLE_FAILED } },
	{ "BUG: workqueue lockup", { "lockup", TROUBLE_FAILED } },
	{ "INFO: task * blocked for more than", { "hung-task", TROUBLE_FAILED } },
	{ "INFO: *detected stall", { "stall", TROUBLE_FAILED } },
	{ "INFO: * detected expedited stall", { "stall", TROUBLE_FAILED } },
	{ "INFO: *self-detected stall", { "stall", TROUBLE_FAILED } },
	{ "rcu: INFO: ", { "stall", TROUBLE_FAILED } },
	{ "INFO: NMI handler * took too long", { "stall", TROUBLE_NOTE } },
	{ "INFO: * cpu=", { "stall", TROUBLE_NOTE } },
	{ "smp: csd: Re-sending CSD lock", { "stall", TROUBLE_INVALID } },
	{ "nobody cared (try booting", { "irq", TROUBLE_INVALID } },
	{ "genirq: Flags mismatch irq", { "irq", TROUBLE_NOTE } },

	{ "possible circular locking", { "lockdep", TROUBLE_NOTE } },
	{ "possible recursive locking", { "lockdep", TROUBLE_NOTE } },
	{ "possible irq lock inversion", { "lockdep", TROUBLE_NOTE } },
	{ "lock order detected", { "lockdep", TROUBLE_NOTE } },
	{ "inconsistent lock state", { "lockdep", TROUBLE_NOTE } },
	{ "inconsistent {*} -> {*} usage", { "lockdep", TROUBLE_NOTE } },
	{ "bad unlock balance detected", { "lockdep", TROUBLE_NOTE } },
	{ "bad contention detected", { "lockdep", TROUBLE_NOTE } },
	{ "held lock freed", { "lockdep", TROUBLE_NOTE } },
	{ "a lock still held there", { "lockdep", TROUBLE_NOTE } },
	{ "locks still held", { "lockdep", TROUBLE_NOTE } },
	{ "but this task is not holding", { "lockdep", TROUBLE_NOTE } },
	{ "is trying to lock:", { "lockdep", TROUBLE_NOTE } },
	{ "is trying to release lock (", { "lockdep", TROUBLE_NOTE } },
	{ "is trying to contend lock (", { "lockdep", TROUBLE_NOTE } },
	{ "suspicious RCU usage", { "lockdep", TROUBLE_NOTE } },
	{ "suspicious rcu_dereference_check", { "lockdep", TROUBLE_NOTE } },
	{ "INFO: trying to register non-static key", { "lockdep", TROUBLE_NOTE } },
	{ "WARNING: chain_key collision", { "lockdep", TROUBLE_NOTE } },

	{ "scheduling while atomic", { "bug", TROUBLE_FAILED } },
	{ "bad: scheduling from the idle thread", { "bug", TROUBLE_FAILED } },
	{ "BUG: Bad page ", { "bug", TROUBLE_FAILED } },
	{ "BUG: Bad rss-counter", { "bug", TROUBLE_FAILED } },
	{ "^BUG ", { "bug", TROUBLE_FAILED } },		/* slab: "BUG kmalloc-64 (...): ..." */
	{ "[ BUG: ", { "bug", TROUBLE_FAILED } },
	{ "BUG: ", { "bug", TROUBLE_FAILED } },
	{ "INFO: Slab 0x", { "bug", TROUBLE_FAILED } },
	{ "INFO: Object 0x", { "bug", TROUBLE_FAILED } },
	{ "INFO: 0x*First byte 0x", { "bug", TROUBLE_FAILED } },
	{ "[ INFO: ", { "info", TROUBLE_NOTE } },
	{ "list_add corruption", { "corruption", TROUBLE_FAILED } },
	{ "list_del corruption", { "corruption", TROUBLE_FAILED } },
	{ "refcount_t: ", { "refcount", TROUBLE_NOTE } },
	{ "pagealloc: memory corruption", { "corruption", TROUBLE_FAILED } },
	{ "pagealloc: single bit error", { "corruption", TROUBLE_FAILED } },
	{ "addition on 0; use-after-free", { "refcount", TROUBLE_NOTE } },
	{ "decrement hit 0; leaking memory", { "refcount", TROUBLE_NOTE } },
	{ "underflow; use-after-free", { "refcount", TROUBLE_NOTE } },
	{ "saturated; leaking memory", { "refcount", TROUBLE_NOTE } },
	{ "unknown saturation event", { "refcount", TROUBLE_NOTE } },

	{ "Out of memory: Kill", { "oom", TROUBLE_INVALID } },
	{ "Out of memory and no killable processes", { "oom", TROUBLE_FAILED } },
	{ "Memory cgroup out of memory: Kill", { "oom", TROUBLE_INVALID } },
	{ "invoked oom-killer:", { "oom", TROUBLE_INVALID } },
	{ "page allocation failure: order:", { "allocation", TROUBLE_NOTE } },
	{ "page allocation stalls for", { "allocation", TROUBLE_INVALID } },
	{ "warn_alloc_failed", { "allocation", TROUBLE_NOTE } },
	{ "^Mem-Info:", { "allocation", TROUBLE_NOTE } },
	{ "GUP no longer grows the stack", { "allocation", TROUBLE_NOTE } },

	{ "cpu clock throttled", { "throttled", TROUBLE_INVALID } },
	{ "clock is throttled", { "throttled", TROUBLE_INVALID } },
	{ "[Hardware Error]", { "hardware", TROUBLE_INVALID } },
	{ "Machine check events logged", { "hardware", TROUBLE_INVALID } },
	{ "I/O error, dev ", { "hardware", TROUBLE_INVALID } },
	{ "EXT4-fs error", { "filesystem", TROUBLE_INVALID } },
	{ "XFS (*Internal error", { "filesystem", TROUBLE_INVALID } },
	{ "XFS (*Corruption", { "filesystem", TROUBLE_INVALID } },
	{ "BTRFS error", { "filesystem", TROUBLE_INVALID } },
	{ "BTRFS critical", { "filesystem", TROUBLE_INVALID } },
	{ "getblk(): invalid block size", { "filesystem", TROUBLE_NOTE } },
	{ "Clocksource * unstable", { "clock", TROUBLE_INVALID } },
	{ "Marking clocksource * as unstable", { "clock", TROUBLE_INVALID } },

	{ "sysfs: cannot create duplicate filename", { "register", TROUBLE_NOTE } },
	{ "kobject *tried to ", { "register", TROUBLE_NOTE } },
	{ "kobject *invalid kobject pointer", { "register", TROUBLE_NOTE } },
	{ "kobject *must have a ktype", { "register", TROUBLE_NOTE } },
	{ "sysctl table check failed", { "register", TROUBLE_NOTE } },
	{ "sysctl duplicate entry", { "register", TROUBLE_NOTE } },
	{ "sysctl could not get directory", { "register", TROUBLE_NOTE } },
	{ "sysctl link missing during unregister", { "register", TROUBLE_NOTE } },
	{ "initcall * returned with ", { "boot", TROUBLE_NOTE } },
	{ "Initramfs unpacking failed:", { "boot", TROUBLE_NOTE } },
	{ "rootfs image is not initramfs", { "boot", TROUBLE_NOTE } },
	{ "relocation outside of kernel!", { "boot", TROUBLE_NOTE } },
	{ "Failed to allocate space for phdrs", { "boot", TROUBLE_NOTE } },
	{ "Kernel is not a valid ELF file", { "boot", TROUBLE_NOTE } },
	{ "Destination address ", { "boot", TROUBLE_NOTE } },
	{ "Wrong destination address", { "boot", TROUBLE_NOTE } },
	{ "IP-Config: Auto-configuration of network failed", { "boot", TROUBLE_NOTE } },
	{ "Initiating system reboot", { "boot", TROUBLE_NOTE } },
	{ "failed to enable IOPF feature", { "driver", TROUBLE_NOTE } },
	{ "[drm:*[i915]]", { "driver", TROUBLE_NOTE } },
	{ "neighbour: Destroying alive neighbour", { "driver", TROUBLE_NOTE } },
	{ "S0Box: more than 5 loops", { "driver", TROUBLE_NOTE } },
	{ "bad frame in 32bit sigreturn", { "driver", TROUBLE_NOTE } },
	{ "audit: (*) error: ", { "audit", TROUBLE_NOTE } },

	{ "Assertion failed", { "assertion", TROUBLE_NOTE } },
	{ "assertion failed", { "assertion", TROUBLE_NOTE } },
	{ "Assertion failure", { "assertion", TROUBLE_NOTE } },
	{ "assertion failure", { "assertion", TROUBLE_NOTE } },
	{ "WARNING: ", { "warning", TROUBLE_NOTE } },
};

/* The last part may be empty: then the line ends as it likes. */
static bool fits(const char *line, const char *pattern)
{
	while (*pattern) {
		size_t n = strcspn(pattern, "*");

		if (*pattern == '^') {
			if (strncmp(line, pattern + 1, n - 1))
				return false;
			line += n - 1;
		} else {
			line = memmem(line, strlen(line), pattern, n);
			if (!line)
				return false;
			line += n;
		}
		pattern += n + (pattern[n] == '*');
	}
	return true;
}

/* "file.c:123 function !": how some subsystems complain without a keyword. */
static bool is_source_line(const char *line)
{
	const char *dot = strstr(line, ".c:"), *end = line + strlen(line);

	if (!dot)
		dot = strstr(line, ".h:");
	return dot && dot[3] >= '0' && dot[3] <= '9' && end[-1] == '!' &&
	       !memchr(line, ' ', (size_t)(dot - line));
}

const struct trouble *trouble_find(const char *line)
{
	static const struct trouble complaint = { "warning", TROUBLE_NOTE };

	for (size_t i = 0; i < COUNT(rows); i++)
		if (fits(line, rows[i].pattern))
			return rows[i].is.kind ? &rows[i].is : NULL;
	return is_source_line(line) ? &complaint : NULL;
}

static bool is_known(const struct record *found, const char *text)
{
	for (size_t i = 0; i < found->n; i++)
		if (!strcmp(found->line[i].value, text))
			return true;
	return false;
}

/* What follows "[   12.345678] ". */
static const char *after_time(const char *line)
{
	const char *close = *line == '[' ? strstr(line, "] ") : NULL;

	return close ? close + 2 : line;
}

const char *trouble_scan(const char *log, size_t n, struct record *found,
			 enum trouble_effect *worst)
{
	const char *end = log + n;
	size_t first = found->n, at = first;

	*worst = TROUBLE_NOTE;
	for (const char *p = log, *nl; p < end && found->n < FOUND_MAX; p = nl + 1) {
		_free_ char *line = NULL;
		const struct trouble *t;
		const char *said;

		nl = memchr(p, '\n', (size_t)(end - p));
		if (!nl)
			nl = end;
		line = text_format("%.*s", (int)(nl - p < TEXT_MAX ? nl - p : TEXT_MAX), p);
		said = after_time(line);
		t = *line == '#' ? NULL : trouble_find(said);
		if (!t || is_known(found, said))
			continue;
		record_add(found, t->kind, said);
		if (t->effect > *worst) {
			*worst = t->effect;
			at = found->n - 1;
		}
	}
	return found->n > first ? found->line[at].value : NULL;
}
