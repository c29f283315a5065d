/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <signal.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <sys/wait.h>

#include "run/fake.h"
#include "run/setting.h"
#include "run/setup.h"

#define THP "sys/kernel/mm/transparent_hugepage/"
#define POLICY "sys/devices/system/cpu/cpufreq/policy"

/* A stand-in for /proc/sys and /sys, and what is wanted of it. */
struct bench {
	struct fake fake;
	int root;
	char snapshot[80];
	struct plan_list set;
};

static const char *const machine[][2] = {
	{ THP "enabled", "always [madvise] never\n" },
	{ THP "defrag", "always defer defer+madvise [madvise] never\n" },
	{ "proc/sys/kernel/randomize_va_space", "2\n" },
	{ "proc/sys/kernel/numa_balancing", "1\n" },
	{ "proc/sys/vm/dirty_ratio", "20\n" },
	{ "proc/sys/vm/dirty_bytes", "0\n" },
	{ "proc/sys/net/ipv4/tcp_rmem", "4096\t131072\t6291456\n" },
	{ "sys/devices/system/cpu/intel_pstate/no_turbo", "0\n" },
	{ POLICY "0/scaling_governor", "powersave\n" },
	{ POLICY "1/scaling_governor", "schedutil\n" },
	{ POLICY "10/scaling_governor", "ondemand\n" },
};

static void bench_open(struct bench *f)
{
	*f = (struct bench){};
	fake_open(&f->fake);
	f->root = f->fake.root;
	snprintf(f->snapshot, sizeof(f->snapshot), "%s/state/settings/1", f->fake.path);
	for (size_t i = 0; i < COUNT(machine); i++)
		fake_put(&f->fake, machine[i][0], machine[i][1]);
}

static void bench_close(struct bench *f)
{
	for (size_t i = 0; i < f->set.n; i++)
		free(f->set.v[i]);
	free(f->set.v);
	fake_close(&f->fake);
}

static bool holds(const struct bench *f, const char *path, const char *text)
{
	_text_ struct text t = {};
	struct err e = {};

	assert_int_equal(file_read(f->root, path, 4096, &t, &e), 0);
	if (strcmp(text_str(&t), text))
		print_message("# %s: %s", path, text_str(&t));
	return !strcmp(text_str(&t), text);
}

/* As it was at first, where files that show choices show the chosen one alone. */
static void assert_as_before(const struct bench *f)
{
	assert_true(access(f->snapshot, F_OK) < 0);
	for (size_t i = 0; i < COUNT(machine); i++) {
		_text_ struct text now = {};
		struct err e = {};

		assert_int_equal(file_read(f->root, machine[i][0], 4096, &now, &e), 0);
		if (strchr(machine[i][1], '['))
			assert_non_null(strstr(text_str(&now), "madvise"));
		else if (strchr(machine[i][1], '\t'))
			assert_true(text_starts(text_str(&now), "4096"));
		else
			assert_string_equal(text_str(&now), machine[i][1]);
	}
}

static const char *const wanted[] = {
	"cpufreq_governor=performance", "turbo=off", "transparent_hugepage.thp_enabled=never",
	"thp_defrag=always", "aslr=0", "numa_balancing=off", "dirty_bytes=4096",
	"sysctl.net.ipv4.tcp_rmem=4096 100000 6000000", "nmi_watchdog=0",
};

static void want_all(struct bench *f)
{
	for (size_t i = 0; i < COUNT(wanted); i++)
		plan_list_add(&f->set, wanted[i]);
}

TEST(all_is_set_and_put_back)
{
	_setup_ struct setup s = SETUP_NONE;
	struct err e = {};
	struct bench f;

	bench_open(&f);
	want_all(&f);
	s.root = f.root;
	s.snapshot = f.snapshot;
	assert_int_equal(setup_apply(&s, &f.set, &e), 0);
	assert_true(access(f.snapshot, F_OK) == 0);
	assert_true(holds(&f, THP "enabled", "never\n"));
	assert_true(holds(&f, POLICY "0/scaling_governor", "performance\n"));
	assert_true(holds(&f, POLICY "10/scaling_governor", "performance\n"));
	assert_true(holds(&f, "sys/devices/system/cpu/intel_pstate/no_turbo", "1\n"));
	assert_true(holds(&f, "proc/sys/kernel/numa_balancing", "0\n"));
	assert_true(holds(&f, "proc/sys/vm/dirty_bytes", "4096\n"));
	assert_string_equal(record_get(&s.told, SETUP_UNAVAILABLE), "nmi_watchdog=0");
	assert_string_equal(record_get(&s.told, SETUP_WAS), POLICY "0/scaling_governor=powersave");
	/* A kernel would have made this 0; a file does not, so the test does. */
	fake_put(&f.fake, "proc/sys/vm/dirty_ratio", "0\n");
	assert_int_equal(setup_put_back(&s, &e), 0);
	fake_put(&f.fake, "proc/sys/vm/dirty_bytes", "0\n");
	assert_as_before(&f);
	assert_int_equal(setup_put_back(&s, &e), 0);
	bench_close(&f);
}

