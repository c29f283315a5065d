/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * QEMU as a child that cannot outlive us: the kernel kills it at our death, and
 * a note in the state folder lets the next start find it should that fail.  It
 * talks over descriptors that it inherits, so nothing of a boot has a name in
 * the file system:
 *
 *	stdout	the guest's console		a socket	the agent's frames
 *	stderr	QEMU's own words		a socket	QMP, QEMU's control
 *
 * Whether a boot went well is judged by what came, never by QEMU's exit status
 * alone.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include "base/clock.h"
#include "base/file.h"
#include "run/claim.h"
#include "run/facts.h"
#include "run/plan.h"
#include "run/tree.h"
#include "target/qemu_parts.h"

#define NS		1000000000ULL
#define BOOT_SECS	60
#define ICOUNT_BOOT_SECS 240
#define RUN_SECS	3600
#define YEAR_SECS	(365ULL * 86400)
#define MARGIN_SECS	60	/* beyond a plan's own deadline, for all else */
#define SLOWNESS	8	/* how much slower than the host a guest's clock may go */
#define OFF_SECS	10	/* for going down once all is here */
#define CONSOLE_HEAD	(1U << 20)
#define CONSOLE_TAIL	(1U << 20)
#define SAID_MAX	4096

struct machine {
	const struct qemu_vm *vm;
	const struct qemu_run *run;
	size_t n;
	pid_t pid;
	int status;		/* as wait() gives it; -1: not ended, or ended by us */
	int console, said, result, qmp;	/* our ends; -1 when theirs is closed */
	struct text tail, words, control;
	uint64_t cut;		/* bytes of the console between head and tail */
	struct claim claim;
	struct qemu_intake intake;
	struct qemu_boot *b;
	struct err broken;	/* code 0: the stream of frames is not */
	bool stopped, late, ending;
	uint64_t start, until;	/* monotonic */
};

static void close_one(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

static int initrd_make(const struct machine *m, int *fd, struct err *e)
{
	_initramfs_ struct initramfs i = {};
	size_t done = 0;

	if (qemu_image_make(&i, m->vm, m->run, m->n, e) < 0)
		return -e->code;
	*fd = memfd_create("initramfs", MFD_CLOEXEC);
	while (*fd >= 0 && done < i.bytes.len) {
		ssize_t w = write(*fd, i.bytes.p + done, i.bytes.len - done);

		if (w < 0)
			return err_sys(e, "the initramfs");
		done += (size_t)w;
	}
	return *fd < 0 ? err_sys(e, "memfd_create") : 0;
}

static void keep_open(int fd)
{
	fcntl(fd, F_SETFD, 0);
}

static _noreturn_ void child(const struct machine *m, const struct qemu_args *a,
			     const struct qemu_fds *fds, int out, int err, int failed, pid_t parent)
{
	int null = open("/dev/null", O_RDONLY), code;
	sigset_t none;

	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	signal(SIGPIPE, SIG_DFL);
	setpgid(0, 0);	/* a Ctrl-C is for us; our death then ends it */
	if (prctl(PR_SET_PDEATHSIG, SIGKILL) < 0 || getppid() != parent)
		_exit(1);
	cgroup_enter(m->claim.cgroup);
	if (m->claim.result)
		setenv("RESULT_ROOT", m->claim.result, 1);
	keep_open(fds->initrd);
	keep_open(fds->result);
	keep_open(fds->qmp);
	if (dup2(null, 0) >= 0 && dup2(out, 1) >= 0 && dup2(err, 2) >= 0)
		execvp(a->v[0], a->v);
	code = errno;
	_exit(write(failed, &code, sizeof(code)) == sizeof(code) ? 127 : 126);
}

static int channels_open(struct machine *m, struct qemu_fds *theirs, int out[2], int err[2],
			 int failed[2], struct err *e)
{
	int result[2], qmp[2];

	if (pipe2(out, O_CLOEXEC) < 0 || pipe2(err, O_CLOEXEC) < 0 || pipe2(failed, O_CLOEXEC) < 0 ||
	    socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, result) < 0 ||
	    socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, qmp) < 0)
		return err_sys(e, "channels to QEMU");
	m->console = out[0];
	m->said = err[0];
	m->result = result[0];
	m->qmp = qmp[0];
	theirs->result = result[1];
	theirs->qmp = qmp[1];
	return 0;
}

