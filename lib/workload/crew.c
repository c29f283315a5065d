/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "base/clock.h"
#include "workload/crew.h"
#include "workload/pages.h"
#include "workload/place.h"
#include "workload/workload.h"

#define LEDGER_PAGE 4096

/* Shared between processes as between threads. */
struct shared {
	pthread_barrier_t ready, worked, meet;
	_Atomic uint64_t until_ns;
	_Atomic bool failed, over;
	/* Read by every task all the time, written hardly ever: a line of their own. */
	_Atomic bool stop __attribute__((aligned(128)));
	_Atomic uint64_t delay_ns;
};

_Static_assert(sizeof(struct shared) <= LEDGER_PAGE, "what is shared is one page");

_Static_assert(sizeof(struct task) <= LEDGER_PAGE, "a task's ledger is one page");

bool crew_time_is_up(const struct task *t)
{
	const struct shared *s = t->crew->shared;

	return clock_raw_ns() >= atomic_load_explicit(&s->until_ns, memory_order_relaxed);
}

void crew_meet(const struct task *t)
{
	struct shared *s = t->crew->shared;

	pthread_barrier_wait(&s->meet);
}

void crew_stop(struct crew *c)
{
	struct shared *s = c->shared;

	atomic_store(&s->stop, true);
}

void crew_delay(struct crew *c, uint64_t ns)
{
	struct shared *s = c->shared;

	atomic_store(&s->delay_ns, ns);
}

bool crew_sleep(struct crew *c, uint64_t ns)
{
	const struct shared *s = c->shared;
	const uint64_t slice = 10000000;

	for (uint64_t now, end = clock_raw_ns() + ns; (now = clock_raw_ns()) < end;) {
		uint64_t left = end - now < slice ? end - now : slice;

		if (atomic_load(&s->over) || atomic_load(&s->failed))
			return false;
		nanosleep(&(struct timespec){ 0, (long)left }, NULL);
	}
	return true;
}

bool crew_wait_begin(struct crew *c)
{
	const struct shared *s = c->shared;

	while (!atomic_load(&s->until_ns))
		if (!crew_sleep(c, 100000))
			return false;
	return !atomic_load(&s->failed);
}

void task_delay(const struct task *t, uint64_t n)
{
	uint64_t until = clock_ns(CLOCK_THREAD_CPUTIME_ID) +
			 n * atomic_load_explicit(t->delay_ns, memory_order_relaxed);

	while (clock_ns(CLOCK_THREAD_CPUTIME_ID) < until)
		;
}

/* The clocks of clock_getcpuclockid(3) and pthread_getcpuclockid(3), by their numbers. */
static clockid_t cpu_clock(const struct crew *c)
{
	if (!c->threads && !c->child)
		return (clockid_t)((~(unsigned int)getpid() << 3) | 2);
	return (clockid_t)((~(unsigned int)syscall(SYS_gettid) << 3) | 6);
}

static uint64_t switches(void)
{
	struct rusage u;

	getrusage(RUSAGE_THREAD, &u);
	return (uint64_t)u.ru_nivcsw;
}

static void note(struct task *t, const struct err *e)
{
	t->code = e->code;
	snprintf(t->text, sizeof(t->text), "%s", e->text);
}

/* A task that was bound and is not where it was put measured something else. */
static int ran_elsewhere(const struct task *t, struct err *e)
{
	int wanted = place_cpu(t->id);

	if (wanted < 0 || t->ran_on == wanted)
		return 0;
	return invalid(e, "task %u ran on CPU %d, it was put on CPU %d", t->id, t->ran_on, wanted);
}