TEST(keys_are_known_without_the_machine)
{
	static const char *const keys[] = { "turbo", "cpufreq_governor", "swap", "sc_swappiness",
		"transparent_hugepage.thp_enabled", "sysctl.vm.swappiness", "/proc/sys/vm/x" };
	static const char *const others[] = { "", "size", "turbo.", "vm-scalability.test", "swap.x" };

	for (size_t i = 0; i < COUNT(keys); i++)
		assert_true(setting_is_known(keys[i]));
	for (size_t i = 0; i < COUNT(others); i++)
		assert_false(setting_is_known(others[i]));
}

TEST(what_cannot_be_set_changes_nothing)
{
	static const struct {
		const char *want, *said;
	} cases[] = {
		{ "thp_enabeld=never", "unknown setting 'thp_enabeld'" },
		{ "sysctl.../../etc/passwd=x", "is not the name of a file below /proc/sys/" },
		{ "/etc/passwd=x", "'/etc/passwd' is not below /sys or /proc/sys" },
		{ "/sys/../etc/passwd=x", "is not below /sys or /proc/sys" },
		{ "/proc/sys/kernel/folder=1", "proc/sys/kernel/folder: Is a directory" },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		_setup_ struct setup s = SETUP_NONE;
		struct err e = {};
		struct bench f;

		bench_open(&f);
		fake_put(&f.fake, "proc/sys/kernel/folder/x", "1\n");
		plan_list_add(&f.set, "aslr=0");
		plan_list_add(&f.set, cases[i].want);
		s.root = f.root;
		s.snapshot = f.snapshot;
		assert_true(setup_apply(&s, &f.set, &e) < 0);
		if (!strstr(e.text, cases[i].said))
			fail_msg("said: %s", e.text);
		assert_as_before(&f);
		bench_close(&f);
	}
}

/* A file of /proc that can be read but refuses what is written. */
TEST(a_refused_value_undoes_those_before_it)
{
	_setup_ struct setup s = SETUP_NONE;
	_free_ char *link = NULL;
	struct err e = {};
	struct bench f;

	bench_open(&f);
	link = path_join(f.fake.path, "proc/sys/vm/refuses");
	assert_int_equal(symlink("/proc/version", link), 0);
	want_all(&f);
	plan_list_add(&f.set, "/proc/sys/vm/refuses=1");
	s.root = f.root;
	s.snapshot = f.snapshot;
	assert_true(setup_apply(&s, &f.set, &e) < 0);
	assert_non_null(strstr(e.text, "/proc/sys/vm/refuses"));
	assert_true(access(f.snapshot, F_OK) < 0);
	assert_true(holds(&f, "proc/sys/kernel/randomize_va_space", "2\n"));
	assert_true(holds(&f, POLICY "1/scaling_governor", "schedutil\n"));
	bench_close(&f);
}

TEST(one_transaction_at_a_time)
{
	_setup_ struct setup a = SETUP_NONE, b = SETUP_NONE;
	char other[100];
	struct err e = {};
	struct bench f;

	bench_open(&f);
	plan_list_add(&f.set, "aslr=0");
	snprintf(other, sizeof(other), "%s-other", f.snapshot);
	a.root = b.root = f.root;
	a.snapshot = f.snapshot;
	b.snapshot = other;
	b.patience_ms = 1;
	assert_int_equal(setup_apply(&a, &f.set, &e), 0);
	assert_int_equal(setup_apply(&b, &f.set, &e), -EBUSY);
	assert_int_equal(setup_put_back(&a, &e), 0);
	assert_int_equal(setup_apply(&b, &f.set, &e), 0);
	assert_int_equal(setup_put_back(&b, &e), 0);
	assert_as_before(&f);
	bench_close(&f);
}

TEST(a_setting_that_has_gone_is_passed_over)
{
	_setup_ struct setup s = SETUP_NONE;
	_free_ char *gone = NULL;
	struct err e = {};
	struct bench f;

	bench_open(&f);
	plan_list_add(&f.set, "aslr=0");
	plan_list_add(&f.set, "cpufreq_governor=performance");
	s.root = f.root;
	s.snapshot = f.snapshot;
	assert_int_equal(setup_apply(&s, &f.set, &e), 0);
	gone = path_join(f.fake.path, POLICY "1/scaling_governor");
	assert_int_equal(unlink(gone), 0);
	assert_int_equal(setup_put_back(&s, &e), 0);
	fake_put(&f.fake, POLICY "1/scaling_governor", "schedutil\n");
	assert_as_before(&f);
	bench_close(&f);
}

