/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>

#include "base/clock.h"
#include "base/file.h"
#include "run/exec.h"
#include "run/result.h"
#include "run/watcher.h"

#define NS 1000000000ULL
#define STOP_NS (5 * NS)
#define FINISH_NS (60 * NS)

/* Events that a machine lacks are printed as not supported, which is no failure. */
#define EVENTS "cpu-cycles,instructions,cache-references,cache-misses,branch-instructions," \
	"branch-misses,dTLB-loads,dTLB-load-misses,iTLB-load-misses,node-loads," \
	"node-load-misses,cpu-clock,task-clock,page-faults,minor-faults,major-faults," \
	"context-switches,cpu-migrations"

#define DATA "DATA"	/* an argument that stands for a file of the monitor's own */
#define MS "MS"		/* and those that stand for the interval */
#define SECS "SECS"

static const struct known {
	const char *name;
	const char *argv[12];
	const char *after[12];	/* run when the test has ended; its output is the monitor's */
} known[] = {
	{ "perf-stat", { "perf", "stat", "-a", "-I", MS, "-x", ",", "-e", EVENTS, "--log-fd", "1" },
	  { NULL } },
	{ "perf-profile", { "perf", "record", "-q", "-a", "-g", "-F", "997", "-o", DATA },
	  { "perf", "report", "--stdio", "--children", "--sort", "dso,symbol", "-g",
	    "folded,0.5,callee", "-i", DATA } },
	{ "vmstat", { "vmstat", "-n", SECS }, { NULL } },
	{ "mpstat", { "mpstat", "-P", "ALL", SECS }, { NULL } },
	{ "iostat", { "iostat", "-t", "-k", "-x", SECS }, { NULL } },
	{ "turbostat", { "turbostat", "--quiet", "-i", SECS }, { NULL } },
};

struct watcher {
	const struct known *is;
	char *program;			/* the path found for argv[0] */
	uint64_t interval_ns;
	pid_t pid;			/* 0: not running */
};

static const struct known *find(const char *name)
{
	for (size_t i = 0; i < COUNT(known); i++)
		if (!strcmp(name, known[i].name))
			return &known[i];
	return NULL;
}

bool watcher_is_known(const char *name)
{
	return find(name) != NULL;
}

static char *find_program(const char *name)
{
	_free_ char *path = text_copy(EXEC_PATH);
	char *save = NULL;

	for (char *d = strtok_r(path, ":", &save); d; d = strtok_r(NULL, ":", &save)) {
		_free_ char *file = path_join(d, name);

		if (access(file, X_OK) == 0)
			return steal(file);
	}
	return NULL;
}

static char *argument(const struct watcher *w, const char *arg, const char *result)
{
	if (!strcmp(arg, DATA))
		return text_format("%s/" RESULT_MONITORS "/%s.data", result, w->is->name);
	if (!strcmp(arg, MS))
		return text_format("%" PRIu64, (uint64_t)(w->interval_ns / 1000000));
	if (!strcmp(arg, SECS))
		return text_format("%" PRIu64, (uint64_t)(w->interval_ns > NS ?
							   w->interval_ns / NS : 1));
	return text_copy(arg);
}

