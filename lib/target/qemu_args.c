/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "target/qemu_parts.h"

static const char *const modes[QEMU_MODES] = {
	[QEMU_KVM] = "kvm",
	[QEMU_TCG] = "tcg",
	[QEMU_ICOUNT] = "tcg-icount",
};

const char *qemu_mode_name(enum qemu_mode m)
{
	return modes[m];
}

enum qemu_mode qemu_mode_parse(const char *name)
{
	enum qemu_mode m = 0;

	while (m < QEMU_MODES && strcmp(modes[m], name) != 0)
		m++;
	return m;
}

int qemu_shape_check(const struct qemu_shape *s, struct err *e)
{
	if (!s->cpus || s->cpus > 255 || !s->sockets || s->cpus % s->sockets)
		return err_set(e, EINVAL, "%u CPUs on %u sockets cannot be", s->cpus, s->sockets);
	if (!s->nodes || s->nodes > QEMU_NODES_MAX || s->cpus % s->nodes)
		return err_set(e, EINVAL, "%u CPUs on %u nodes cannot be", s->cpus, s->nodes);
	if (s->nodes % s->sockets && s->sockets % s->nodes)
		return err_set(e, EINVAL, "%u sockets with %u nodes cannot be", s->sockets,
			       s->nodes);
	if (s->memory_mib < 128 * (uint64_t)s->nodes || s->memory_mib % s->nodes)
		return err_set(e, EINVAL, "%" PRIu64 " MiB on %u nodes: at least 128 each, evenly",
			       s->memory_mib, s->nodes);
	return 0;
}

unsigned int qemu_shape_distance(const struct qemu_shape *s, unsigned int a, unsigned int b)
{
	if (s->distances)
		return s->distances[a * s->nodes + b];
	if (a == b)
		return 10;
	return a * s->sockets / s->nodes == b * s->sockets / s->nodes && s->nodes > s->sockets ?
	       12 : 21;
}

static void add(struct qemu_args *a, char *owned)
{
	GROW(a->v, a->n);
	a->v[a->n++] = owned;
}

static void add2(struct qemu_args *a, const char *option, char *owned)
{
	add(a, text_copy(option));
	add(a, owned);
}

static void add_shape(struct qemu_args *a, const struct qemu_shape *s)
{
	unsigned int each = s->cpus / s->nodes;

	add2(a, "-m", text_format("%" PRIu64 "M", s->memory_mib));
	add2(a, "-smp", text_format("cpus=%u,sockets=%u,cores=%u,threads=1", s->cpus, s->sockets,
				    s->cpus / s->sockets));
	for (unsigned int n = 0; n < s->nodes; n++) {
		add2(a, "-object", text_format("memory-backend-ram,id=mem%u,size=%" PRIu64 "M", n,
					       s->memory_mib / s->nodes));
		add2(a, "-numa", text_format("node,nodeid=%u,cpus=%u-%u,memdev=mem%u", n, n * each,
					     n * each + each - 1, n));
	}
	for (unsigned int n = 0; n < s->nodes; n++)
		for (unsigned int m = 0; m < s->nodes; m++)
			if (n != m)
				add2(a, "-numa", text_format("dist,src=%u,dst=%u,val=%u", n, m,
							     qemu_shape_distance(s, n, m)));
}

static void add_mode(struct qemu_args *a, enum qemu_mode mode)
{
	if (mode == QEMU_KVM) {
		add2(a, "-accel", text_copy("kvm"));
		add2(a, "-cpu", text_copy("host"));
		return;
	}
	/* Four levels of page tables, as nearly all machines have them. */
	add2(a, "-cpu", text_copy("max,la57=off"));
	add2(a, "-accel", text_copy(mode == QEMU_TCG ? "tcg,thread=multi" : "tcg,thread=single"));
	if (mode == QEMU_ICOUNT)
		add2(a, "-icount", text_copy("shift=1,sleep=off"));
}

/*
 * An emulated TSC runs evenly, but on a busy host the guest may doubt it, and
 * would then read another clock in this boot than in the next.
 */
char *qemu_cmdline(const struct qemu_vm *vm)
{
	return text_format("console=ttyS0 earlyprintk=serial,ttyS0,115200 panic=-1 oops=panic%s%s%s",
			   vm->mode != QEMU_KVM ? " tsc=reliable" : "", vm->cmdline ? " " : "",
			   vm->cmdline ? vm->cmdline : "");
}

void qemu_args_make(struct qemu_args *a, const struct qemu_vm *vm, const struct qemu_fds *fds)
{
	static const char port[] = "virtserialport,chardev=result,name=" FRAME_PORT;
	static const char *const fixed[] = {
		"-nodefaults", "-no-user-config", "-display", "none", "-no-reboot",
		"-machine", "q35",
		"-chardev", "stdio,id=console,signal=off", "-serial", "chardev:console",
		"-device", "virtio-serial-pci",
		"-device", port,
		"-mon", "chardev=qmp,mode=control",
	};

	*a = (struct qemu_args){};
	add(a, text_copy(vm->qemu ? vm->qemu : "qemu-system-x86_64"));
	/* The devices name the channels, which therefore come first. */
	add2(a, "-chardev", text_format("socket,id=result,fd=%d", fds->result));
	add2(a, "-chardev", text_format("socket,id=qmp,fd=%d", fds->qmp));
	for (size_t i = 0; i < COUNT(fixed); i++)
		add(a, text_copy(fixed[i]));
	add_mode(a, vm->mode);
	add_shape(a, &vm->shape);
	add2(a, "-kernel", text_copy(vm->image));
	add2(a, "-initrd", text_format("/dev/fd/%d", fds->initrd));
	add2(a, "-append", qemu_cmdline(vm));
	add(a, NULL);
}

void qemu_args_release(struct qemu_args *a)
{
	for (size_t i = 0; i < a->n; i++)
		free(a->v[i]);
	free(a->v);
}
