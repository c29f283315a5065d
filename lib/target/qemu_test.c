/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The parts, and whole boots of a QEMU that is a script. Real ones: qemu_boot_test.c. */
#include <elf.h>
#include <fcntl.h>
#include <sys/stat.h>

#include "base/check.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/proc.h"
#include "run/result.h"
#include "target/qemu_parts.h"

static const struct qemu_shape two = { .cpus = 4, .sockets = 2, .nodes = 2, .memory_mib = 512 };

#define FACTS "boot.kernel 6.1.0\nmachine.cpus 4\nenv.cpus_online 4\nmachine.sockets 2\n" \
	      "machine.nodes 2\nmachine.node.0.distances 10 21\nmachine.node.1.distances 21 10\n"

TEST(modes_have_names)
{
	for (enum qemu_mode m = 0; m < QEMU_MODES; m++)
		assert_int_equal(qemu_mode_parse(qemu_mode_name(m)), m);
	assert_int_equal(qemu_mode_parse("xen"), QEMU_MODES);
}

TEST(shapes_that_cannot_be_are_refused)
{
	static const struct qemu_shape good[] = {
		{ 4, 2, 2, 512 }, { 8, 2, 4, 1024 }, { 8, 4, 2, 1024 }, { 1, 1, 1, 128 },
	}, bad[] = {
		{ 0, 1, 1, 512 }, { 3, 2, 1, 512 }, { 4, 2, 0, 512 }, { 6, 2, 4, 512 },
		{ 6, 2, 3, 512 }, { 4, 2, 2, 255 }, { 4, 2, 2, 513 }, { 256, 1, 1, 512 },
	};
	struct err e = {};

	for (size_t i = 0; i < COUNT(good); i++)
		assert_int_equal(qemu_shape_check(&good[i], &e), 0);
	for (size_t i = 0; i < COUNT(bad); i++)
		assert_int_equal(qemu_shape_check(&bad[i], &e), -EINVAL);
}

TEST(nodes_of_one_socket_are_near)
{
	struct qemu_shape s = { 8, 2, 4, 1024 };
	static const unsigned char own[] = { 10, 15, 15, 10 };
	struct qemu_shape given = { 4, 2, 2, 512, own };

	assert_int_equal(qemu_shape_distance(&s, 0, 0), 10);
	assert_int_equal(qemu_shape_distance(&s, 0, 1), 12);
	assert_int_equal(qemu_shape_distance(&s, 1, 2), 21);
	assert_int_equal(qemu_shape_distance(&given, 0, 1), 15);
}

static bool has(const struct qemu_args *a, const char *option, const char *value)
{
	for (size_t i = 0; a->v[i] && a->v[i + 1]; i++)
		if (!strcmp(a->v[i], option) && !strcmp(a->v[i + 1], value))
			return true;
	return false;
}

TEST(the_command_line_says_what_was_asked)
{
	struct qemu_vm vm = { .image = "/a,b/vmlinux", .mode = QEMU_ICOUNT, .shape = two,
			      .cmdline = "quiet" };
	struct qemu_args a;

	qemu_args_make(&a, &vm, &(struct qemu_fds){ 5, 6, 7 });
	assert_true(has(&a, "-kernel", "/a,b/vmlinux"));
	assert_true(has(&a, "-initrd", "/dev/fd/5"));
	assert_true(has(&a, "-chardev", "socket,id=result,fd=6"));
	assert_true(has(&a, "-smp", "cpus=4,sockets=2,cores=2,threads=1"));
	assert_true(has(&a, "-numa", "node,nodeid=1,cpus=2-3,memdev=mem1"));
	assert_true(has(&a, "-numa", "dist,src=0,dst=1,val=21"));
	assert_true(has(&a, "-icount", "shift=1,sleep=off"));
	assert_true(has(&a, "-append", "console=ttyS0 earlyprintk=serial,ttyS0,115200 panic=-1 "
					"oops=panic tsc=reliable quiet"));
	qemu_args_release(&a);
	vm.mode = QEMU_KVM;
	qemu_args_make(&a, &vm, &(struct qemu_fds){ 5, 6, 7 });
	assert_true(has(&a, "-accel", "kvm"));
	assert_false(has(&a, "-icount", "shift=1,sleep=off"));
	qemu_args_release(&a);
}

