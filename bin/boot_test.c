/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Real boots of Debian's kernels, which are downloaded into the user's cache once;
 * without QEMU, network or a static agent the tests are skipped and say so.
 */
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>

#include "base/check.h"
#include "base/file.h"
#include "flow/place.h"
#include "kernel/kernel.h"
#include "run/result.h"
#include "target/qemu.h"

#define OLD "debian:linux-image-cloud-amd64"
#define NEW "debian:linux-image-6.12-cloud-amd64"

struct bench {
	char *dir, *agent, *guest;
	struct place place;
	struct kernel kernel;
	struct qemu_vm vm;
	struct qemu_run run[3];
	size_t n;
	struct qemu_boot boot;
};

static void bench_release(struct bench *b)
{
	struct err e = {};

	assert_int_equal(dir_remove(b->dir, &e), 0);
	for (size_t i = 0; i < b->n; i++) {
		free((char *)b->run[i].plan);
		free((char *)b->run[i].result);
	}
	free(b->dir);
	free(b->agent);
	free(b->guest);
	place_release(&b->place);
	kernel_release(&b->kernel);
	qemu_boot_release(&b->boot);
}

/* False, with the reason printed, when there can be no boot here. */
static bool bench_make(struct bench *b, const char *kernel)
{
	struct kernel_source from = { .name = kernel };
	struct err e = {};

	*b = (struct bench){ .dir = text_copy("/tmp/krobot-boot-XXXXXX"),
			     .kernel = KERNEL_NONE };
	assert_non_null(mkdtemp(b->dir));
	b->agent = text_copy(getenv("AGENT"));
	b->guest = text_copy(getenv("GUEST"));
	assert_true(b->agent && b->guest);
	assert_int_equal(place_find(&b->place, &e), 0);
	from.cache = b->place.cache;
	if (kernel_prepare(&b->kernel, &from, &e) != KERNEL_READY) {
		print_message("skipped: %s\n", e.text);
		return false;
	}
	b->vm = (struct qemu_vm){
		.agent = b->agent, .state = b->dir, .image = b->kernel.image,
		.release = b->kernel.release, .module = b->kernel.module,
		.n_modules = b->kernel.n_modules, .mode = QEMU_TCG, .boot_secs = 120,
		.shape = { .cpus = 4, .sockets = 2, .nodes = 2, .memory_mib = 1024 } };
	return true;
}

static void add(struct bench *b, const char *what, unsigned int deadline)
{
	_free_ char *plan = text_format("version 1\ntest guest\nprogram %s\nparam what=%s\n"
					"deadline_secs %u\ngrace_secs 1\n", b->guest, what, deadline);
	struct qemu_run *run = &b->run[b->n];
	struct err e = {};

	run->result = text_format("%s/%zu", b->dir, b->n);
	run->plan = path_join(run->result, "plan");
	assert_int_equal(mkdir(run->result, 0755), 0);
	assert_int_equal(file_write(AT_FDCWD, run->plan, plan, strlen(plan), &e), 0);
	b->n++;
}

/* As before the boot: the plans alone. */
static void clear_results(struct bench *b)
{
	struct err e = {};

	for (size_t i = 0; i < b->n; i++) {
		_text_ struct text plan = {};

		assert_int_equal(file_read(AT_FDCWD, b->run[i].plan, 4096, &plan, &e), 0);
		assert_int_equal(dir_remove(b->run[i].result, &e), 0);
		assert_int_equal(mkdir(b->run[i].result, 0755), 0);
		assert_int_equal(file_write(AT_FDCWD, b->run[i].plan, plan.p, plan.len, &e), 0);
	}
}

/* What the machinery loses is repeated, as everywhere. */
static bool boot(struct bench *b)
{
	struct err e = {};
	int r = qemu_boot(&b->vm, b->run, b->n, &b->boot, &e);

	for (int i = 0; i < 2 && r == 0 && b->boot.end == QEMU_MACHINERY; i++) {
		print_message("# again: %s\n", b->boot.why);
		qemu_boot_release(&b->boot);
		b->boot = (struct qemu_boot){};
		clear_results(b);
		r = qemu_boot(&b->vm, b->run, b->n, &b->boot, &e);
	}

	if (r == -ENOENT || r == -ENOEXEC) {
		print_message("skipped: %s\n", e.text);
		return false;
	}
	if (r < 0)
		fail_msg("%s", e.text);
	return true;
}