/* Whether it could be started at all; its end of the pipe closes when it runs. */
static int started(struct machine *m, int failed, struct err *e)
{
	int code;

	if (read(failed, &code, sizeof(code)) != sizeof(code))
		return 0;
	while (waitpid(m->pid, NULL, 0) < 0 && errno == EINTR)
		;
	m->pid = 0;
	errno = code;
	return err_sys(e, "%s", m->vm->qemu ? m->vm->qemu : "qemu-system-x86_64");
}

static int spawn(struct machine *m, struct err *e)
{
	struct qemu_fds theirs = { -1, -1, -1 };
	int out[2] = { -1, -1 }, err[2] = { -1, -1 }, failed[2] = { -1, -1 }, r;
	struct qemu_args a = {};
	pid_t self = getpid();

	r = initrd_make(m, &theirs.initrd, e);
	if (r == 0)
		r = channels_open(m, &theirs, out, err, failed, e);
	if (r == 0) {
		qemu_args_make(&a, m->vm, &theirs);
		m->pid = fork();
		if (!m->pid)
			child(m, &a, &theirs, out[1], err[1], failed[1], self);
		r = m->pid < 0 ? err_sys(e, "fork") : 0;
	}
	close_one(&theirs.initrd);
	close_one(&theirs.result);
	close_one(&theirs.qmp);
	close_one(&out[1]);
	close_one(&err[1]);
	close_one(&failed[1]);
	if (r == 0)
		r = started(m, failed[0], e);
	close_one(&failed[0]);
	qemu_args_release(&a);
	return r;
}

static ssize_t drain(int *fd, char *buf, size_t n)
{
	ssize_t got = recv(*fd, buf, n, MSG_DONTWAIT);

	if (got < 0 && errno == ENOTSOCK)
		got = read(*fd, buf, n);
	if (got < 0 && (errno == EAGAIN || errno == EINTR))
		return 0;
	if (got <= 0)
		close_one(fd);
	return got > 0 ? got : 0;
}

/* The start and the end are kept: the one tells the machine, the other its death. */
static void take_console(struct machine *m)
{
	struct text *head = &m->b->console;
	char buf[65536], *p = buf;
	size_t n = (size_t)drain(&m->console, buf, sizeof(buf));
	size_t first = CONSOLE_HEAD - head->len < n ? CONSOLE_HEAD - head->len : n;

	for (size_t i = 0; i < n; i++)
		if (!buf[i])
			buf[i] = ' ';	/* so that it is text to search in */
	text_put(head, p, first);
	text_put(&m->tail, p + first, n - first);
	if (m->tail.len > 2 * CONSOLE_TAIL) {
		size_t drop = m->tail.len - CONSOLE_TAIL;

		memmove(m->tail.p, m->tail.p + drop, CONSOLE_TAIL + 1);
		m->tail.len = CONSOLE_TAIL;
		m->cut += drop;
	}
}

static void take_said(struct machine *m)
{
	char buf[4096];
	size_t n = (size_t)drain(&m->said, buf, sizeof(buf));

	if (m->words.len < SAID_MAX)
		text_put(&m->words, buf, n);
}

static void tell_qmp(struct machine *m, const char *command)
{
	_free_ char *line = text_format("{\"execute\":\"%s\"}\n", command);

	if (m->qmp >= 0 && send(m->qmp, line, strlen(line), MSG_NOSIGNAL | MSG_DONTWAIT) < 0)
		close_one(&m->qmp);
}

/* Only one event matters: that QEMU gave up on the guest ("KVM internal error"). */
static void take_qmp(struct machine *m)
{
	char buf[4096];
	size_t n = (size_t)drain(&m->qmp, buf, sizeof(buf));

	if (n && !m->control.len)
		tell_qmp(m, "qmp_capabilities");
	text_put(&m->control, buf, n);
	if (strstr(text_str(&m->control), "\"event\": \"STOP\""))
		m->stopped = true;
	if (m->control.len > 65536) {	/* an event cut in two is seen in the next look */
		memmove(m->control.p, m->control.p + m->control.len - 256, 257);
		m->control.len = 256;
	}
}

/* The agent keeps a plan's deadline by the guest's clock; ours is for when it does not. */
static uint64_t plan_secs(const struct machine *m, const char *path)
{
	unsigned int slow = m->vm->mode == QEMU_KVM ? 1 : SLOWNESS;
	_plan_ struct plan plan;
	struct err ignored;

	if (plan_read(&plan, AT_FDCWD, path, &ignored) < 0 || !plan.deadline_secs ||
	    plan.deadline_secs > YEAR_SECS)
		return m->vm->run_secs ? m->vm->run_secs : RUN_SECS;
	return (plan.deadline_secs + plan.grace_secs) * slow + MARGIN_SECS;
}

