/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/record.h"
#include "run/activity.h"
#include "run/agent.h"
#include "run/capture.h"
#include "run/ending.h"
#include "run/exec.h"
#include "run/facts.h"
#include "run/kmsg.h"
#include "run/monitor.h"
#include "run/pace.h"
#include "run/plan.h"
#include "run/result.h"
#include "run/setup.h"
#include "run/tree.h"
#include "run/watcher.h"

#define NS 1000000000ULL
#define FOREVER UINT64_MAX

struct agent {
	const struct plan *plan;
	const struct agent_place *at;
	struct capture out, err;
	struct kmsg kmsg;
	struct monitors monitors;
	struct watchers watchers;
	struct pace pace;
	struct activity before;		/* of all CPUs, when the test started */
	bool accounted;			/* @before is known */
	uint64_t taint;			/* of the kernel then */
	int root, signals, journal;
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
	struct rusage usage;
	int status;
	pid_t pid;

	while ((pid = wait4(-1, &status, WNOHANG | __WALL, &usage)) > 0) {
		if (watchers_reaped(&a->watchers, pid, &usage) || pid != a->child)
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
	struct stat given, mine;

	facts_read(facts, a->root);
	facts_mount(facts, a->root, "work", a->at->result);
	facts_mount(facts, a->root, "program", a->plan->program);
	if (record_write(facts, a->at->dir, RESULT_FACTS, e) < 0)
		return -e->code;
	if (stat(plan_path, &given) == 0 && stat(kept, &mine) == 0 &&
	    given.st_dev == mine.st_dev && given.st_ino == mine.st_ino)
		return 0;
	return plan_write(a->plan, a->at->dir, RESULT_PLAN, e);
}

static struct watchers_place watchers_at(const struct agent *a)
{
	return (struct watchers_place){ a->at->dir, a->at->result, a->at->cgroup,
					a->plan->out_max_bytes };
}

/* 1 when the program could not be started: that is the run's end, not ours. */
static int start(struct agent *a, const struct record *facts, struct err *e)
{
	_free_ char *work = path_join(a->at->result, RESULT_WORK);
	struct exec x = { .plan = a->plan, .work = work, .result = a->at->result,
			  .cgroup = a->at->cgroup, .facts = facts };
	struct watchers_place at = watchers_at(a);
	struct err why = {};

	if (mkdir(work, 0755) < 0)
		return err_sys(e, "%s", work);
	if (watchers_start(&a->watchers, a->plan, &at, e) < 0 || journal_put(a, "began", e) < 0 ||
	    monitors_begin(&a->monitors, e) < 0)
		return -e->code;
	a->taint = ending_taint(a->root);
	a->accounted = activity_read(a->root, &a->before);
	pace_open(&a->pace, a->root);
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
					{ a->err.from, POLLIN, 0 }, { a->kmsg.fd, POLLIN, 0 },
					{ a->monitors.timer, POLLIN, 0 } };

		if (poll(fds, COUNT(fds), patience(a)) < 0 && errno != EINTR)
			return err_sys(e, "poll");
		signals_take(a);
		if (capture_take(&a->out, e) < 0 || capture_take(&a->err, e) < 0 ||
		    kmsg_take(&a->kmsg, e) < 0 || monitors_take(&a->monitors, e) < 0)
			return -e->code;
		reap(a);
		if (a->stopped || a->out.cut || a->err.cut || check_clock(a))
			return 0;
		if (a->termed ? a->alone : a->ended)
			return 0;
	}
}

static void take_cpu_state(struct agent *a)
{
	struct activity now, meanwhile;

	if (!pace_take(&a->pace, &a->x.busy_khz))
		a->x.busy_khz = RESULT_ABSENT;
	if (!a->accounted || !activity_read(a->root, &now))
		return;
	meanwhile = activity_between(&a->before, &now);
	a->x.steal_ns = meanwhile.steal_ns;
}

static uint64_t time_ns(const struct timeval *t)
{
	return (uint64_t)t->tv_sec * NS + (uint64_t)t->tv_usec * 1000;
}

/*
 * Of all children that were waited for, and of theirs, without the monitors.  The
 * largest of all may have been a monitor, so with these it is not known.
 */