TEST(an_edited_snapshot_leads_nowhere_else)
{
	static const char bad[] = "was proc/sys/../../etc/x=1\nwas proc/sys/kernel/numa_balancing=1\n";
	_setup_ struct setup s = SETUP_NONE;
	struct err e = {};
	struct bench f;

	bench_open(&f);
	fake_put(&f.fake, "etc/x", "0\n");
	fake_put(&f.fake, "proc/sys/kernel/numa_balancing", "0\n");
	fake_put(&f.fake, "state/settings/1", bad);
	s.root = f.root;
	s.snapshot = f.snapshot;
	assert_int_equal(setup_put_back(&s, &e), -EINVAL);
	assert_true(holds(&f, "etc/x", "0\n"));
	assert_true(holds(&f, "proc/sys/kernel/numa_balancing", "1\n"));
	assert_int_equal(access(f.snapshot, F_OK), 0);
	bench_close(&f);
}

static _noreturn_ void transaction(const struct bench *f)
{
	struct setup s = { .root = f->root, .snapshot = f->snapshot, .lock = -1 };
	struct err e = {};

	if (ptrace(PTRACE_TRACEME, 0, NULL, NULL) < 0)
		_exit(3);
	raise(SIGSTOP);
	if (setup_apply(&s, &f->set, &e) < 0 || setup_put_back(&s, &e) < 0)
		_exit(1);
	_exit(0);
}

/*
 * Lets the child come to its @stops-th entry into the kernel or return from it,
 * and kills it there.  True if it came that far.
 */
static bool kill_after(pid_t pid, unsigned int stops, int *status)
{
	assert_int_equal(waitpid(pid, status, 0), pid);
	for (unsigned int i = 0; WIFSTOPPED(*status); i++) {
		if (i == stops) {
			kill(pid, SIGKILL);
			assert_int_equal(waitpid(pid, status, 0), pid);
			return true;
		}
		assert_int_equal(ptrace(PTRACE_SYSCALL, pid, NULL, NULL), 0);
		assert_int_equal(waitpid(pid, status, 0), pid);
	}
	return false;
}

TEST(killed_at_each_step_it_can_still_be_put_back)
{
	unsigned int stops = 0, undone = 0;

	/* The return from one system call is the entry into the next: every other one. */
	for (bool killed = true; killed; stops += 2) {
		_setup_ struct setup s = SETUP_NONE;
		struct err e = {};
		struct bench f;
		int status;
		pid_t pid;

		bench_open(&f);
		plan_list_add(&f.set, "aslr=0");
		plan_list_add(&f.set, "thp_enabled=never");
		plan_list_add(&f.set, "cpufreq_governor=performance");
		s.root = f.root;
		s.snapshot = f.snapshot;
		pid = fork();
		assert_true(pid >= 0);
		if (!pid)
			transaction(&f);
		killed = kill_after(pid, stops, &status);
		if (!killed && WEXITSTATUS(status) == 3) {
			print_message("# skipped: processes may not be traced here\n");
			bench_close(&f);
			return;
		}
		assert_true(killed || WEXITSTATUS(status) == 0);
		undone += access(f.snapshot, F_OK) == 0;
		assert_int_equal(setup_put_back(&s, &e), 0);
		assert_as_before(&f);
		bench_close(&f);
	}
	print_message("# killed at %u steps, put back after %u\n", stops / 2 - 1, undone);
	assert_true(stops > 60 && undone > 20);
}

/* For real, where this user may: a setting that disturbs no one for a moment. */
TEST(this_machine)
{
	static const char path[] = "proc/sys/vm/dirty_writeback_centisecs";
	_close_ int root = open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	char folder[] = "/tmp/setup-XXXXXX";
	_free_ char *snapshot = NULL;
	_text_ struct text before = {}, during = {}, after = {};
	struct plan_list set = {};
	struct setup s = { .root = root, .lock = -1 };
	struct err e = {};

	if (faccessat(root, path, W_OK, 0) < 0) {
		print_message("# skipped: /%s cannot be written\n", path);
		return;
	}
	assert_non_null(mkdtemp(folder));
	snapshot = path_join(folder, "snapshot");
	s.snapshot = snapshot;
	plan_list_add(&set, "dirty_writeback_centisecs=777");
	plan_list_add(&set, "thp_enabled=never");
	assert_int_equal(file_read(root, path, 100, &before, &e), 0);
	assert_int_equal(setup_apply(&s, &set, &e), 0);
	assert_int_equal(file_read(root, path, 100, &during, &e), 0);
	assert_int_equal(setup_put_back(&s, &e), 0);
	assert_int_equal(file_read(root, path, 100, &after, &e), 0);
	assert_string_equal(text_str(&during), "777\n");
	assert_string_equal(text_str(&after), text_str(&before));
	setup_release(&s);
	free(set.v[0]);
	free(set.v[1]);
	free(set.v);
	assert_int_equal(dir_remove(folder, &e), 0);
}
