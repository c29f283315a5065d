/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/record.h"
#include "run/agent.h"
#include "run/capture.h"
#include "run/exec.h"
#include "run/facts.h"
#include "run/kmsg.h"
#include "run/plan.h"
#include "run/result.h"
#include "run/setup.h"
#include "run/tree.h"

#define NS 1000000000ULL
#define FOREVER UINT64_MAX
#define STATUS_SKIP 77

struct agent {
	const struct plan *plan;
	const struct agent_place *at;
	struct capture out, err;
	struct kmsg kmsg;
	int signals, journal;
	pid_t child;
	uint64_t start_ns;		/* raw clock */
	uint64_t term_at, kill_at;	/* monotonic clock */
	int status;			/* as wait() gives it */
	bool ended;			/* the test itself */
	bool alone;			/* and all that it started */
	bool termed, stopped;
	struct result_exit x;
};

static int journal_put(const struct agent *a, const char *key, struct err *e)
{
	_text_ struct text t = {};
	_free_ char *now = text_format("%" PRIu64, clock_wall_ns());

	record_put_line(&t, key, now);
	if (write(a->journal, t.p, t.len) != (ssize_t)t.len || fsync(a->journal) < 0)
		return err_sys(e, "writing the journal");
	return 0;
}

/* Signals are taken as input; the test gets its own mask back (run/exec.c). */
static int signals_open(struct agent *a, struct err *e)
{
	static const int taken[] = { SIGCHLD, SIGTERM, SIGINT, SIGHUP };
	sigset_t set;

	sigemptyset(&set);
	for (size_t i = 0; i < COUNT(taken); i++)
		sigaddset(&set, taken[i]);
	sigprocmask(SIG_BLOCK, &set, NULL);
	signal(SIGPIPE, SIG_IGN);
	a->signals = signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC);
	return a->signals < 0 ? err_sys(e, "signalfd") : 0;
}

static void signals_take(struct agent *a)
{
	struct signalfd_siginfo s;

	while (read(a->signals, &s, sizeof(s)) == sizeof(s))
		if (s.ssi_signo != SIGCHLD)
			a->stopped = true;
}

static void reap(struct agent *a)
{
	int status;
	pid_t pid;

	while ((pid = waitpid(-1, &status, WNOHANG | __WALL)) > 0) {
		if (pid != a->child)
			continue;
		a->x.wall_ns = clock_raw_ns() - a->start_ns;
		a->status = status;
		a->ended = true;
	}
	a->alone = pid < 0 && errno == ECHILD;
}

/*
 * 1 when the machine cannot be set as the plan wants: then the run is skipped,
 * and nothing is changed.
 */
static int set_machine(struct agent *a, struct setup *s, struct err *e)
{
	struct err why = {};

	if (setup_apply(s, &a->plan->set, &why) < 0) {
		if (access(s->snapshot, F_OK) == 0) {
			*e = why;
			return -e->code;
		}
		a->x.state = RUN_SKIPPED;
		a->x.reason = text_format("set-up: %s", why.text);
		return 1;
	}
	return a->plan->set.n ? record_write(&s->told, a->at->dir, RESULT_SETUP, e) : 0;
}

/* Facts and the plan, for whoever reads the folder later. */
static int describe(const struct agent *a, const char *plan_path, struct record *facts,
		    struct err *e)
{
	_free_ char *kept = path_join(a->at->result, RESULT_PLAN);
	_close_ int root = open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	struct stat given, mine;

	if (root < 0)
		return err_sys(e, "/");
	facts_read(facts, root);
	facts_mount(facts, root, "work", a->at->result);
	facts_mount(facts, root, "program", a->plan->program);
	if (record_write(facts, a->at->dir, RESULT_FACTS, e) < 0)
		return -e->code;
	if (stat(plan_path, &given) == 0 && stat(kept, &mine) == 0 &&
	    given.st_dev == mine.st_dev && given.st_ino == mine.st_ino)
		return 0;
	return plan_write(a->plan, a->at->dir, RESULT_PLAN, e);
}