static void check_differs(const char *facts, unsigned int nodes, const char *why, enum qemu_end is)
{
	struct qemu_vm vm = { .release = "6.1.0", .shape = { 4, 2, nodes, 512 } };
	_record_ struct record r = {};
	_free_ char *said = NULL;
	enum qemu_end end;
	struct err e = {};

	assert_int_equal(record_parse(&r, facts, strlen(facts), "facts", &e), 0);
	said = qemu_facts_differ(&vm, &r, &end);
	if (!why) {
		assert_null(said);
		return;
	}
	assert_non_null(said);
	assert_string_equal(said, why);
	assert_int_equal(end, is);
}

TEST(a_guest_that_is_not_what_was_asked_for)
{
	check_differs(FACTS, 2, NULL, 0);
	check_differs(FACTS, 4, "the guest has 2 nodes, not 4", QEMU_WRONG_SHAPE);
	check_differs("boot.kernel 6.12\n", 2, "it runs 6.12, not 6.1.0", QEMU_WRONG_KERNEL);
	check_differs("boot.kernel 6.1.0\nmachine.cpus 4\nenv.cpus_online 2\n", 2,
		      "the guest has 2 CPUs online, not 4", QEMU_WRONG_SHAPE);
	check_differs("boot.kernel 6.1.0\n", 2, "the guest does not say how many CPUs it has",
		      QEMU_WRONG_SHAPE);
}

struct bench {
	enum qemu_mode mode;	/* zero: QEMU_KVM */
	char *dir, *agent, *qemu, *frames, *result, *plan;
	struct text sent;
};

static void put_file(const char *path, const void *bytes, size_t n, mode_t mode)
{
	struct err e = {};

	assert_int_equal(file_write(AT_FDCWD, path, bytes, n, &e), 0);
	assert_int_equal(chmod(path, mode), 0);
}

/* A folder with all that a boot needs; the agent is the head of a static program. */
static void bench_make(struct bench *b)
{
	static const char plan[] = "version 1\ntest t\nprogram %s\n";
	Elf64_Ehdr head = { .e_ident = ELFMAG, .e_phentsize = sizeof(Elf64_Phdr) };
	_free_ char *text = NULL;

	*b = (struct bench){ .dir = text_copy("/tmp/krobot-qemu-XXXXXX") };
	assert_non_null(mkdtemp(b->dir));
	b->agent = path_join(b->dir, "agent");
	b->qemu = path_join(b->dir, "qemu");
	b->frames = path_join(b->dir, "frames");
	b->result = path_join(b->dir, "result");
	b->plan = path_join(b->dir, "plan");
	text = text_format(plan, b->agent);
	put_file(b->agent, &head, sizeof(head), 0755);
	put_file(b->plan, text, strlen(text), 0644);
	assert_int_equal(mkdir(b->result, 0755), 0);
}

static void bench_release(struct bench *b)
{
	struct err e = {};

	assert_int_equal(dir_remove(b->dir, &e), 0);
	free(b->dir);
	free(b->agent);
	free(b->qemu);
	free(b->frames);
	free(b->result);
	free(b->plan);
	text_release(&b->sent);
}

static void send_text(struct bench *b, enum frame_type type, const char *text)
{
	frame_put(&b->sent, type, text, strlen(text));
}

static void send_run(struct bench *b)
{
	send_text(b, FRAME_HELLO, FACTS);
	send_text(b, FRAME_RUN, "0");
	send_text(b, FRAME_FILE, "exit");
	send_text(b, FRAME_DATA, "state ok\n");
	send_text(b, FRAME_FOLDER, "monitors");
	send_text(b, FRAME_FILE, "monitors/a");
	send_text(b, FRAME_DATA, "1");
	send_text(b, FRAME_DATA, "2");
	send_text(b, FRAME_RAN, "0");
}

