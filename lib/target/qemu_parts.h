/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The parts of target/qemu.h, each tested by itself. */
#pragma once

#include "run/frame.h"
#include "target/initramfs.h"
#include "target/qemu.h"

/* qemu_args.c: the command line */

struct qemu_args {
	char **v;		/* ends in NULL */
	size_t n;
};

/* Descriptors that QEMU inherits: the initramfs, the results' and QMP's sockets. */
struct qemu_fds {
	int initrd, result, qmp;
};

/* EINVAL when the shape cannot be. */
_must_check_ int qemu_shape_check(const struct qemu_shape *s, struct err *e);
unsigned int qemu_shape_distance(const struct qemu_shape *s, unsigned int a, unsigned int b);
char *qemu_cmdline(const struct qemu_vm *vm);		/* the kernel's; caller frees */
void qemu_args_make(struct qemu_args *a, const struct qemu_vm *vm, const struct qemu_fds *fds);
void qemu_args_release(struct qemu_args *a);

/* qemu_image.c: what the guest finds */
_must_check_ int qemu_image_make(struct initramfs *i, const struct qemu_vm *vm,
				 const struct qemu_run *run, size_t n, struct err *e);

/* qemu_intake.c: the agent's frames, into result folders */

struct qemu_intake {
	const struct qemu_run *run;
	size_t n;
	struct text buffer;
	unsigned int k;			/* the plan under way */
	bool running;
	int dir, file;			/* of its folder, and in it; -1: none */
	uint64_t taken;			/* bytes of its files */
	unsigned int ran;		/* plans whose folders are whole */
	bool hello, end;		/* seen */
	bool started;			/* a plan was started since the last look */
	struct record facts;
	char *trouble;			/* the agent's own; NULL: none */
};

#define QEMU_INTAKE_MAX_BYTES (4ULL << 30)	/* of one run's files */

void qemu_intake_init(struct qemu_intake *t, const struct qemu_run *run, size_t n);

/* EBADMSG when the guest breaks the rules; no byte is to be given after that. */
_must_check_ int qemu_intake_take(struct qemu_intake *t, const void *bytes, size_t n,
				  struct err *e);
void qemu_intake_release(struct qemu_intake *t);

/* qemu_end.c: what kind of end it was */

struct qemu_seen {
	const struct qemu_vm *vm;
	const struct qemu_intake *intake;
	const struct text *console;
	const char *said;		/* QEMU's stderr */
	const char *broken;		/* why the stream of frames is; NULL: it is not */
	bool stopped;			/* QEMU stopped the machine of its own */
	bool late;			/* a deadline passed */
	int status;			/* of QEMU as wait() gives it; -1 while it was ended by us */
};

enum qemu_end qemu_end_judge(const struct qemu_seen *s, char **why);

/* NULL when the guest's facts show what was asked for, else the difference. Caller frees. */
char *qemu_facts_differ(const struct qemu_vm *vm, const struct record *facts,
			enum qemu_end *end);
