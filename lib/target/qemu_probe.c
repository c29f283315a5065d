/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * /dev/kvm can be there and open, and the first instruction of a guest still
 * ends in "KVM internal error", after which QEMU hangs.  So only a boot shows
 * whether it works.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/utsname.h>

#include "base/file.h"
#include "base/proc.h"
#include "target/qemu_parts.h"

#define PROBE_SECS	20
#define ANSWER		"accelerator"

/* For what the answer holds: this QEMU, this kernel, this processor. */
static int key_of(const struct qemu_vm *vm, struct text *key, struct err *e)
{
	_proc_ struct proc p = { .argv = ARGV(vm->qemu ? vm->qemu : "qemu-system-x86_64",
					      "--version") };
	_text_ struct text cpu = {};
	struct err ignored;
	struct utsname u;
	const char *model = NULL;

	if (proc_ok(&p, e) < 0)
		return -e->code;
	uname(&u);
	if (file_read(AT_FDCWD, "/proc/cpuinfo", 16U << 20, &cpu, &ignored) == 0)
		model = strstr(text_str(&cpu), "model name");
	text_printf(key, "%.*s; %s %s; %.*s", (int)strcspn(text_str(&p.out), "\n"),
		    text_str(&p.out), u.release, u.version,
		    model ? (int)strcspn(model, "\n") : 0, model ? model : "");
	return 0;
}

static bool find_answer(const char *path, const char *key, enum qemu_mode *mode)
{
	_record_ struct record r = {};
	struct err ignored;
	const char *mode_name;

	if (record_read(&r, AT_FDCWD, path, &ignored) < 0 || !record_get(&r, "for") ||
	    strcmp(record_get(&r, "for"), key) != 0 || !(mode_name = record_get(&r, "mode")))
		return false;
	*mode = qemu_mode_parse(mode_name);
	return *mode < QEMU_MODES;
}

static int try_kvm(const struct qemu_vm *given, enum qemu_mode *mode, char **why, struct err *e)
{
	_qemu_boot_ struct qemu_boot b = {};
	struct qemu_vm vm = *given;

	*mode = QEMU_TCG;
	if (access("/dev/kvm", R_OK | W_OK) < 0) {
		*why = text_format("/dev/kvm: %s", strerror(errno));
		return 0;
	}
	vm.mode = QEMU_KVM;
	vm.boot_secs = PROBE_SECS;
	if (qemu_boot(&vm, NULL, 0, &b, e) < 0)
		return -e->code;
	if (b.end == QEMU_DONE)
		*mode = QEMU_KVM;
	*why = text_format("a boot with KVM: %s%s%s", qemu_end_name(b.end), b.why ? ": " : "",
			   b.why ? b.why : "");
	return 0;
}

int qemu_probe(const struct qemu_vm *vm, const char *cache, enum qemu_mode *mode, struct err *e)
{
	_free_ char *path = path_join(cache, ANSWER), *why = NULL;
	_record_ struct record r = {};
	_text_ struct text key = {};

	if (key_of(vm, &key, e) < 0)
		return -e->code;
	if (find_answer(path, text_str(&key), mode))
		return 0;
	if (try_kvm(vm, mode, &why, e) < 0)
		return err_in(e, "looking whether KVM works");
	record_add(&r, "for", text_str(&key));
	record_add(&r, "mode", qemu_mode_name(*mode));
	record_add(&r, "why", why);
	return record_write(&r, AT_FDCWD, path, e);
}