/*
 * Boots a QEMU that prints @console, sends the frames, and then does @last (shell).
 * $q is its control socket's descriptor.
 */
static void boot(struct bench *b, const char *console, const char *last, struct qemu_boot *out)
{
	struct qemu_vm vm = { .qemu = b->qemu, .agent = b->agent, .image = "/none", .shape = two,
			      .release = "6.1.0", .mode = b->mode, .boot_secs = 1, .run_secs = 1 };
	struct qemu_run run = { b->plan, b->result };
	_free_ char *script = text_format(
		"#!/bin/bash\nfor a; do case $a in *id=result,fd=*) r=${a##*=};; "
		"*id=qmp,fd=*) q=${a##*=};; esac; done\n"
		"printf '%s'\ncat '%s' >&$r\n%s\n", console, b->frames, last);
	struct err e = {};

	put_file(b->qemu, script, strlen(script), 0755);
	put_file(b->frames, text_str(&b->sent), b->sent.len, 0644);
	if (qemu_boot(&vm, &run, 1, out, &e) < 0)
		fail_msg("%s", e.text);
}

static char *read_below(const struct bench *b, const char *name)
{
	_free_ char *path = path_join(b->result, name);
	_text_ struct text t = {};
	struct err e = {};

	if (file_read(AT_FDCWD, path, 1 << 20, &t, &e) < 0)
		return NULL;
	return text_steal(&t);
}

static void check_end(const char *console, const char *last, enum qemu_end end, const char *why,
		      void (*send)(struct bench *b))
{
	_cleanup_(bench_release) struct bench b;
	_qemu_boot_ struct qemu_boot out = {};
	_free_ char *about = NULL;
	_free_ char *expected = text_format("\nend %s\n", qemu_end_name(end));

	bench_make(&b);
	if (send)
		send(&b);
	boot(&b, console, last, &out);
	assert_string_equal(qemu_end_name(out.end), qemu_end_name(end));
	assert_string_equal(out.why ? out.why : "", why);
	assert_int_equal(result_is_complete(b.result), out.ran == 1);
	about = read_below(&b, RESULT_BOOT);
	assert_non_null(about);
	assert_non_null(strstr(about, expected));
}

static void send_all(struct bench *b)
{
	send_run(b);
	send_text(b, FRAME_END, "1");
}

static void send_hello(struct bench *b)
{
	send_text(b, FRAME_HELLO, FACTS);
	send_text(b, FRAME_RUN, "0");
}

static void send_other(struct bench *b)
{
	send_text(b, FRAME_HELLO, "boot.kernel 6.0\n");
	send_text(b, FRAME_RUN, "0");
}

static void send_trouble(struct bench *b)
{
	send_text(b, FRAME_HELLO, FACTS);
	send_text(b, FRAME_TROUBLE, "no \033[2Jroom");
}

static void send_half(struct bench *b)
{
	send_run(b);
	b->sent.p[b->sent.len - 1] ^= 1;
}

static void send_escape(struct bench *b)
{
	send_hello(b);
	send_text(b, FRAME_FILE, "../../../etc/passwd");
}

TEST(a_boot_that_does_all)
{
	_cleanup_(bench_release) struct bench b;
	_qemu_boot_ struct qemu_boot out = {};
	_free_ char *monitor = NULL, *console = NULL;

	bench_make(&b);
	send_all(&b);
	boot(&b, "Linux\\n", "exit 0", &out);
	assert_int_equal(out.end, QEMU_DONE);
	assert_null(out.why);
	assert_int_equal(out.ran, 1);
	assert_true(result_is_complete(b.result));
	monitor = read_below(&b, "monitors/a");
	assert_string_equal(monitor, "12");
	console = read_below(&b, RESULT_CONSOLE);
	assert_string_equal(console, "Linux\n");
}