static void check_end(const struct bench *b, enum qemu_end end, const char *why, unsigned int ran)
{
	if (b->boot.end != end)
		fail_msg("%s: %s\n%s", qemu_end_name(b->boot.end), b->boot.why ? b->boot.why : "",
			 text_str(&b->boot.console));
	if (!why != !b->boot.why || (why && !strstr(b->boot.why, why)))
		fail_msg("'%s', not '%s'", b->boot.why ? b->boot.why : "", why ? why : "");
	assert_int_equal(b->boot.ran, ran);
	for (size_t i = 0; i < b->n; i++)
		assert_int_equal(result_is_complete(b->run[i].result), i < ran);
}

static enum run_state state_of(const struct bench *b, size_t i)
{
	_close_ int dir = open(b->run[i].result, O_RDONLY | O_DIRECTORY);
	_result_exit_ struct result_exit x;
	struct err e = {};

	assert_int_equal(result_exit_read(&x, dir, &e), 0);
	return x.state;
}

static char *file_of(const struct bench *b, size_t i, const char *name)
{
	_free_ char *path = path_join(b->run[i].result, name);
	_text_ struct text t = {};
	struct err e = {};

	if (file_read(AT_FDCWD, path, 16 << 20, &t, &e) < 0)
		fail_msg("%s", e.text);
	return text_steal(&t);
}

/* Modules, two sockets, several runs in a boot. */
TEST(an_old_kernel_runs_three_plans_in_one_boot)
{
	_cleanup_(bench_release) struct bench b;
	_free_ char *out = NULL, *about = NULL, *facts = NULL, *console = NULL;

	if (!bench_make(&b, OLD))
		skip();
	assert_true(b.kernel.n_modules > 0);
	add(&b, "speak", 60);
	add(&b, "fail", 60);
	add(&b, "sleep", 2);
	if (!boot(&b))
		skip();
	check_end(&b, QEMU_DONE, NULL, 3);
	assert_int_equal(state_of(&b, 0), RUN_OK);
	assert_int_equal(state_of(&b, 1), RUN_FAILED);
	assert_int_equal(state_of(&b, 2), RUN_TIMEOUT);
	out = file_of(&b, 0, RESULT_STDOUT);
	assert_string_equal(out, "answer: 42\n");
	about = file_of(&b, 1, RESULT_BOOT);
	assert_non_null(strstr(about, "run 2\nmode tcg\n"));
	facts = file_of(&b, 0, RESULT_FACTS);
	assert_non_null(strstr(facts, "machine.node.1.distances 21 10\n"));
	console = file_of(&b, 2, RESULT_CONSOLE);
	assert_non_null(strstr(console, "Linux version 6.1"));
}

/* Two nodes in each socket; the guest's own facts are checked against the shape. */
TEST(four_nodes_on_two_sockets)
{
	_cleanup_(bench_release) struct bench b;
	const char *near;

	if (!bench_make(&b, NEW))
		skip();
	b.vm.shape.nodes = 4;
	if (!boot(&b))
		skip();
	check_end(&b, QEMU_DONE, NULL, 0);
	near = record_get(&b.boot.facts, "machine.node.2.distances");
	assert_non_null(near);
	assert_string_equal(near, "21 21 10 12");
}

TEST(a_test_that_crashes_the_kernel)
{
	_cleanup_(bench_release) struct bench b;

	if (!bench_make(&b, NEW))
		skip();
	add(&b, "speak", 60);
	add(&b, "crash", 60);
	add(&b, "speak", 60);
	if (!boot(&b))
		skip();
	check_end(&b, QEMU_PANIC, "sysrq triggered crash", 1);
}

TEST(a_test_that_turns_the_machine_off)
{
	_cleanup_(bench_release) struct bench b;

	if (!bench_make(&b, NEW))
		skip();
	add(&b, "off", 60);
	if (!boot(&b))
		skip();
	check_end(&b, QEMU_NO_RESULT, "went down before all results were here", 0);
}

