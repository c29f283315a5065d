/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <fcntl.h>
#include <stdlib.h>
#include <zlib.h>

#include "base/check.h"
#include "base/file.h"
#include "job/needs.h"
#include "job/resolve.h"
#include "job/spell.h"

#define GIB (1ULL << 30)

static struct job_program test = { .kind = PROGRAM_TEST, .name = "t" };

static bool has(const char *name, void *arg)
{
	return !strcmp(name, "perf");
}

/* The reason, or "" when the needs are met. */
static char *reason_of(struct job_needs needs, const struct program_description *d)
{
	struct job_host host = {
		.nr_cpu = 2, .nr_node = 1, .memory = 24 * GIB, .virtual = true,
		.kernel = (char[]){ "6.1.0-47-amd64" },
		.kconfig = (char[]){ "CONFIG_NUMA=y\nCONFIG_KSM=m\n# CONFIG_X is not set\nCONFIG_HZ=250\n" },
	};
	struct job_param env[] = { { "size", "64G" }, { "small", "1G" } };
	struct job job = { .test = "t", .program = &test, .n_programs = 1, .env = { env, 2 },
			   .needs = needs };
	struct needs_facts f = { .host = &host, .memory_free = 20 * GIB, .disk_free = 8 * GIB,
				 .has_program = has };
	_text_ struct text t = {};
	enum needs_answer a = job_needs_check(&job, d, &f, &t);

	assert_int_equal(a == NEEDS_MET, t.len == 0);
	return text_steal(&t);
}

#define NEEDS(want, ...) do {								\
		_free_ char *got_ = reason_of((struct job_needs){ __VA_ARGS__ }, NULL);	\
		assert_string_equal(got_, want);					\
	} while (0)

TEST(each_need_has_its_reason)
{
	NEEDS("", .memory = NULL);
	NEEDS("", .memory = "20G");
	NEEDS("needs 64G of memory, the machine has 24G", .memory = "64G");
	NEEDS("needs 22G of memory, free are 20G", .memory = "90%");
	NEEDS("needs 8T of memory, the machine has 24G", .memory = "8T");
	NEEDS("needs 10G of disk, free are 8G", .disk = "10G");
	NEEDS("", .cpus = 2);
	NEEDS("needs 4 CPUs, the machine has 2", .cpus = 4);
	NEEDS("needs 2 NUMA nodes, the machine has 1", .nodes = 2);
	NEEDS("needs a physical machine, this is a virtual one", .physical = true);
	NEEDS("needs root", .root = true);
}

TEST(versions_are_compared_by_number)
{
	NEEDS("", .kernel = "v5.10");
	NEEDS("", .kernel = ">= v6.1");
	NEEDS("", .kernel = "v6.1");
	NEEDS("needs kernel v6.10, this is 6.1.0-47-amd64", .kernel = "v6.10");
	NEEDS("needs kernel > v6.1, this is 6.1.0-47-amd64", .kernel = "> v6.1");
	NEEDS("needs kernel < v5.0, this is 6.1.0-47-amd64", .kernel = "< v5.0");
	NEEDS("", .kernel = "<= v6.1");
}

static char *option_reason(const char *option)
{
	return reason_of((struct job_needs){ .kconfig = &option, .n_kconfig = 1 }, NULL);
}

TEST(kernel_options)
{
	static const char *const rows[][2] = {
		{ "NUMA", "" }, { "KSM", "" }, { "NUMA=y", "" }, { "KSM=m", "" }, { "X=n", "" },
		{ "ABSENT=n", "" }, { "HZ=250", "" }, { "NUMA=m", "" }, { "X=y, v9.9", "" },
		{ "X", "needs CONFIG_X, the kernel has it not set" },
		{ "KSM=y", "needs CONFIG_KSM=y, the kernel has m" },
		{ "NUMA=n", "needs CONFIG_NUMA=n, the kernel has y" },
		{ "HZ=1000", "needs CONFIG_HZ=1000, the kernel has 250" },
		{ "UMA", "needs CONFIG_UMA, the kernel has it not set" },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		_free_ char *got = option_reason(rows[i][0]);

		assert_string_equal(got, rows[i][1]);
	}
}

TEST(programs_must_be_there)
{
	const char *perf = "perf", *other = "other";
	struct job none = { .test = "t" };
	struct job_host host = {};
	struct needs_facts f = { .host = &host };
	_text_ struct text t = {};

	NEEDS("", .programs = &perf, .n_programs = 1);
	NEEDS("needs the program 'other'", .programs = &other, .n_programs = 1);
	assert_int_equal(job_needs_check(&none, NULL, &f, &t), NEEDS_UNMET);
	assert_string_equal(text_str(&t), "no test 't' in the trees of KROBOT_PATH");
}

TEST(a_description_may_need_what_a_parameter_says)
{
	struct program_parameter p = { .name = "by_default", .value = "30G" };
	struct program_description d = { .parameter = &p, .n_parameters = 1 };
	static const char *const rows[][2] = {
		{ "size", "needs 64G of memory, the machine has 24G" }, { "small", "" },
		{ "by_default", "needs 30G of memory, the machine has 24G" }, { "1M", "" },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		_free_ char *got = NULL;

		d.needs.memory = rows[i][0];
		got = reason_of((struct job_needs){}, &d);
		assert_string_equal(got, rows[i][1]);
	}
	d.needs.memory = NULL;
	d.needs.nodes = "2";
	{
		_free_ char *got = reason_of((struct job_needs){}, &d);

		assert_string_equal(got, "needs 2 NUMA nodes, the machine has 1");
	}
}

