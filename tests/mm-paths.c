/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Paths of memory management that changes to it are argued about, a row of the
 * table each: moving, dropping and splitting mappings, huge pages, forks and
 * ends of large processes, migration, reclaim, pins.
 *
 * An operation is a whole round, with what it takes to make the next one
 * possible; call_ns is the time of the call in question alone.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <poll.h>
#include <pthread.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>

#include "base/clock.h"
#include "base/text.h"
#include "workload/pages.h"
#include "workload/place.h"
#include "workload/rate.h"
#include "workload/scratch.h"

#define PAGE		4096
#define HUGE_PAGE	((uint64_t)2 << 20)
#define MOVED		512	/* pages of one migration */
#define PINNED		16	/* pages of one pin: a pipe's length by default */

#ifndef MADV_COLLAPSE
#define MADV_COLLAPSE	25
#endif

/* A task's ledger: time in the call in question, or a histogram of it. */
enum { CALL_NS, CALLS, MAPPED, BUCKETS };
#define N_BUCKETS	(CREW_NUMBERS - BUCKETS)	/* four for each power of two */

static const char *test_name;
static uint64_t size;

struct state {
	char *p;
	char *other;		/* a place for it to move to */
	int fd, pipe[2], null;
	void *pages[MOVED];
	int status[MOVED], node[MOVED];
};

#define STATE(t) ((struct state *)(t)->data)

/* @call by itself, timed. */
#define TIMED(t, call)							\
	({								\
		uint64_t from_ = clock_raw_ns();			\
		__typeof__(call) r_ = (call);				\
									\
		(t)->number[CALL_NS] += (double)(clock_raw_ns() - from_); \
		(t)->number[CALLS]++;					\
		r_;							\
	})

/* Rounds of @round, which is negative where the kernel refuses. */
#define LOOP(fn, round)							\
	static int fn(struct task *t, struct err *e)			\
	{								\
		struct state *s = t->data;				\
									\
		task_loop(t)						\
			if ((round) < 0)				\
				return refused(e);			\
		return 0;						\
	}

static int refused(struct err *e)
{
	if (errno == EPERM || errno == ENOSYS || errno == EACCES)
		return skip(e, "%s: %s", test_name, strerror(errno));
	return errno == EILSEQ ? invalid(e, "%s: the call did not do what it is for", test_name) :
				 err_sys(e, "%s", test_name);
}

static int touch(char *p, uint64_t n)
{
	for (uint64_t i = 0; i < n; i += PAGE)
		*(volatile char *)(p + i) = 1;
	return 0;
}

