/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A virtual machine under QEMU as the place where plans run.  One call is one
 * boot: a fresh machine starts, runs the plans one after the other, and is gone.
 * No root, no network, no disk image; QEMU dies with its caller.
 *
 *	struct qemu_vm vm = {
 *		.agent = "/usr/bin/krobot-agent", .state = place.state,
 *		.image = k.image, .release = k.release,		(kernel/kernel.h)
 *		.module = k.module, .n_modules = k.n_modules,
 *		.mode = mode,					(qemu_probe())
 *		.shape = { .cpus = 4, .sockets = 2, .nodes = 2, .memory_mib = 2048 },
 *	};
 *	struct qemu_run runs[] = { { "DIR/1/plan", "DIR/1" }, { "DIR/2/plan", "DIR/2" } };
 *	_qemu_boot_ struct qemu_boot b = {};
 *
 *	if (qemu_boot(&vm, runs, 2, &b, &e) < 0)
 *		...			the machinery failed before there was a machine
 *	if (b.end != QEMU_DONE)
 *		...			qemu_end_name(b.end), b.why; b.ran plans are whole
 *	result_exit_read(...)		how each run ended, as after a local run
 *
 * A result folder gets what the agent makes of a local run, and besides
 *
 *	console		what the machine said on its serial line from power-on, bounded
 *	boot		record: mode, accelerator, qemu, shape, kernel, cmdline, end, why,
 *			boot_ns, wall_ns, run (its number in the boot), host.*
 *
 * A folder whose run did not come to its end has no exit record: it is lost.
 * The kernel is never blamed by this layer; QEMU_PANIC, QEMU_HANG and
 * QEMU_NO_OUTPUT are what the caller may hold against it.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/record.h"
#include "base/text.h"

#define RESULT_CONSOLE	"console"
#define RESULT_BOOT	"boot"

/*
 * Numbers of different modes are never compared.
 * kvm: the host's processor runs the guest.
 * tcg: emulated, with a thread for each CPU.
 * tcg-icount: emulated, and the guest's clock counts its instructions: the same
 * code takes the same time each boot, but caches, TLB and contention cost nothing.
 * Use it with one CPU: older kernels hang there while they start the second.
 */
enum qemu_mode { QEMU_KVM, QEMU_TCG, QEMU_ICOUNT, QEMU_MODES };

/* "kvm", "tcg", "tcg-icount"; the second gives QEMU_MODES if @name is none of them. */
const char *qemu_mode_name(enum qemu_mode m);
enum qemu_mode qemu_mode_parse(const char *name);

#define QEMU_NODES_MAX 64

struct qemu_shape {
	unsigned int cpus, sockets, nodes;	/* nodes and sockets divide cpus */
	uint64_t memory_mib;			/* spread evenly over the nodes */
	/* nodes * nodes, row by row; NULL: 10, within a socket 12, else 21. */
	const unsigned char *distances;
};

struct qemu_vm {
	const char *qemu;		/* program; NULL: qemu-system-x86_64 */
	const char *agent;		/* path of the static krobot-agent */
	const char *state;		/* folder for notes of boots under way; NULL: none */
	const char *image, *release;	/* kernel to boot, and what uname -r must be */
	char *const *module;		/* files, in the order in which they are loaded */
	size_t n_modules;
	const char *cmdline;		/* more for the kernel's command line; NULL: nothing */
	enum qemu_mode mode;
	struct qemu_shape shape;
	const char *busybox;		/* static; for scripts' shell; NULL: none */
	const char *const *file;	/* more host files, found at the same path in there */
	size_t n_files;
	uint64_t boot_secs;		/* power-on to the agent's first word; 0: 60, icount 240 */
	uint64_t run_secs;		/* for a plan without a deadline; 0: an hour */
};

/* Paths; the plan's program is copied in and must be static or a script. */
struct qemu_run {
	const char *plan, *result;	/* @result is an existing folder */
};

enum qemu_end {
	QEMU_DONE,		/* all plans ran, all folders are here */
	QEMU_NO_OUTPUT,		/* not a byte on the console */
	QEMU_HANG,		/* the kernel started, the agent never spoke */
	QEMU_PANIC,		/* panic or oops; @why has its text */
	QEMU_NO_RESULT,		/* it went down by itself before all was here */
	QEMU_TIMEOUT,		/* the agent spoke, then took longer than allowed */
	QEMU_WRONG_KERNEL,	/* another release than asked for */
	QEMU_WRONG_SHAPE,	/* the guest does not see the CPUs or nodes asked for */
	QEMU_MACHINERY,		/* QEMU or the agent failed */
	QEMU_ENDS
};

/* "done", "no output", "early hang", "panic" ... */
const char *qemu_end_name(enum qemu_end end);

struct qemu_boot {
	enum qemu_end end;
	char *why;			/* one line, made visible; NULL when done */
	unsigned int ran;		/* plans whose folders are whole, counted from the first */
	struct text console;
	struct record facts;		/* the guest's at its start; empty if it never spoke */
	uint64_t boot_ns, wall_ns;	/* to the agent's first word (0: none), to the end */
};

/*
 * Boots, runs @n plans (0 is fine: a boot that only reports its facts), ends.
 * 0 with @b filled, however it ended; -errno when no machine could be started
 * (no QEMU, a file missing, a shape that cannot be).
 */
_must_check_ int qemu_boot(const struct qemu_vm *vm, const struct qemu_run *run, size_t n,
			   struct qemu_boot *b, struct err *e);

void qemu_boot_release(struct qemu_boot *b);
#define _qemu_boot_ _cleanup_(qemu_boot_release)

/*
 * Whether KVM works here, by booting @vm with it and no plan: /dev/kvm may be
 * there and still not work.  @mode is QEMU_KVM or QEMU_TCG.  The answer is kept
 * in the folder @cache for this QEMU, host kernel and processor.
 */
_must_check_ int qemu_probe(const struct qemu_vm *vm, const char *cache, enum qemu_mode *mode,
			    struct err *e);