/* 1 when the program could not be started: that is the run's end, not ours. */
static int start(struct agent *a, const struct record *facts, struct err *e)
{
	_free_ char *work = path_join(a->at->result, RESULT_WORK);
	struct exec x = { .plan = a->plan, .work = work, .result = a->at->result,
			  .cgroup = a->at->cgroup, .facts = facts };
	struct err why = {};

	if (mkdir(work, 0755) < 0)
		return err_sys(e, "%s", work);
	if (journal_put(a, "began", e) < 0)
		return -e->code;
	a->start_ns = clock_raw_ns();
	a->term_at = a->plan->deadline_secs ? clock_mono_ns() + a->plan->deadline_secs * NS :
		     FOREVER;
	a->kill_at = FOREVER;
	if (exec_start(&x, &why) < 0) {
		a->x.state = RUN_FAILED;
		a->x.reason = text_copy(why.text);
		return 1;
	}
	a->child = x.pid;
	if (capture_open(&a->out, x.out, a->at->dir, RESULT_STDOUT, a->plan->out_max_bytes, e) < 0)
		return -e->code;
	return capture_open(&a->err, x.err, a->at->dir, RESULT_STDERR, a->plan->out_max_bytes, e);
}

/* Milliseconds until the next thing to do by the clock, for poll(). */
static int patience(const struct agent *a)
{
	uint64_t at = a->termed ? a->kill_at : a->term_at, now = clock_mono_ns(), ms;

	if (at == FOREVER)
		return -1;
	ms = at <= now ? 0 : (at - now) / 1000000 + 1;
	return ms > 1000000 ? 1000000 : (int)ms;
}

/* True when it is time to look no longer: the rest is killed. */
static bool check_clock(struct agent *a)
{
	uint64_t now = clock_mono_ns();

	if (!a->termed && now >= a->term_at) {
		tree_signal(SIGTERM, 0);
		a->termed = true;
		a->kill_at = now + a->plan->grace_secs * NS;
	}
	return a->termed && now >= a->kill_at;
}

static int watch(struct agent *a, struct err *e)
{
	for (;;) {
		struct pollfd fds[] = { { a->signals, POLLIN, 0 }, { a->out.from, POLLIN, 0 },
					{ a->err.from, POLLIN, 0 }, { a->kmsg.fd, POLLIN, 0 } };

		if (poll(fds, COUNT(fds), patience(a)) < 0 && errno != EINTR)
			return err_sys(e, "poll");
		signals_take(a);
		if (capture_take(&a->out, e) < 0 || capture_take(&a->err, e) < 0 ||
		    kmsg_take(&a->kmsg, e) < 0)
			return -e->code;
		reap(a);
		if (a->stopped || a->out.cut || a->err.cut || check_clock(a))
			return 0;
		if (a->termed ? a->alone : a->ended)
			return 0;
	}
}

/* Of all children that were waited for, and of theirs. */
static void take_usage(struct result_exit *x)
{
	struct rusage u;

	getrusage(RUSAGE_CHILDREN, &u);
	x->user_ns = (uint64_t)u.ru_utime.tv_sec * NS + (uint64_t)u.ru_utime.tv_usec * 1000;
	x->sys_ns = (uint64_t)u.ru_stime.tv_sec * NS + (uint64_t)u.ru_stime.tv_usec * 1000;
	x->max_rss_kib = (uint64_t)u.ru_maxrss;
	x->minor_faults = (uint64_t)u.ru_minflt;
	x->major_faults = (uint64_t)u.ru_majflt;
	x->voluntary_switches = (uint64_t)u.ru_nvcsw;
	x->involuntary_switches = (uint64_t)u.ru_nivcsw;
}

/*
 * After this no process of the run is left and its output is on disk.  The
 * child is reaped before the others, so that its status is not lost among them.
 */