static void one_task(struct crew *c, unsigned int i)
{
	struct shared *s = c->shared;
	struct task *t = c->task[i];
	struct err e = {};
	uint64_t cpu, faults;
	int placed = place_worker(i, &e);

	t->id = i;	/* first touch of the page, on the task's own node */
	t->crew = c;
	t->stop = &s->stop;
	t->delay_ns = &s->delay_ns;
	t->cpu_clock = cpu_clock(c);
	if (placed < 0 || (c->setup && c->setup(t, &e) < 0)) {
		note(t, &e);
		atomic_store(&s->failed, true);
	}
	if (pthread_barrier_wait(&s->ready) == PTHREAD_BARRIER_SERIAL_THREAD)
		atomic_store(&s->until_ns, c->run_ns ? clock_raw_ns() + c->run_ns : UINT64_MAX);
	while (!atomic_load(&s->until_ns))	/* a few loads: the last one in sets it */
		;
	if (!atomic_load(&s->failed)) {
		cpu = clock_ns(CLOCK_THREAD_CPUTIME_ID);
		faults = pages_faults();
		t->switches = switches();
		t->began_ns = clock_raw_ns();
		if (c->work(t, &e) < 0) {
			note(t, &e);
			atomic_store(&s->stop, true);
		}
		t->ended_ns = clock_raw_ns();
		t->faults = pages_faults() - faults;
		t->switches = switches() - t->switches;
		t->cpu_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID) - cpu;
		t->ran_on = sched_getcpu();
		if (!t->code && place_cpu(i) >= 0 && t->ran_on != place_cpu(i)) {
			invalid(&e, "worker %u ran on CPU %d, not on %d", i, t->ran_on, place_cpu(i));
			note(t, &e);
		}
		if (!t->code && ran_elsewhere(t, &e) < 0)
			note(t, &e);
	}
	/* None gives its memory back while another still measures. */
	pthread_barrier_wait(&s->worked);
	if (c->leave && !t->code)
		c->leave(t);
}

struct member {
	struct crew *crew;
	unsigned int i;
};

static void *watch_main(void *arg)
{
	struct crew *c = arg;

	c->watch(c);
	return NULL;
}

/* The tasks are started: watch them until @end, which says that they have ended. */
static int watch_begin(struct crew *c, pthread_t *tid, struct err *e)
{
	int code = c->watch ? pthread_create(tid, NULL, watch_main, c) : 0;

	if (!code)
		return 0;
	errno = code;
	return err_sys(e, "the watcher's thread");
}

static void watch_end(struct crew *c, pthread_t tid)
{
	struct shared *s = c->shared;

	atomic_store(&s->over, true);
	if (c->watch)
		pthread_join(tid, NULL);
}

static void *thread_main(void *arg)
{
	const struct member *m = arg;

	one_task(m->crew, m->i);
	return NULL;
}

static int run_threads(struct crew *c, struct err *e)
{
	_free_ pthread_t *tid = calloc(c->n, sizeof(*tid));
	_free_ struct member *member = calloc(c->n, sizeof(*member));
	pthread_t watcher = 0;

	if (!tid || !member)
		abort();
	for (unsigned int i = 0; i < c->n; i++) {
		int code;

		member[i] = (struct member){ c, i };
		code = pthread_create(&tid[i], NULL, thread_main, &member[i]);
		/* The others wait at a barrier that this one will never reach. */
		if (code) {
			errno = code;
			return err_sys(e, "thread %u", i);
		}
	}
	/* In a child of the caller, the caller is who watches. */
	if (!c->child && watch_begin(c, &watcher, e) < 0)
		return -e->code;
	for (unsigned int i = 0; i < c->n; i++)
		pthread_join(tid[i], NULL);
	if (!c->child)
		watch_end(c, watcher);
	return 0;
}

static void kill_all(const pid_t *pid, unsigned int n)
{
	for (unsigned int i = 0; i < n; i++)
		if (pid[i] > 0)
			kill(pid[i], SIGKILL);
}