TEST(values_are_resolved_for_the_machine)
{
	static const struct {
		const char *key, *kind, *value;
		uint64_t nr_cpu;
		const char *want;
	} rows[] = {
		{ "nr_task", NULL, "50%", 2, "1" }, { "nr_task", NULL, "12.5%", 2, "1" },
		{ "nr_task", NULL, "50%", 3, "1" }, { "nr_task", NULL, "12.5%", 480, "60" },
		{ "nr_task", "count", "200%", 3, "6" }, { "nr_dirs", NULL, "16d", 2, "16" },
		{ "iterations", NULL, "32x", 2, "32" }, { "runtime", NULL, "5m", 2, "300" },
		{ "runtime", "time", "5m", 2, "5m" }, { "size", "size", "50%", 2, "536870912" },
		{ "size", NULL, "512G", 2, "512G" }, { "test", NULL, "50%", 2, "50%" },
		{ "nr_task", NULL, "all", 2, "all" },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		struct job_host host = { .nr_cpu = rows[i].nr_cpu, .memory = GIB };
		_arena_ struct arena a = {};

		assert_string_equal(value_resolve(&a, rows[i].key, rows[i].kind, rows[i].value, &host),
				    rows[i].want);
	}
}

TEST(one_slip_is_near)
{
	static const char *const near[] = {
		"nr_tsk", "nr_tasks", "nr_taks", "nr_tusk", "r_task", "nr_tas", "xnr_task",
		"rn_task",
	};
	static const char *const far[] = { "nr_task", "nr_thread", "nr_tk", "", "task", "nrtasks" };

	for (size_t i = 0; i < COUNT(near); i++)
		assert_true(spell_near(near[i], "nr_task") && spell_near("nr_task", near[i]));
	for (size_t i = 0; i < COUNT(far); i++)
		assert_false(spell_near(far[i], "nr_task") || spell_near("nr_task", far[i]));
}

TEST(a_host_is_read_as_lkp_writes_it)
{
	char path[] = "/tmp/krobot-host-XXXXXX";
	static const char text[] = "model: Ivy Bridge\nnr_node: 2\nnr_cpu: 96\nmemory: 128G\n"
				   "hdd_partitions:\n /dev/a\n /dev/b\nneed_kconfig_hw:\n- A\n";
	_job_host_ struct job_host h = {};
	struct err e = {};
	_close_ int fd = mkstemp(path);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	assert_int_equal(job_host_read(&h, path, &e), 0);
	assert_int_equal(h.nr_cpu, 96);
	assert_int_equal(h.nr_node, 2);
	assert_int_equal(h.memory, 128 * GIB);
	assert_string_equal(h.memory_text, "128G");
	assert_string_equal(h.extra[0].value, "Ivy Bridge");
	unlink(path);
}

static void put(const char *root, const char *name, const char *text)
{
	_free_ char *path = path_join(root, name), *folder = path_folder(path);
	struct err e = {};

	assert_int_equal(dir_make(folder, &e), 0);
	assert_int_equal(file_write(AT_FDCWD, path, text, strlen(text), &e), 0);
}

TEST(a_machine_is_read_from_proc_and_sys)
{
	char root[] = "/tmp/krobot-host-XXXXXX";
	_job_host_ struct job_host h = {};
	_free_ char *config = NULL;
	struct err e = {};
	gzFile f;

	assert_non_null(mkdtemp(root));
	put(root, "sys/devices/system/cpu/online", "0-63,128-191\n");
	put(root, "sys/devices/system/node/online", "0-1,4\n");
	put(root, "proc/meminfo", "MemTotal:       131072000 kB\nMemFree: 1 kB\n");
	put(root, "proc/cpuinfo", "flags : fpu hypervisor\n");
	put(root, "proc/sys/kernel/osrelease", "6.1.0\n");
	config = path_join(root, "proc/config.gz");
	f = gzopen(config, "wb");
	assert_int_equal(gzputs(f, "CONFIG_NUMA=y\n"), 14);
	gzclose(f);
	assert_int_equal(job_host_here(&h, root, &e), 0);
	assert_int_equal(h.nr_cpu, 128);
	assert_int_equal(h.nr_node, 3);
	assert_string_equal(h.memory_text, "125G");
	assert_string_equal(h.kernel, "6.1.0");
	assert_string_equal(h.kconfig, "CONFIG_NUMA=y\n");
	assert_true(h.virtual);
	assert_int_equal(dir_remove(root, &e), 0);
}

TEST(this_machine_has_something)
{
	_job_host_ struct job_host h = {}, none = {};
	struct err e = {};

	assert_int_equal(job_host_here(&h, "", &e), 0);
	assert_true(h.nr_cpu && h.nr_node && h.memory > GIB / 4);
	assert_int_equal(job_host_here(&none, "/nowhere", &e), -ENOENT);
}