TEST(a_test_that_takes_longer_than_a_boot_may)
{
	_cleanup_(bench_release) struct bench b;

	if (!bench_make(&b, NEW))
		skip();
	add(&b, "sleep", 0);
	b.vm.run_secs = 1;
	if (!boot(&b))
		skip();
	check_end(&b, QEMU_TIMEOUT, "plan 1 of 1 took too long", 0);
}

TEST(a_kernel_that_finds_no_init)
{
	_cleanup_(bench_release) struct bench b;

	if (!bench_make(&b, OLD))
		skip();
	b.vm.cmdline = "rdinit=/nonexistent";
	if (!boot(&b))
		skip();
	check_end(&b, QEMU_PANIC, "Kernel panic - not syncing: VFS: Unable to mount root", 0);
}

TEST(a_kernel_whose_port_does_not_come_up)
{
	_cleanup_(bench_release) struct bench b;

	if (!bench_make(&b, OLD))
		skip();
	b.vm.n_modules = 0;
	if (!boot(&b))
		skip();
	check_end(&b, QEMU_NO_RESULT, "krobot-agent: no virtio port", 0);
}

TEST(a_kernel_that_is_not_the_one_asked_for)
{
	_cleanup_(bench_release) struct bench b;

	if (!bench_make(&b, NEW))
		skip();
	add(&b, "speak", 60);
	b.vm.release = "6.12.0-other";
	if (!boot(&b))
		skip();
	check_end(&b, QEMU_WRONG_KERNEL, "not 6.12.0-other", 0);
}

/* Pid of the first child of @pid, once there is one that is QEMU; 0 while not. */
static pid_t qemu_below(pid_t pid)
{
	_free_ char *path = text_format("/proc/%d/task/%d/children", (int)pid, (int)pid);
	_text_ struct text t = {}, name = {};
	_free_ char *comm = NULL;
	struct err e = {};
	int child;

	if (file_read(AT_FDCWD, path, 4096, &t, &e) < 0 ||
	    sscanf(text_str(&t), "%d", &child) != 1)
		return 0;
	comm = text_format("/proc/%d/comm", child);
	if (file_read(AT_FDCWD, comm, 4096, &name, &e) < 0 ||
	    !text_starts(text_str(&name), "qemu-system"))
		return 0;
	return child;
}

static void nap(void)
{
	nanosleep(&(struct timespec){ .tv_nsec = 20000000 }, NULL);
}

TEST(no_machine_outlives_its_killed_owner)
{
	_cleanup_(bench_release) struct bench b;
	pid_t owner, qemu = 0;
	int status;

	if (!bench_make(&b, NEW))
		skip();
	add(&b, "sleep", 100);
	owner = fork();
	if (!owner)
		_exit(boot(&b) ? 0 : 77);
	while (!qemu && waitpid(owner, &status, WNOHANG) == 0) {
		nap();
		qemu = qemu_below(owner);
	}
	if (!qemu) {
		assert_int_equal(WEXITSTATUS(status), 77);
		skip();
	}
	kill(owner, SIGKILL);
	waitpid(owner, &status, 0);
	for (int i = 0; i < 500 && kill(qemu, 0) == 0; i++)
		nap();
	assert_int_equal(kill(qemu, 0), -1);
}

TEST(the_accelerator_is_found_by_a_boot_and_remembered)
{
	_cleanup_(bench_release) struct bench b;
	enum qemu_mode first, second;
	_free_ char *answer = NULL;
	struct stat before, after;
	struct err e = {};
	int r;

	if (!bench_make(&b, NEW))
		skip();
	answer = path_join(b.dir, "accelerator");
	r = qemu_probe(&b.vm, b.dir, &first, &e);
	if (r == -ENOENT || r == -ENOEXEC)
		skip();
	assert_int_equal(r, 0);
	assert_int_equal(stat(answer, &before), 0);
	assert_int_equal(qemu_probe(&b.vm, b.dir, &second, &e), 0);
	assert_int_equal(first, second);
	assert_int_equal(stat(answer, &after), 0);
	assert_int_equal(before.st_ino, after.st_ino);
}