static int finish(struct agent *a, struct err *e)
{
	unsigned int left = 0;

	reap(a);
	if (a->child && !a->ended) {
		kill(a->child, SIGKILL);
		while (waitpid(a->child, &a->status, 0) < 0 && errno == EINTR)
			;
		a->ended = true;
		a->x.wall_ns = clock_raw_ns() - a->start_ns;
	}
	if (tree_kill(a->at->cgroup, &left, e) < 0)
		return -e->code;
	if (!a->child)
		return kmsg_end(&a->kmsg, e);
	take_usage(&a->x);
	a->x.leftovers = left;
	if (capture_end(&a->out, e) < 0 || capture_end(&a->err, e) < 0 ||
	    kmsg_end(&a->kmsg, e) < 0)
		return -e->code;
	a->x.stdout_bytes = a->out.kept;
	a->x.stderr_bytes = a->err.kept;
	return 0;
}

/* What follows "krobot.invalid: 1 " at the start of a line of stdout; or NULL. */
static char *find_invalid(const struct agent *a)
{
	static const char mark[] = "krobot.invalid: 1";
	_close_ int fd = openat(a->at->dir, RESULT_STDOUT, O_RDONLY | O_CLOEXEC);
	size_t n = (size_t)a->out.kept, len = strlen(mark);
	_text_ struct text why = {};
	const char *p, *end, *map;
	bool found = false;

	map = fd < 0 || !n ? MAP_FAILED : mmap(NULL, n, PROT_READ, MAP_PRIVATE, fd, 0);
	if (map == MAP_FAILED)
		return NULL;
	for (p = map, end = map + n; !found && (p = memmem(p, (size_t)(end - p), mark, len)); p++)
		if (p == map || p[-1] == '\n') {
			const char *nl = memchr(p, '\n', (size_t)(end - p));
			size_t line = (size_t)((nl ? nl : end) - p) - len;

			text_put_visible(&why, p + len, line < 300 ? line : 300, true);
			found = true;
		}
	munmap((void *)map, n);
	if (!found)
		return NULL;
	p = text_str(&why);
	return text_copy(p + strspn(p, " "));
}

/* The last line that says something; a shell's trace of itself does not. */
static char *last_line(const struct agent *a, const char *name)
{
	_close_ int fd = openat(a->at->dir, name, O_RDONLY | O_CLOEXEC);
	_text_ struct text said = {};
	char buf[4096];
	off_t size = fd < 0 ? 0 : lseek(fd, 0, SEEK_END);
	off_t from = size > (off_t)sizeof(buf) ? size - (off_t)sizeof(buf) : 0;
	ssize_t n = fd < 0 ? 0 : pread(fd, buf, sizeof(buf), from);

	while (n > 0) {
		const char *nl = memrchr(buf, '\n', (size_t)n), *line = nl ? nl + 1 : buf;
		size_t len = (size_t)(buf + n - line);

		if (len && !(len > 2 && line[0] == '+' && line[1] == ' ')) {
			text_put_visible(&said, line, len < 300 ? len : 300, true);
			return text_steal(&said);
		}
		n = nl ? nl - buf : 0;
	}
	return NULL;
}

static char *last_words(const struct agent *a)
{
	char *line = last_line(a, RESULT_STDERR);

	return line ? line : last_line(a, RESULT_STDOUT);
}

static void judge_status(struct agent *a)
{
	_free_ char *words = last_words(a);

	if (a->x.status == STATUS_SKIP) {
		a->x.state = RUN_SKIPPED;
		a->x.reason = words ? steal(words) : text_copy("it did not say why");
		return;
	}
	a->x.state = RUN_FAILED;
	if (a->x.signal != RESULT_ABSENT)
		a->x.reason = text_format("killed by signal %d (%s)", (int)a->x.signal,
					  strsignal((int)a->x.signal));
	else
		a->x.reason = text_format("exit status %d%s%s", (int)a->x.status,
					  words ? ": " : "", words ? words : "");
}