TEST(each_kind_of_end)
{
	check_end("", "exec sleep 60", QEMU_NO_OUTPUT, "the console stayed empty", NULL);
	check_end("", "exit 0", QEMU_NO_OUTPUT, "it went down and the console stayed empty", NULL);
	check_end("[    0.1] one\\n[    0.2] two\\n", "exec sleep 60", QEMU_HANG,
		  "the agent never spoke; the console's last line: two", NULL);
	check_end("[ 1.0] Kernel panic - not syncing: VFS: no root\\n", "exit 0", QEMU_PANIC,
		  "Kernel panic - not syncing: VFS: no root", NULL);
	check_end("[ 1.0] BUG: kernel NULL pointer\\n[ 1.0] Oops: 0000\\n"
		  "[ 1.0] Kernel panic - not syncing: Fatal exception\\n", "exit 0", QEMU_PANIC,
		  "BUG: kernel NULL pointer", send_hello);
	check_end("[ 1.0] bye\\n", "exit 0", QEMU_NO_RESULT,
		  "it went down before all results were here; its last line: bye", send_run);
	check_end("krobot-agent: no port\\nbye\\n", "exit 0", QEMU_NO_RESULT,
		  "it went down before all results were here; krobot-agent: no port", NULL);
	check_end("up\\n", "exit 0", QEMU_WRONG_KERNEL, "it runs 6.0, not 6.1.0", send_other);
	check_end("up\\n", "exec sleep 60", QEMU_TIMEOUT, "plan 1 of 1 took too long", send_hello);
	check_end("up\\n", "exit 0", QEMU_MACHINERY, "the agent: no \\x1b[2Jroom", send_trouble);
	check_end("up\\n", "exit 0", QEMU_MACHINERY, "a frame's checksum is wrong", send_half);
	check_end("up\\n", "exit 0", QEMU_MACHINERY,
		  "the guest sent 'f' (19 bytes): not a path of a result", send_escape);
	check_end("", "echo 'no such machine' >&2; exit 1", QEMU_MACHINERY,
		  "QEMU ended with status 1: no such machine", NULL);
	check_end("", "echo 'KVM internal error' >&2; printf '{\"event\": \"STOP\"}' >&$q; "
		  "exec sleep 60", QEMU_MACHINERY,
		  "QEMU stopped the machine: KVM internal error", NULL);
}

/* On a real processor the kernel answers for it, emulated by threads it does not. */
TEST(a_stale_breakpoint_is_the_emulators)
{
	static const struct {
		enum qemu_mode mode;
		enum qemu_end end;
	} rows[] = {
		{ QEMU_KVM, QEMU_PANIC }, { QEMU_TCG, QEMU_MACHINERY }, { QEMU_ICOUNT, QEMU_PANIC },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		_cleanup_(bench_release) struct bench b;
		_qemu_boot_ struct qemu_boot out = {};

		bench_make(&b);
		b.mode = rows[i].mode;
		send_hello(&b);
		boot(&b, "[ 1.0] Oops: int3: 0000 [#1]\\n[ 1.0] Kernel panic - not syncing: Fatal\\n",
		     "exit 0", &out);
		assert_int_equal(out.end, rows[i].end);
		assert_string_equal(out.why, "Oops: int3: 0000 [#1]");
	}
}

TEST(a_wait_is_bounded_and_what_hangs_is_ended)
{
	uint64_t before = clock_mono_ns();

	check_end("up\\n", "trap '' TERM; echo $$ >&2; while :; do sleep 1; done",
		  QEMU_HANG, "the agent never spoke; the console's last line: up", NULL);
	assert_true(clock_mono_ns() - before < 60ULL * 1000000000);
}

TEST(a_missing_qemu_is_trouble_and_no_end)
{
	_cleanup_(bench_release) struct bench b;
	_qemu_boot_ struct qemu_boot out = {};
	struct qemu_run run;
	struct qemu_vm vm = { .qemu = "/no/qemu", .image = "/none", .shape = two };
	struct err e = {};

	bench_make(&b);
	run = (struct qemu_run){ b.plan, b.result };
	vm.agent = b.agent;
	assert_int_equal(qemu_boot(&vm, &run, 1, &out, &e), -ENOENT);
	assert_string_equal(e.text, "/no/qemu: No such file or directory");
	vm.agent = "/bin/sh";
	assert_int_equal(qemu_boot(&vm, &run, 1, &out, &e), -ENOEXEC);
}
