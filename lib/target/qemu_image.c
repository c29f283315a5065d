/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include "base/file.h"
#include "base/proc.h"
#include "base/record.h"
#include "run/init.h"
#include "run/plan.h"
#include "target/qemu_parts.h"

#define BUSYBOX "/bin/busybox"

enum program { PROGRAM_STATIC, PROGRAM_DYNAMIC, PROGRAM_SCRIPT };

/* Whether an ELF file asks for a loader, which the guest does not have. */
static enum program look(const char *path, struct err *e, int *code)
{
	_close_ int fd = open(path, O_RDONLY | O_CLOEXEC);
	Elf64_Phdr seg;
	Elf64_Ehdr h;

	*code = fd < 0 ? err_sys(e, "%s", path) : 0;
	if (fd < 0 || pread(fd, &h, sizeof(h), 0) != sizeof(h) ||
	    memcmp(h.e_ident, ELFMAG, SELFMAG) != 0)
		return PROGRAM_SCRIPT;
	for (size_t i = 0; i < h.e_phnum; i++)
		if (pread(fd, &seg, sizeof(seg), (off_t)(h.e_phoff + i * h.e_phentsize)) ==
		    sizeof(seg) && seg.p_type == PT_INTERP)
			return PROGRAM_DYNAMIC;
	return PROGRAM_STATIC;
}

static int add_program(struct initramfs *i, const struct qemu_vm *vm, const char *path,
		       struct err *e)
{
	int code;
	enum program p = look(path, e, &code);

	if (code < 0)
		return code;
	if (p == PROGRAM_DYNAMIC)
		return err_set(e, ENOEXEC, "%s: it is not static, and the machine has no libraries",
			       path);
	if (p == PROGRAM_SCRIPT && !vm->busybox)
		return err_set(e, ENOEXEC, "%s: a script, and there is no static busybox", path);
	return initramfs_copy(i, path, path, e);
}

/* Every name that it goes by; the list is its own. */
static int add_busybox(struct initramfs *i, const char *path, struct err *e)
{
	_proc_ struct proc p = { .argv = ARGV(path, "--list-full") };

	if (proc_ok(&p, e) < 0 || initramfs_copy(i, BUSYBOX, path, e) < 0)
		return -e->code;
	for (char *save, *name = strtok_r(p.out.p, "\n", &save); name;
	     name = strtok_r(NULL, "\n", &save)) {
		_free_ char *link = text_format("/%s", name);

		if (strcmp(link, BUSYBOX) != 0 && frame_path_ok(name, strlen(name)))
			initramfs_link(i, link, BUSYBOX);
	}
	initramfs_link(i, "/bin/bash", BUSYBOX);
	return 0;
}

static int add_modules(struct initramfs *i, const struct qemu_vm *vm, struct record *boot,
		       struct err *e)
{
	for (size_t k = 0; k < vm->n_modules; k++) {
		_free_ char *to = text_format("/krobot/modules/%s", path_base(vm->module[k]));

		record_add(boot, INIT_MODULE, to);
		if (initramfs_copy(i, to, vm->module[k], e) < 0)
			return -e->code;
	}
	return 0;
}

static bool is_added(char *const *v, size_t n, const char *path)
{
	while (n--)
		if (!strcmp(v[n], path))
			return true;
	return false;
}

static int add_plan(struct initramfs *i, const struct qemu_vm *vm, const struct qemu_run *run,
		    size_t k, char **program, struct record *boot, struct err *e)
{
	_free_ char *to = text_format("/krobot/plan/%zu", k);
	_plan_ struct plan plan;

	if (plan_read(&plan, AT_FDCWD, run->plan, e) < 0)
		return -e->code;
	if (*plan.program != '/')
		return err_set(e, EINVAL, "%s: program %s: not an absolute path", run->plan,
			       plan.program);
	program[k] = realpath(plan.program, NULL);
	if (!program[k])
		return err_sys(e, "%s", plan.program);
	record_add(boot, INIT_PLAN, to);
	if (!is_added(program, k, program[k]) && add_program(i, vm, program[k], e) < 0)
		return -e->code;
	if (strcmp(program[k], plan.program) != 0)
		initramfs_link(i, plan.program, program[k]);
	return initramfs_copy(i, to, run->plan, e);
}

static int add_plans(struct initramfs *i, const struct qemu_vm *vm, const struct qemu_run *run,
		     size_t n, struct record *boot, struct err *e)
{
	char **program = mem_zero(n + 1, sizeof(*program));
	int r = 0;

	for (size_t k = 0; k < n && r == 0; k++)
		r = add_plan(i, vm, &run[k], k, program, boot, e);
	for (size_t k = 0; k < n; k++)
		free(program[k]);
	free(program);
	return r;
}

static int add_agent(struct initramfs *i, const char *path, struct err *e)
{
	int code;

	if (look(path, e, &code) != PROGRAM_STATIC)
		return code < 0 ? code :
		       err_set(e, ENOEXEC, "%s: it is not static: no machine can start with it", path);
	return initramfs_copy(i, "/init", path, e);
}

int qemu_image_make(struct initramfs *i, const struct qemu_vm *vm, const struct qemu_run *run,
		    size_t n, struct err *e)
{
	_record_ struct record boot = {};
	_text_ struct text t = {};

	if (add_agent(i, vm->agent, e) < 0)
		return -e->code;
	initramfs_device(i, "/dev/console", 0600, 5, 1);
	initramfs_folder(i, "/tmp");
	if (vm->busybox && add_busybox(i, vm->busybox, e) < 0)
		return -e->code;
	if (add_modules(i, vm, &boot, e) < 0 || add_plans(i, vm, run, n, &boot, e) < 0)
		return -e->code;
	for (size_t k = 0; k < vm->n_files; k++)
		if (initramfs_copy(i, vm->file[k], vm->file[k], e) < 0)
			return -e->code;
	record_print(&boot, &t);
	initramfs_file(i, INIT_BOOT, 0644, t.p, t.len);
	initramfs_end(i);
	return 0;
}
