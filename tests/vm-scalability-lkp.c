/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * LKP's further parameters of vm-scalability: a job that sets one gets what it
 * asks for, or is told why not.
 */
#include <errno.h>
#include <inttypes.h>
#include <sched.h>
#include <string.h>
#include <sys/vfs.h>

#include "vm-scalability.h"
#include "workload/place.h"

struct lkp_options lkp_options;

static const struct {
	const char *name;
	unsigned long magic;
} file_systems[] = {
	{ "xfs", 0x58465342 }, { "ext4", 0xef53 }, { "btrfs", 0x9123683e }, { "tmpfs", 0x01021994 },
	{ "f2fs", 0xf2f52010 }, { "ramfs", 0x858458f6 }, { "nfs", 0x6969 }, { "overlay", 0x794c7630 },
};

/* The folder of the run is where files are made; it is not ours to mount one there. */
static int check_fs(struct err *e)
{
	const char *fs = lkp_options.fs;
	struct statfs s;

	if (!*fs)
		return 0;
	if (statfs(".", &s) < 0)
		return err_sys(e, "fs: the current folder");
	for (size_t i = 0; i < COUNT(file_systems); i++) {
		if (strcmp(file_systems[i].name, fs))
			continue;
		return (unsigned long)s.f_type == file_systems[i].magic ? 0 :
			skip(e, "fs: the current folder is not on %s", fs);
	}
	return err_set(e, EINVAL, "fs: '%s' is no file system that can be told here", fs);
}

int lkp_check(const struct vm_case *vm, struct err *e)
{
	if (*lkp_options.timed_wp)
		return err_set(e, EINVAL, "timed_wp: '%s': no case here has it", lkp_options.timed_wp);
	if (lkp_options.bind_cpu && place_cpu(0) >= 0)
		return err_set(e, EINVAL, "bind_cpu: cpus, nodes or place say already where tasks go");
	return vm->memory == FILE_ONE || vm->memory == FILE_OWN ? check_fs(e) : 0;
}

int lkp_bind(unsigned int task, struct err *e)
{
	uint64_t at = task * lkp_options.bind_cpu;
	cpu_set_t may, one;

	if (!lkp_options.bind_cpu)
		return 0;
	if (sched_getaffinity(0, sizeof(may), &may) < 0)
		return err_sys(e, "sched_getaffinity");
	at %= (uint64_t)CPU_COUNT(&may);
	for (int cpu = 0; cpu < CPU_SETSIZE; cpu++) {
		if (!CPU_ISSET(cpu, &may) || at--)
			continue;
		CPU_ZERO(&one);
		CPU_SET(cpu, &one);
		return sched_setaffinity(0, sizeof(one), &one) < 0 ?
			err_sys(e, "bind_cpu: CPU %d", cpu) : 0;
	}
	return err_set(e, EINVAL, "bind_cpu: no CPU for task %u", task);
}