/* Each step of the guest gives it time for the next. */
static void set_deadline(struct machine *m)
{
	uint64_t now = clock_mono_ns();

	if (m->intake.hello && !m->b->boot_ns) {
		m->b->boot_ns = now - m->start;
		m->until = now + MARGIN_SECS * NS;
	}
	if (m->intake.started)
		m->until = now + plan_secs(m, m->run[m->intake.k].plan) * NS;
	m->intake.started = false;
	if (m->intake.end && !m->ending) {
		m->until = now + OFF_SECS * NS;
		m->ending = true;
	}
}

static void take_result(struct machine *m)
{
	char buf[65536];
	size_t n = (size_t)drain(&m->result, buf, sizeof(buf));

	if (!n || m->broken.code)
		return;
	if (qemu_intake_take(&m->intake, buf, n, &m->broken) < 0)
		return;
	set_deadline(m);
}

/* A guest that is not what was asked for is not worth waiting for. */
static bool is_other(const struct machine *m)
{
	enum qemu_end end;
	_free_ char *why = m->intake.hello ?
			   qemu_facts_differ(m->vm, &m->intake.facts, &end) : NULL;

	return why;
}

/* Until QEMU has closed its ends, or there is nothing more to wait for. */
static void watch(struct machine *m)
{
	bool greeted = false;

	while (m->console >= 0 || m->result >= 0) {
		struct pollfd fds[] = { { m->console, POLLIN, 0 }, { m->said, POLLIN, 0 },
					{ m->result, POLLIN, 0 }, { m->qmp, POLLIN, 0 } };
		uint64_t now = clock_mono_ns();

		if (now >= m->until) {
			m->late = !m->intake.end;
			return;
		}
		if (poll(fds, COUNT(fds), (int)((m->until - now) / 1000000 % 1000) + 1) < 0)
			continue;
		if (fds[0].revents)
			take_console(m);
		if (fds[1].revents)
			take_said(m);
		if (fds[2].revents)
			take_result(m);
		if (fds[3].revents)
			take_qmp(m);
		if (m->stopped || m->broken.code || (m->intake.hello && !greeted && is_other(m)))
			return;
		greeted = m->intake.hello;
	}
}

/* Ours to end it if it still runs: first by its control channel, then for good. */
static void end(struct machine *m)
{
	bool was_open = m->console >= 0 || m->result >= 0;
	int status;

	if (was_open)
		tell_qmp(m, "quit");
	for (int tries = 0; was_open && tries < 100; tries++) {
		if (waitpid(m->pid, &status, WNOHANG) == m->pid) {
			m->pid = 0;
			return;
		}
		take_qmp(m);
		nanosleep(&(struct timespec){ .tv_nsec = 10000000 }, NULL);
	}
	if (was_open)
		kill(-m->pid, SIGKILL);
	while (waitpid(m->pid, &status, 0) < 0 && errno == EINTR)
		;
	m->pid = 0;
	if (!was_open)
		m->status = status;
}

static void drain_rest(struct machine *m)
{
	uint64_t until = clock_mono_ns() + NS;

	while (m->console >= 0 && clock_mono_ns() < until)
		take_console(m);
	while (m->said >= 0 && clock_mono_ns() < until)
		take_said(m);
	if (m->cut)
		text_printf(&m->b->console, "\n[%llu bytes left out]\n",
			    (unsigned long long)m->cut);
	text_put(&m->b->console, m->tail.p, m->tail.len);
}

static void judge(struct machine *m)
{
	struct qemu_boot *b = m->b;
	struct qemu_seen seen = { .vm = m->vm, .intake = &m->intake, .console = &b->console,
				  .said = text_str(&m->words), .stopped = m->stopped,
				  .broken = m->broken.code ? m->broken.text : NULL,
				  .late = m->late, .status = m->status };

	b->end = qemu_end_judge(&seen, &b->why);
	b->wall_ns = clock_mono_ns() - m->start;
	b->ran = b->end == QEMU_WRONG_KERNEL || b->end == QEMU_WRONG_SHAPE ? 0 : m->intake.ran;
	b->facts = m->intake.facts;
	m->intake.facts = (struct record){};
}

static void add_host(struct record *r)
{
	static const char *const keys[] = { "machine.cpu_model", "machine.vendor",
					    "machine.product", "env.microcode", "boot.kernel" };
	_close_ int root = open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	_record_ struct record facts = {};

	if (root >= 0)
		facts_read(&facts, root);
	for (size_t i = 0; i < COUNT(keys); i++) {
		_free_ char *key = text_format("host.%s", strchr(keys[i], '.') + 1);
		const char *value = record_get(&facts, keys[i]);

		if (value)
			record_add(r, key, value);
	}
}