/* Base pages, at a boundary of huge ones, with as much room beside it. */
static int setup(struct task *t, struct err *e)
{
	uint64_t room = (size + HUGE_PAGE - 1) / HUGE_PAGE * HUGE_PAGE;
	struct state *s = t->data = mem_zero(1, sizeof(*s));
	char *p = mmap(NULL, 2 * room + 2 * HUGE_PAGE, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (p == MAP_FAILED)
		return err_sys(e, "mapping %ju bytes", (uintmax_t)size);
	s->p = (char *)(((uintptr_t)p + HUGE_PAGE - 1) & ~(HUGE_PAGE - 1));
	s->other = s->p + room;
	madvise(p, 2 * room + 2 * HUGE_PAGE, MADV_NOHUGEPAGE);
	return touch(s->p, size);
}

static void leave(struct task *t)
{
	free(t->data);
}

static int setup_huge(struct task *t, struct err *e)
{
	struct pages got;
	int r = setup(t, e);

	if (r < 0)
		return r;
	if (madvise(STATE(t)->p, HUGE_PAGE, MADV_HUGEPAGE) < 0)
		return skip(e, "%s: this kernel has no transparent huge pages", test_name);
	madvise(STATE(t)->p, HUGE_PAGE, MADV_DONTNEED);
	*STATE(t)->p = 1;
	r = pages_read(STATE(t)->p, HUGE_PAGE, &got, e);
	if (r == 0 && !got.huge)
		return skip(e, "%s: huge pages are not to be had", test_name);
	return r < 0 ? r : 0;
}

static int setup_file(struct task *t, struct err *e)
{
	int r = setup(t, e);

	if (r < 0)
		return r;
	STATE(t)->fd = scratch_file(size, e);
	if (STATE(t)->fd < 0)
		return -e->code;
	if (mmap(STATE(t)->p, size, PROT_READ, MAP_SHARED | MAP_FIXED, STATE(t)->fd, 0) == MAP_FAILED)
		return err_sys(e, "mapping the file");
	return 0;
}

static int setup_pipe(struct task *t, struct err *e)
{
	int r = setup(t, e);

	if (r < 0)
		return r;
	STATE(t)->null = open("/dev/null", O_WRONLY | O_CLOEXEC);
	if (STATE(t)->null < 0)
		return skip(e, "%s: no /dev/null", test_name);
	return pipe(STATE(t)->pipe) < 0 ? err_sys(e, "pipe") : 0;
}

static int setup_proc(struct task *t, struct err *e)
{
	int r = setup(t, e);

	if (r < 0)
		return r;
	STATE(t)->fd = open("/proc/self/clear_refs", O_WRONLY | O_CLOEXEC);
	return STATE(t)->fd < 0 ? skip(e, "%s: no /proc/self/clear_refs", test_name) : 0;
}

static int setup_pidfd(struct task *t, struct err *e)
{
	int r = setup(t, e);

	if (r < 0)
		return r;
	STATE(t)->fd = (int)syscall(SYS_pidfd_open, getpid(), 0);
	return STATE(t)->fd < 0 ? skip(e, "%s: no pidfd_open", test_name) : 0;
}

static int setup_nodes(struct task *t, struct err *e)
{
	int r = setup(t, e);

	for (uint64_t i = 0; i < MOVED; i++)
		STATE(t)->pages[i] = STATE(t)->p + i % (size / PAGE) * PAGE;
	return r;
}

static int two_nodes(struct err *e)
{
	if (place_n_nodes() < 2)
		return skip(e, "%s needs two nodes, this machine has %u", test_name, place_n_nodes());
	return size / PAGE < MOVED ? err_set(e, EINVAL, "size: less than %d pages", MOVED) : 0;
}

/* ---- Rounds ---- */

static int move(struct task *t, struct state *s)
{
	char *from = s->p;

	if (TIMED(t, mremap(from, size, size, MREMAP_MAYMOVE | MREMAP_FIXED, s->other)) != s->other)
		return -1;
	s->p = s->other;
	s->other = from;
	return *s->p == 1 ? 0 : (errno = EILSEQ, -1);
}

/* Into the hole that its other half leaves. */
static int grow(struct task *t, struct state *s)
{
	uint64_t half = size / 2 / PAGE * PAGE;

	if (mremap(s->p, size, half, 0) != s->p)
		return -1;
	return TIMED(t, mremap(s->p, half, size, 0)) == s->p ? 0 : -1;
}

static int drop(struct task *t, struct state *s)
{
	touch(s->p, size);
	return TIMED(t, madvise(s->p, size, MADV_DONTNEED));
}

static int unmap(struct task *t, struct state *s)
{
	touch(s->p, size);
	if (TIMED(t, munmap(s->p, size)) < 0)
		return -1;
	if (mmap(s->p, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) !=
	    s->p)
		return -1;
	madvise(s->p, size, MADV_NOHUGEPAGE);
	return 0;
}

static int huge_fault(struct task *t, struct state *s)
{
	if (madvise(s->p, HUGE_PAGE, MADV_DONTNEED) < 0)
		return -1;
	return TIMED(t, touch(s->p, PAGE));
}

/* A write-protected page within: the huge mapping falls into small ones. */
static int huge_split(struct task *t, struct state *s)
{
	if (madvise(s->p, HUGE_PAGE, MADV_DONTNEED) < 0 || touch(s->p, PAGE) < 0)
		return -1;
	if (TIMED(t, mprotect(s->p + PAGE, PAGE, PROT_READ)) < 0)
		return -1;
	return mprotect(s->p, HUGE_PAGE, PROT_READ | PROT_WRITE);
}

static int huge_collapse(struct task *t, struct state *s)
{
	int r;

	if (madvise(s->p, HUGE_PAGE, MADV_DONTNEED) < 0 || madvise(s->p, HUGE_PAGE, MADV_NOHUGEPAGE) < 0)
		return -1;
	touch(s->p, HUGE_PAGE);
	if (madvise(s->p, HUGE_PAGE, MADV_HUGEPAGE) < 0)
		return -1;
	r = TIMED(t, madvise(s->p, HUGE_PAGE, MADV_COLLAPSE));
	if (r < 0 && errno == EINVAL)
		errno = ENOSYS;		/* before Linux 6.1 */
	return r;
}

static int child_wait(pid_t pid)
{
	int status;

	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return -1;
	return status ? (errno = EILSEQ, -1) : 0;
}

static int fork_large(struct task *t, struct state *s)
{
	pid_t pid = TIMED(t, fork());

	if (!pid)
		_exit(0);
	return pid < 0 ? -1 : child_wait(pid);
}

/* The child has made copies of all pages when it is told to end. */
static int exit_large(struct task *t, struct state *s)
{
	int ready[2], go[2], r = -1;
	pid_t pid;
	char c = 0;

	if (pipe(ready) < 0 || pipe(go) < 0)
		return -1;
	pid = fork();
	if (!pid) {
		touch(s->p, size);
		_exit(write(ready[1], &c, 1) != 1 || read(go[0], &c, 1) != 1);
	}
	if (pid > 0 && read(ready[0], &c, 1) == 1 && write(go[1], &c, 1) == 1)
		r = TIMED(t, child_wait(pid));
	for (int i = 0; i < 2; i++) {
		close(ready[i]);
		close(go[i]);
	}
	return r;
}

static int migrate(struct task *t, struct state *s)
{
	int to = (int)place_node(s->node[0] == (int)place_node(0));

	for (int i = 0; i < MOVED; i++)
		s->node[i] = to;
	if (TIMED(t, syscall(SYS_move_pages, 0, MOVED, s->pages, s->node, s->status, 0)) < 0)
		return -1;
	return s->status[0] == to ? 0 : (errno = EILSEQ, -1);
}

/* Clean pages of a file, read again in each round. */
static int reclaim(struct task *t, struct state *s)
{
	unsigned char in = 1;

	for (uint64_t i = 0; i < size; i += PAGE)
		(void)*(volatile char *)(s->p + i);
	return TIMED(t, madvise(s->p, size, MADV_PAGEOUT)) < 0 ? -1 : mincore(s->p, PAGE, &in);
}

static int pin(struct task *t, struct state *s)
{
	struct iovec v = { s->p, PINNED * PAGE };

	if (TIMED(t, vmsplice(s->pipe[1], &v, 1, 0)) != PINNED * PAGE)
		return -1;
	return splice(s->pipe[0], NULL, s->null, NULL, PINNED * PAGE, 0) == PINNED * PAGE ? 0 : -1;
}

static int advise_process(struct task *t, struct state *s)
{
	struct iovec v = { s->p, size };
	long n = TIMED(t, syscall(SYS_process_madvise, s->fd, &v, 1, MADV_COLD, 0));

	touch(s->p, size);
	return n < 0 ? -1 : n == (long)size ? 0 : (errno = EILSEQ, -1);
}

static int soft_dirty(struct task *t, struct state *s)
{
	touch(s->p, size);
	return TIMED(t, write(s->fd, "4", 1)) == 1 ? 0 : -1;
}

/* One page's right to write: each time the other CPUs of this process must know. */
static int shoot_down(struct task *t, struct state *s)
{
	touch(s->p, PAGE);
	return TIMED(t, mprotect(s->p, PAGE, PROT_READ)) < 0 ||
	       mprotect(s->p, PAGE, PROT_READ | PROT_WRITE) < 0 ? -1 : 0;
}

static int copy(struct task *t, struct state *s)
{
	TIMED(t, memcpy(s->other, s->p, size) != NULL);
	return 0;
}

LOOP(move_loop, move(t, s))
LOOP(grow_loop, grow(t, s))
LOOP(drop_loop, drop(t, s))
LOOP(unmap_loop, unmap(t, s))
LOOP(huge_fault_loop, huge_fault(t, s))
LOOP(huge_split_loop, huge_split(t, s))
LOOP(huge_collapse_loop, huge_collapse(t, s))
LOOP(fork_loop, fork_large(t, s))
LOOP(exit_loop, exit_large(t, s))
LOOP(migrate_loop, migrate(t, s))
LOOP(reclaim_loop, reclaim(t, s))
LOOP(pin_loop, pin(t, s))
LOOP(advise_loop, advise_process(t, s))
LOOP(dirty_loop, soft_dirty(t, s))
LOOP(shoot_loop, shoot_down(t, s))
LOOP(copy_loop, copy(t, s))

/* ---- Latency of single faults ---- */

/* Four buckets for each power of two: the two bits below the highest one. */
static unsigned int bucket(uint64_t ns)
{
	unsigned int top, i;

	if (ns < 4)
		return (unsigned int)ns;
	top = 63 - (unsigned int)__builtin_clzll(ns);
	i = (top - 1) * 4 + (unsigned int)(ns >> (top - 2) & 3);
	return i < N_BUCKETS ? i : N_BUCKETS - 1;
}

/* The upper end of what the bucket holds. */
static double bucket_ns(unsigned int i)
{
	return i < 4 ? i : ldexp(4 + i % 4 + 1, (int)(i / 4) - 1);
}

static int latency_loop(struct task *t, struct err *e)
{
	struct state *s = t->data;

	while (task_goes_on(t)) {
		if (madvise(s->p, size, MADV_DONTNEED) < 0)
			return refused(e);
		for (uint64_t i = 0; i < size && task_goes_on(t); i += PAGE) {
			uint64_t from = clock_raw_ns();

			*(volatile char *)(s->p + i) = 1;
			from = clock_raw_ns() - from;
			t->number[BUCKETS + bucket(from)]++;
			t->number[CALL_NS] += (double)from;
			t->number[CALLS]++;
			task_did(t, 1);
		}
	}
	return 0;
}

static void put_quantile(const struct crew *c, const char *name, double share)
{
	double all = 0, seen = 0;
	unsigned int b;

	for (unsigned int i = 0; i < c->n; i++)
		all += c->task[i]->number[CALLS];
	for (b = 0; b < N_BUCKETS; b++) {
		for (unsigned int i = 0; i < c->n; i++)
			seen += c->task[i]->number[BUCKETS + b];
		if (seen >= share * all)
			break;
	}
	metric(name, bucket_ns(b));
}

static void put_call(const struct crew *c)
{
	double ns = 0, calls = 0;

	for (unsigned int i = 0; i < c->n; i++) {
		ns += c->task[i]->number[CALL_NS];
		calls += c->task[i]->number[CALLS];
	}
	if (calls)
		metric("call_ns", ns / calls);
}

static void put_latency(const struct crew *c)
{
	put_call(c);
	put_quantile(c, "latency_p50_ns", 0.5);
	put_quantile(c, "latency_p99_ns", 0.99);
	put_quantile(c, "latency_p999_ns", 0.999);
}

/* ---- Faults against changes of mappings, in one process ---- */

/* Odd tasks map and unmap, which takes mmap_lock for writing: the opposition. */
static int contend_loop(struct task *t, struct err *e)
{
	if (!(t->id & 1))
		return latency_loop(t, e);
	while (task_goes_on(t)) {
		char *p = mmap(NULL, PAGE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		if (p == MAP_FAILED || munmap(p, PAGE) < 0)
			return refused(e);
		t->number[MAPPED]++;
	}
	return 0;
}

static void put_contention(const struct crew *c)
{
	double rate = 0;

	for (unsigned int i = 1; i < c->n; i += 2) {
		const struct task *t = c->task[i];

		rate += t->number[MAPPED] / ((double)(t->ended_ns - t->began_ns) / 1e9);
	}
	put_latency(c);
	metric("mapper_ops_per_second", rate);
}

/* ---- Faults that the program serves itself ---- */

static void *serve_faults(void *arg)
{
	const struct task *t = arg;
	const struct state *s = t->data;
	struct uffd_msg m;

	for (;;) {
		struct pollfd p = { .fd = s->fd, .events = POLLIN };
		struct uffdio_zeropage z = {};

		/* Ends only after the faulting side did: none waits for ever. */
		if (poll(&p, 1, 20) == 0 && !task_goes_on(t))
			return NULL;
		if (!(p.revents & POLLIN) || read(s->fd, &m, sizeof(m)) != sizeof(m))
			continue;
		z.range.start = m.arg.pagefault.address & ~(uint64_t)(PAGE - 1);
		z.range.len = PAGE;
		ioctl(s->fd, UFFDIO_ZEROPAGE, &z);
	}
}

static int setup_userfault(struct task *t, struct err *e)
{
	struct uffdio_api api = { .api = UFFD_API };
	struct uffdio_register reg = { .mode = UFFDIO_REGISTER_MODE_MISSING };
	int r = setup(t, e), fd;

	if (r < 0)
		return r;
	fd = (int)syscall(SYS_userfaultfd, O_CLOEXEC | O_NONBLOCK | UFFD_USER_MODE_ONLY);
	if (fd < 0)
		return skip(e, "%s: no userfaultfd: %s", test_name, strerror(errno));
	STATE(t)->fd = fd;
	reg.range.start = (uintptr_t)STATE(t)->p;
	reg.range.len = size / PAGE * PAGE;
	if (ioctl(fd, UFFDIO_API, &api) < 0 || ioctl(fd, UFFDIO_REGISTER, &reg) < 0)
		return err_sys(e, "userfaultfd");
	return 0;
}

static int userfault_loop(struct task *t, struct err *e)
{
	pthread_t tid;
	int r;

	if ((r = pthread_create(&tid, NULL, serve_faults, t)) != 0)
		return err_set(e, r, "a thread to serve faults");
	r = latency_loop(t, e);
	if (r == 0)
		pthread_join(tid, NULL);
	return r;
}

#define ROW(n, set_up, f, ...)						\
	{ .name = n, .setup = set_up, .work = f, .leave = leave,	\
	  .put = put_call, __VA_ARGS__ }

static const struct loop loops[] = {
	ROW("mremap-move", setup, move_loop),
	ROW("mremap-grow", setup, grow_loop),
	ROW("zap-dontneed", setup, drop_loop),
	ROW("zap-munmap", setup, unmap_loop),
	ROW("thp-fault", setup_huge, huge_fault_loop, .faults = 1),
	ROW("thp-split", setup_huge, huge_split_loop, .faults = 1),
	ROW("thp-collapse", setup_huge, huge_collapse_loop),
	ROW("fork-large", setup, fork_loop),
	ROW("exit-large", setup, exit_loop),
	ROW("move-pages", setup_nodes, migrate_loop, .open = two_nodes),
	ROW("reclaim-file", setup_file, reclaim_loop),
	ROW("gup-pin", setup_pipe, pin_loop),
	ROW("process-madvise", setup_pidfd, advise_loop),
	ROW("soft-dirty", setup_proc, dirty_loop),
	ROW("tlb-shootdown", setup, shoot_loop, .threads = true),
	ROW("memory-copy", setup, copy_loop),
	{ .name = "fault-latency", .setup = setup, .work = latency_loop, .leave = leave,
	  .put = put_latency, .faults = 1 },
	{ .name = "fault-contention", .setup = setup, .work = contend_loop, .leave = leave,
	  .put = put_contention, .threads = true, .opposed = true, .faults = 1 },
	{ .name = "userfaultfd", .setup = setup_userfault, .work = userfault_loop, .leave = leave,
	  .put = put_latency },
};

static const char *names[COUNT(loops) + 1];

__attribute__((constructor)) static void names_fill(void)
{
	for (size_t i = 0; i < COUNT(loops); i++)
		names[i] = loops[i].name;
}

static const struct param params[] = {
	{ "test", PARAM_CHOICE, &test_name, "mremap-move", "the path", .choices = names },
	{ "size", PARAM_SIZE, &size, "16M", "bytes of a task's mapping", PINNED * PAGE, 1ULL << 40 },
	RATE_PARAMS,
};

static const struct metric_decl metrics[] = {
	RATE_METRICS,
	{ "call_ns", "ns", "lower", false, true, "the call in question alone, mean" },
	{ "latency_p50_ns", "ns", "lower", false, true, "median of single faults, within a fifth" },
	{ "latency_p99_ns", "ns", "lower", false, true, "what 99 of 100 faults stay below" },
	{ "latency_p999_ns", "ns", "lower", false, true, "what 999 of 1000 faults stay below" },
	{ "mapper_ops_per_second", "1/s", "higher", false, true,
	  "mappings that the other half of the tasks made and removed in a second" },
};

static uint64_t memory(void)
{
	uint64_t n = rate_options.nr_task ? rate_options.nr_task : place_n_cpus();

	return n * 2 * (size + 2 * HUGE_PAGE);
}

static int run(struct err *e)
{
	return rate_run(loop_find(loops, COUNT(loops), test_name), e);
}

WORKLOAD(.name = "mm-paths",
	 .about = "Tasks repeat one path of memory management; the call in question is timed alone.",
	 .kernel = "by test: move_page_tables, zap_page_range_single, unmap_vmas, "
		   "do_huge_pmd_anonymous_page, __split_huge_pmd, collapse_huge_page, copy_page_range, "
		   "exit_mmap, migrate_pages, shrink_folio_list, gup_fast, clear_refs_write, flush_tlb_mm_range, "
		   "handle_userfault",
	 PARAMS(params), METRICS(metrics), .memory = memory, .needs_memory = "size", .run = run);