static void take_usage(struct result_exit *x, const struct watchers *w)
{
	const struct rusage *not = &w->usage;
	struct rusage u;

	getrusage(RUSAGE_CHILDREN, &u);
	x->user_ns = time_ns(&u.ru_utime) - time_ns(&not->ru_utime);
	x->sys_ns = time_ns(&u.ru_stime) - time_ns(&not->ru_stime);
	x->minor_faults = (uint64_t)(u.ru_minflt - not->ru_minflt);
	x->major_faults = (uint64_t)(u.ru_majflt - not->ru_majflt);
	x->voluntary_switches = (uint64_t)(u.ru_nvcsw - not->ru_nvcsw);
	x->involuntary_switches = (uint64_t)(u.ru_nivcsw - not->ru_nivcsw);
	if (!w->n)
		x->max_rss_kib = (uint64_t)u.ru_maxrss;
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
	watchers_stop(&a->watchers);
	if (tree_kill(a->at->cgroup, &left, e) < 0)
		return -e->code;
	take_cpu_state(a);
	if (!a->child)
		return kmsg_end(&a->kmsg, e);
	if (monitors_end(&a->monitors, e) < 0)
		return -e->code;
	if (a->monitors.n)
		a->x.monitor_cpu_ns = a->monitors.cpu_ns;
	take_usage(&a->x, &a->watchers);
	a->x.leftovers = left;
	if (capture_end(&a->out, e) < 0 || capture_end(&a->err, e) < 0 ||
	    kmsg_end(&a->kmsg, e) < 0)
		return -e->code;
	a->x.stdout_bytes = a->out.kept;
	a->x.stderr_bytes = a->err.kept;
	return 0;
}

static void agent_release(struct agent *a)
{
	capture_release(&a->out);
	capture_release(&a->err);
	kmsg_release(&a->kmsg);
	monitors_release(&a->monitors);
	watchers_release(&a->watchers);
	pace_release(&a->pace);
	result_exit_release(&a->x);
	closep(&a->root);
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

static void judge(struct agent *a)
{
	const struct ending end = {
		.dir = a->at->dir,
		.plan = a->plan,
		.started = a->child != 0,
		.status = a->status,
		.timed_out = a->termed,
		.cut = a->out.cut ? a->out.name : a->err.cut ? a->err.name : NULL,
	};

	ending_judge(&end, &a->x);
}

/* What went on beside the test, for the journal and for the run's state. */
static int note(struct agent *a, struct err *e)
{
	struct watchers_place at = watchers_at(a);
	_text_ struct text t = {};

	if (watchers_finish(&a->watchers, &at, e) < 0)
		return -e->code;
	record_print(&a->monitors.told, &t);
	record_print(&a->watchers.told, &t);
	if (t.len && write(a->journal, t.p, t.len) != (ssize_t)t.len)
		return err_sys(e, "writing the journal");
	return ending_add_trouble(&a->x, a->at->dir, a->root, a->taint, e);
}

/* The run with all that surrounds it, but for the machine's settings. */
static int run_described(struct agent *a, const char *plan_path, struct err *e)
{
	_record_ struct record facts = {};
	int dir = a->at->dir;

	if (describe(a, plan_path, &facts, e) < 0 ||
	    kmsg_open(&a->kmsg, "/dev/kmsg", dir, RESULT_KMSG, e) < 0 ||
	    monitors_open(&a->monitors, a->plan, a->root, dir, e) < 0)
		return -e->code;
	a->journal = openat(dir, RESULT_JOURNAL, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
	if (a->journal < 0)
		return err_sys(e, RESULT_JOURNAL);
	if (a->x.state != RUN_LOST)
		return 0;
	if (run(a, &facts, e) < 0)
		return -e->code;
	judge(a);
	return note(a, e);
}

/* After the run: its settings and its folder go, then it has ended. */
static int run_ended(struct agent *a, struct setup *s, struct err *e)
{
	_free_ char *work = path_join(a->at->result, RESULT_WORK);

	if (setup_put_back(s, e) < 0 || dir_remove(work, e) < 0 || journal_put(a, "ended", e) < 0)
		return -e->code;
	return result_exit_write(&a->x, a->at->dir, e);
}

int agent_run(const char *plan_path, const struct agent_place *at, struct err *e)
{
	_plan_ struct plan plan;
	_cleanup_(agent_release) struct agent a = {
		.plan = &plan, .at = at, .out = CAPTURE_NONE, .err = CAPTURE_NONE,
		.kmsg = KMSG_NONE, .monitors = MONITORS_NONE, .signals = -1, .journal = -1,
		.root = open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC) };
	_setup_ struct setup setup = { .root = a.root, .snapshot = at->settings, .lock = -1 };
	struct err back = {};

	result_exit_init(&a.x);
	if (plan_read(&plan, AT_FDCWD, plan_path, e) < 0 || tree_adopt(e) < 0 ||
	    signals_open(&a, e) < 0 || set_machine(&a, &setup, e) < 0)
		return -e->code;
	if (run_described(&a, plan_path, e) == 0)
		return run_ended(&a, &setup, e);
	if (setup_put_back(&setup, &back) < 0)
		err_in(e, "%s", back.text);
	return -e->code;
}