static int open_beside(const struct watcher *w, int dir, const char *end, int *fd, struct err *e)
{
	_free_ char *path = text_format(RESULT_MONITORS "/%s%s", w->is->name, end);

	*fd = openat(dir, path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
	return *fd < 0 ? err_sys(e, "%s", path) : 0;
}

static int spawn(struct watcher *w, const char *const *argv, const struct watchers_place *at,
		 struct err *e)
{
	_free_ char *root = text_format("RESULT_ROOT=%s", at->result);
	char *const env[] = { (char *)"PATH=" EXEC_PATH, (char *)"HOME=/", (char *)"LANG=C",
			      (char *)"LC_ALL=C", root, NULL };
	_close_ int out = -1, log = -1;
	char *args[COUNT(w->is->argv) + 1] = { text_copy(w->program) };
	struct exec_process p = { .argv = args, .env = env, .cwd = "/", .cgroup = at->cgroup,
				  .file_max = at->max };
	int r = -1;

	for (size_t i = 1; i < COUNT(w->is->argv) && argv[i]; i++)
		args[i] = argument(w, argv[i], at->result);
	if (open_beside(w, at->dir, "", &out, e) == 0 &&
	    open_beside(w, at->dir, ".log", &log, e) == 0) {
		p.out = out;
		p.err = log;
		r = exec_spawn(&p, &w->pid, e);
	}
	for (size_t i = 0; args[i]; i++)
		free(args[i]);
	return r < 0 ? -e->code : 0;
}

static int start_one(struct watchers *all, const struct plan_monitor *want,
		     const struct watchers_place *at, struct err *e)
{
	struct watcher w = { .is = find(want->name), .interval_ns = want->interval_ns };

	if (!w.is)
		return 0;
	w.program = find_program(w.is->argv[0]);
	if (!w.program) {
		record_addf(&all->told, "monitor_unavailable", "%s: no program %s", w.is->name,
			    w.is->argv[0]);
		return 0;
	}
	GROW(all->v, all->n);
	all->v[all->n++] = w;
	return spawn(&all->v[all->n - 1], w.is->argv, at, e);
}

int watchers_start(struct watchers *w, const struct plan *p, const struct watchers_place *at,
		   struct err *e)
{
	if (p->n_monitors && mkdirat(at->dir, RESULT_MONITORS, 0755) < 0 && errno != EEXIST)
		return err_sys(e, RESULT_MONITORS);
	for (size_t i = 0; i < p->n_monitors; i++)
		if (start_one(w, &p->monitors[i], at, e) < 0)
			return -e->code;
	return 0;
}

static void add_time(struct timeval *to, const struct timeval *t)
{
	to->tv_usec += t->tv_usec;
	to->tv_sec += t->tv_sec + to->tv_usec / 1000000;
	to->tv_usec %= 1000000;
}

bool watchers_reaped(struct watchers *w, pid_t pid, const struct rusage *usage)
{
	for (size_t i = 0; i < w->n; i++) {
		if (w->v[i].pid != pid)
			continue;
		w->v[i].pid = 0;
		add_time(&w->usage.ru_utime, &usage->ru_utime);
		add_time(&w->usage.ru_stime, &usage->ru_stime);
		w->usage.ru_minflt += usage->ru_minflt;
		w->usage.ru_majflt += usage->ru_majflt;
		w->usage.ru_nvcsw += usage->ru_nvcsw;
		w->usage.ru_nivcsw += usage->ru_nivcsw;
		return true;
	}
	return false;
}

/* Waits for one; kills it at @until (monotonic clock). */
static void end_one(struct watchers *all, struct watcher *w, uint64_t until)
{
	struct timespec pause = { .tv_nsec = 1000000 };
	struct rusage usage;

	while (w->pid) {
		pid_t pid = wait4(w->pid, NULL, WNOHANG, &usage);

		if (pid == w->pid)
			watchers_reaped(all, pid, &usage);
		else if (pid < 0 && errno != EINTR)
			w->pid = 0;
		else if (clock_mono_ns() > until)
			kill(w->pid, SIGKILL);
		if (w->pid)
			nanosleep(&pause, NULL);
	}
}

void watchers_stop(struct watchers *w)
{
	uint64_t until = clock_mono_ns() + STOP_NS;

	for (size_t i = 0; i < w->n; i++)
		if (w->v[i].pid)
			kill(w->v[i].pid, SIGINT);
	for (size_t i = 0; i < w->n; i++)
		end_one(w, &w->v[i], until);
}

int watchers_finish(struct watchers *w, const struct watchers_place *at, struct err *e)
{
	for (size_t i = 0; i < w->n; i++) {
		if (!w->v[i].is->after[0])
			continue;
		if (spawn(&w->v[i], w->v[i].is->after, at, e) < 0)
			return -e->code;
		end_one(w, &w->v[i], clock_mono_ns() + FINISH_NS);
	}
	return 0;
}

void watchers_release(struct watchers *w)
{
	for (size_t i = 0; i < w->n; i++)
		free(w->v[i].program);
	free(w->v);
	record_release(&w->told);
	*w = (struct watchers){};
}