/* The first that holds says how the run ended. */
static void judge(struct agent *a)
{
	_free_ char *invalid = NULL;

	if (!a->child)
		return;
	if (WIFSIGNALED(a->status))
		a->x.signal = (uint64_t)WTERMSIG(a->status);
	else
		a->x.status = (uint64_t)WEXITSTATUS(a->status);
	invalid = find_invalid(a);
	if (a->termed) {
		a->x.state = RUN_TIMEOUT;
		a->x.reason = text_format("not done after %" PRIu64 " s", a->plan->deadline_secs);
	} else if (a->out.cut || a->err.cut) {
		a->x.state = RUN_FAILED;
		a->x.reason = text_format("more than %" PRIu64 " bytes on %s",
					  a->plan->out_max_bytes,
					  a->out.cut ? a->out.name : a->err.name);
	} else if (invalid) {
		a->x.state = RUN_INVALID;
		a->x.reason = steal(invalid);
	} else if (a->status != 0) {
		judge_status(a);
	} else {
		a->x.state = RUN_OK;
	}
}

static void agent_release(struct agent *a)
{
	capture_release(&a->out);
	capture_release(&a->err);
	kmsg_release(&a->kmsg);
	result_exit_release(&a->x);
	closep(&a->signals);
	closep(&a->journal);
}

/* From the first process to the last. */
static int run(struct agent *a, const struct record *facts, struct err *e)
{
	struct err watched = {}, ended = {};
	int started = start(a, facts, &watched);

	if (started == 0)
		started = watch(a, &watched);
	if (finish(a, &ended) < 0 && started >= 0)
		watched = ended;
	*e = watched;
	if (watched.code)
		return -e->code;
	return a->stopped ? err_set(e, ECANCELED, "stopped") : 0;
}

/* The run with all that surrounds it, but for the machine's settings. */
static int run_described(struct agent *a, const char *plan_path, struct err *e)
{
	_record_ struct record facts = {};
	const struct agent_place *at = a->at;

	if (describe(a, plan_path, &facts, e) < 0 ||
	    kmsg_open(&a->kmsg, "/dev/kmsg", at->dir, RESULT_KMSG, e) < 0)
		return -e->code;
	a->journal = openat(at->dir, RESULT_JOURNAL, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC,
			    0644);
	if (a->journal < 0)
		return err_sys(e, RESULT_JOURNAL);
	if (a->x.state == RUN_LOST && run(a, &facts, e) < 0)
		return -e->code;
	judge(a);
	return 0;
}

int agent_run(const char *plan_path, const struct agent_place *at, struct err *e)
{
	_free_ char *work = path_join(at->result, RESULT_WORK);
	_close_ int root = open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	_setup_ struct setup setup = { .root = root, .snapshot = at->settings, .lock = -1 };
	_plan_ struct plan plan;
	_cleanup_(agent_release) struct agent a = {
		.plan = &plan, .at = at, .out = CAPTURE_NONE, .err = CAPTURE_NONE,
		.kmsg = KMSG_NONE, .signals = -1, .journal = -1 };
	struct err back = {};

	result_exit_init(&a.x);
	if (plan_read(&plan, AT_FDCWD, plan_path, e) < 0 || tree_adopt(e) < 0 ||
	    signals_open(&a, e) < 0 || set_machine(&a, &setup, e) < 0)
		return -e->code;
	if (run_described(&a, plan_path, e) < 0) {
		if (setup_put_back(&setup, &back) < 0)
			err_in(e, "%s", back.text);
		return -e->code;
	}
	if (setup_put_back(&setup, e) < 0 || dir_remove(work, e) < 0 ||
	    journal_put(&a, "ended", e) < 0)
		return -e->code;
	return result_exit_write(&a.x, at->dir, e);
}