static int reap(struct crew *c, pid_t *pid, struct err *e)
{
	int r = 0;

	for (unsigned int left = c->n; left;) {
		unsigned int i;
		int status;
		pid_t p = waitpid(-1, &status, 0);

		if (p < 0 && errno == EINTR)
			continue;
		if (p < 0)
			return err_sys(e, "waiting for tasks");
		for (i = 0; i < c->n && pid[i] != p; i++)
			;
		if (i == c->n)
			continue;
		pid[i] = 0;
		left--;
		if (status && r == 0) {
			r = WIFSIGNALED(status) ?
				err_set(e, EIO, "task %u was killed by signal %d", i, WTERMSIG(status)) :
				err_set(e, EIO, "task %u ended with status %d", i, WEXITSTATUS(status));
			kill_all(pid, c->n);
		}
	}
	return r;
}

static int run_processes(struct crew *c, struct err *e)
{
	_free_ pid_t *pid = calloc(c->n, sizeof(*pid));
	pthread_t watcher = 0;
	int r;

	if (!pid)
		abort();
	fflush(stdout);
	for (unsigned int i = 0; i < c->n; i++) {
		pid_t parent = getpid();

		pid[i] = fork();
		if (pid[i] < 0) {
			err_sys(e, "process %u", i);
			kill_all(pid, i);
			return -e->code;
		}
		if (!pid[i]) {
			prctl(PR_SET_PDEATHSIG, SIGKILL);
			if (getppid() != parent)
				_exit(1);
			one_task(c, i);
			_exit(0);
		}
	}
	if (watch_begin(c, &watcher, e) < 0) {
		kill_all(pid, c->n);
		return -e->code;
	}
	r = reap(c, pid, e);
	watch_end(c, watcher);
	return r;
}

static int crew_make(struct crew *c, struct err *e)
{
	size_t bytes = LEDGER_PAGE + (size_t)c->n * LEDGER_PAGE;
	pthread_barrierattr_t attr;
	struct shared *s;

	c->task = calloc(c->n, sizeof(c->task[0]));
	if (!c->task)
		abort();
	s = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (s == MAP_FAILED)
		return err_sys(e, "the ledger of %u tasks", c->n);
	c->shared = s;
	s->delay_ns = c->delay_ns;
	pthread_barrierattr_init(&attr);
	pthread_barrierattr_setpshared(&attr, PTHREAD_PROCESS_SHARED);
	pthread_barrier_init(&s->ready, &attr, c->n);
	pthread_barrier_init(&s->worked, &attr, c->n);
	pthread_barrier_init(&s->meet, &attr, c->n);
	for (unsigned int i = 0; i < c->n; i++)
		c->task[i] = (struct task *)((char *)s + (size_t)(i + 1) * LEDGER_PAGE);
	return 0;
}

/* All threads in a process of its own: what it shares with its parent is copied on write. */
static int run_child(struct crew *c, struct err *e)
{
	pid_t parent = getpid(), pid;
	pthread_t watcher = 0;
	int status;

	fflush(stdout);
	pid = fork();
	if (pid < 0)
		return err_sys(e, "fork");
	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (getppid() != parent)
			_exit(1);
		_exit(run_threads(c, e) < 0);
	}
	if (watch_begin(c, &watcher, e) < 0) {
		kill(pid, SIGKILL);
		return -e->code;
	}
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	watch_end(c, watcher);
	if (WIFSIGNALED(status))
		return err_set(e, EIO, "the tasks were killed by signal %d", WTERMSIG(status));
	return status ? err_set(e, EAGAIN, "the threads could not be started") : 0;
}

int crew_run(struct crew *c, struct err *e)
{
	int r = crew_make(c, e);

	if (r < 0)
		return r;
	r = c->child ? run_child(c, e) : c->threads ? run_threads(c, e) : run_processes(c, e);
	for (unsigned int i = 0; i < c->n && r >= 0; i++) {
		if (c->task[i]->code) {
			e->code = c->task[i]->code;
			snprintf(e->text, sizeof(e->text), "%s", c->task[i]->text);
			r = -e->code;
		}
	}
	return r;
}

void crew_release(struct crew *c)
{
	if (c->shared)
		munmap(c->shared, LEDGER_PAGE + (size_t)c->n * LEDGER_PAGE);
	free(c->task);
}