/* What the boot was, for each of its runs. */
static void describe(const struct machine *m, struct record *r)
{
	const struct qemu_shape *s = &m->vm->shape;
	_free_ char *cmdline = qemu_cmdline(m->vm);
	const struct qemu_boot *b = m->b;

	record_add(r, "mode", qemu_mode_name(m->vm->mode));
	record_add(r, "accelerator", m->vm->mode == QEMU_KVM ? "kvm" : "tcg");
	record_add(r, "kernel", m->vm->release ? m->vm->release : "");
	record_add(r, "cmdline", cmdline);
	record_add_u64(r, "cpus", s->cpus);
	record_add_u64(r, "sockets", s->sockets);
	record_add_u64(r, "nodes", s->nodes);
	record_add_u64(r, "memory_mib", s->memory_mib);
	record_add(r, "end", qemu_end_name(b->end));
	if (b->why)
		record_add(r, "why", b->why);
	if (b->boot_ns)
		record_add_u64(r, "boot_ns", b->boot_ns);
	record_add_u64(r, "wall_ns", b->wall_ns);
	record_add_u64(r, "runs", m->n);
	add_host(r);
}

static int leave_in_folders(const struct machine *m, struct err *e)
{
	_record_ struct record about = {};

	describe(m, &about);
	for (size_t k = 0; k < m->n; k++) {
		_free_ char *boot = path_join(m->run[k].result, RESULT_BOOT);
		_free_ char *console = path_join(m->run[k].result, RESULT_CONSOLE);
		_record_ struct record r = {};
		_text_ struct text t = {};

		record_add_u64(&r, "run", k + 1);
		record_print(&r, &t);
		record_print(&about, &t);
		if (file_write(AT_FDCWD, console, text_str(&m->b->console), m->b->console.len, e) < 0 ||
		    file_write(AT_FDCWD, boot, t.p, t.len, e) < 0)
			return -e->code;
	}
	return 0;
}

/* Numbers from a machine that was not the one asked for must not look whole. */
static void discard(const struct machine *m)
{
	for (size_t k = m->b->ran; k < m->n; k++) {
		_free_ char *path = path_join(m->run[k].result, "exit");

		unlink(path);
	}
}

static int make_claim(struct machine *m, struct err *e)
{
	_free_ char *result = NULL;

	if (!m->vm->state || !m->n)
		return 0;
	result = realpath(m->run[0].result, NULL);
	if (!result)
		return err_sys(e, "%s", m->run[0].result);
	return claim_make(&m->claim, m->vm->state, result, e);
}

static uint64_t boot_secs(const struct qemu_vm *vm)
{
	if (vm->boot_secs)
		return vm->boot_secs;
	return vm->mode == QEMU_ICOUNT ? ICOUNT_BOOT_SECS : BOOT_SECS;
}

static void machine_release(struct machine *m)
{
	closep(&m->console);
	closep(&m->said);
	closep(&m->result);
	closep(&m->qmp);
	text_release(&m->tail);
	text_release(&m->words);
	text_release(&m->control);
	qemu_intake_release(&m->intake);
	claim_release(&m->claim);
}

int qemu_boot(const struct qemu_vm *vm, const struct qemu_run *run, size_t n,
	      struct qemu_boot *b, struct err *e)
{
	_cleanup_(machine_release) struct machine m = {
		.vm = vm, .run = run, .n = n, .b = b, .claim = CLAIM_NONE, .status = -1,
		.console = -1, .said = -1, .result = -1, .qmp = -1 };
	int r;

	*b = (struct qemu_boot){};
	qemu_intake_init(&m.intake, run, n);
	if (qemu_shape_check(&vm->shape, e) < 0 || make_claim(&m, e) < 0)
		return -e->code;
	m.start = clock_mono_ns();
	m.until = m.start + boot_secs(vm) * NS;
	r = spawn(&m, e);
	if (r == 0) {
		watch(&m);
		end(&m);
		drain_rest(&m);
		judge(&m);
		discard(&m);
		r = leave_in_folders(&m, e);
	}
	if (m.claim.path && claim_close(&m.claim, r < 0 ? &(struct err){} : e) < 0 && r == 0)
		r = -e->code;
	return r;
}

void qemu_boot_release(struct qemu_boot *b)
{
	free(b->why);
	text_release(&b->console);
	record_release(&b->facts);
	*b = (struct qemu_boot){};
}
