/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Small loops around one system call or one kind of fault, a row of the table
 * each, under the names that LKP has for them.  How many tasks get how much
 * done tells what they wait for: mode=thread shares one address space.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "base/text.h"
#include "workload/scratch.h"
#include "workload/place.h"
#include "workload/rate.h"

#define PAGE	4096
#define BUFFER	4096

static const char *test_name;
static uint64_t size;

/* What a task works on; a row of the table uses a few. */
struct state {
	char *p;
	int fd[2], back[2];
	uint32_t word;
	sem_t sem;
	pthread_mutex_t *mutex;
	char name[64];
	char buffer[BUFFER];
};

static pthread_mutex_t *shared_mutex;
static int (*pair_pipe)[2];

#define STATE(t) ((struct state *)(t)->data)

/* The loop around @op, which is negative where the kernel refuses. */
#define LOOP(fn, op)							\
	static int fn(struct task *t, struct err *e)			\
	{								\
		struct state *s = t->data;				\
									\
		(void)s;						\
		task_loop(t)						\
			if ((op) < 0)					\
				return err_sys(e, "%s", test_name);	\
		return 0;						\
	}

static int setup(struct task *t, struct err *e)
{
	t->data = mem_zero(1, sizeof(struct state));
	return 0;
}

static void leave(struct task *t)
{
	free(t->data);
}

static int setup_file(struct task *t, struct err *e)
{
	setup(t, e);
	STATE(t)->fd[0] = scratch_file(size, e);
	return STATE(t)->fd[0] < 0 ? -e->code : 0;
}

static int setup_page(struct task *t, struct err *e)
{
	setup(t, e);
	STATE(t)->p = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	return STATE(t)->p == MAP_FAILED ? err_sys(e, "mmap") : 0;
}

static int setup_pipe(struct task *t, struct err *e)
{
	setup(t, e);
	return pipe(STATE(t)->fd) < 0 ? err_sys(e, "pipe") : 0;
}

static int setup_unix(struct task *t, struct err *e)
{
	setup(t, e);
	return socketpair(AF_UNIX, SOCK_STREAM, 0, STATE(t)->fd) < 0 ? err_sys(e, "socketpair") : 0;
}

static int setup_eventfd(struct task *t, struct err *e)
{
	setup(t, e);
	STATE(t)->fd[0] = eventfd(0, 0);
	return STATE(t)->fd[0] < 0 ? err_sys(e, "eventfd") : 0;
}

static int setup_name(struct task *t, struct err *e)
{
	setup(t, e);
	snprintf(STATE(t)->name, sizeof(STATE(t)->name), "will-it-scale.%d.%u", (int)getpid(), t->id);
	return 0;
}

static int setup_named_file(struct task *t, struct err *e)
{
	int fd;

	setup_name(t, e);
	fd = open(STATE(t)->name, O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, 0600);
	if (fd < 0)
		return err_sys(e, "%s", STATE(t)->name);
	close(fd);
	return 0;
}

static void leave_named_file(struct task *t)
{
	unlink(STATE(t)->name);
	leave(t);
}

static int setup_sem(struct task *t, struct err *e)
{
	setup(t, e);
	return sem_init(&STATE(t)->sem, 0, 0) < 0 ? err_sys(e, "sem_init") : 0;
}

static void on_signal(int n)
{
}

static int setup_signal(struct task *t, struct err *e)
{
	setup(t, e);
	return signal(SIGUSR1, on_signal) == SIG_ERR ? err_sys(e, "signal") : 0;
}

static int open_mutex(struct err *e)
{
	pthread_mutexattr_t a;

	shared_mutex = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (shared_mutex == MAP_FAILED)
		return err_sys(e, "mmap");
	pthread_mutexattr_init(&a);
	pthread_mutexattr_setpshared(&a, PTHREAD_PROCESS_SHARED);
	pthread_mutex_init(shared_mutex, &a);
	return 0;
}

/* Two pipes a pair of tasks: there and back. */
static int open_pairs(struct err *e)
{
	size_t n = (rate_options.nr_task ? rate_options.nr_task : place_n_cpus()) + 1;

	pair_pipe = mem_zero(n, sizeof(*pair_pipe));
	for (size_t i = 0; i < n; i++)
		if (pipe(pair_pipe[i]) < 0)
			return err_sys(e, "pipe");
	return 0;
}

/* The even task of a pair sends and waits, the odd one answers; it ends at the end of file. */
static int context_switch(struct task *t, struct err *e)
{
	int *there = pair_pipe[t->id & ~1U], *back = pair_pipe[t->id | 1];
	bool asks = !(t->id & 1);
	int in = asks ? back[0] : there[0], out = asks ? there[1] : back[1];
	char c = 0;

	while (asks ? task_goes_on(t) : true) {
		if (asks && write(out, &c, 1) != 1)
			return err_sys(e, "pipe");
		if (read(in, &c, 1) != 1)
			return err_sys(e, "pipe");
		if (c)
			return 0;
		task_did(t, 1);
		if (!asks && write(out, &c, 1) != 1)
			return err_sys(e, "pipe");
	}
	c = 1;
	return write(out, &c, 1) == 1 ? 0 : err_sys(e, "pipe");
}

static int unmap_after(char *p, int r)
{
	return munmap(p, size) < 0 ? -1 : r;
}

/* One store to each page of a mapping, which is an operation each. */
static int fault_pages(struct task *t, int flags, int fd, struct err *e)
{
	while (task_goes_on(t)) {
		char *p = mmap(NULL, size, PROT_READ | PROT_WRITE, flags, fd, 0);

		if (p == MAP_FAILED)
			return err_sys(e, "mmap");
		madvise(p, size, MADV_NOHUGEPAGE);	/* refused where there are none: just as well */
		for (uint64_t i = 0; i < size && task_goes_on(t); i += PAGE) {
			*(volatile char *)(p + i) = 1;
			task_did(t, 1);
		}
		if (unmap_after(p, 0) < 0)
			return err_sys(e, "munmap");
	}
	return 0;
}

static int page_fault1(struct task *t, struct err *e)
{
	return fault_pages(t, MAP_PRIVATE | MAP_ANONYMOUS, -1, e);
}

static int page_fault2(struct task *t, struct err *e)
{
	return fault_pages(t, MAP_PRIVATE, STATE(t)->fd[0], e);
}

static int page_fault3(struct task *t, struct err *e)
{
	return fault_pages(t, MAP_SHARED, STATE(t)->fd[0], e);
}

static int map_unmap(int fd)
{
	char *p = mmap(NULL, size, PROT_READ | PROT_WRITE,
		       fd < 0 ? MAP_PRIVATE | MAP_ANONYMOUS : MAP_PRIVATE, fd, 0);

	return p == MAP_FAILED ? -1 : unmap_after(p, 0);
}

/* The C library maps large blocks; a store keeps the compiler from leaving both out. */
static int malloc_free(void)
{
	char *volatile p = malloc(size);

	if (!p)
		return -1;
	*p = 1;
	free(p);
	return 0;
}

static int grow_shrink(void)
{
	char *top = (char *)syscall(SYS_brk, 0);

	if ((char *)syscall(SYS_brk, top + PAGE) != top + PAGE)
		return -1;
	return (char *)syscall(SYS_brk, top) == top ? 0 : -1;
}

static int drop_page(char *p, int advice)
{
	*(volatile char *)p = 1;
	return madvise(p, PAGE, advice);
}

/* Touch, drop, and read it back: a page of zeroes, or the drop did nothing. */
static int flush_page(char *p)
{
	if (drop_page(p, MADV_DONTNEED) < 0)
		return -1;
	return *(volatile char *)p ? (errno = EILSEQ, -1) : 0;
}

static int toggle_page(char *p)
{
	if (mprotect(p, PAGE, PROT_READ) < 0 || mprotect(p, PAGE, PROT_READ | PROT_WRITE) < 0)
		return -1;
	*(volatile char *)p = 1;
	return 0;
}

static int child_wait(pid_t pid)
{
	int status;

	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return -1;
	return status ? (errno = ECHILD, -1) : 0;
}

static int setup_exec(struct task *t, struct err *e)
{
	return access("/proc/self/exe", X_OK) < 0 ? skip(e, "exec1: no /proc/self/exe") : setup(t, e);
}

static int fork_wait(void)
{
	pid_t pid = fork();

	if (!pid)
		_exit(0);
	return pid < 0 ? -1 : child_wait(pid);
}

static int exec_wait(void)
{
	char *const argv[] = { (char[]){ "will-it-scale" }, (char[]){ "--nothing" }, NULL };
	char *const env[] = { NULL };
	pid_t pid = vfork();

	if (!pid) {
		execve("/proc/self/exe", argv, env);
		_exit(1);
	}
	return pid < 0 ? -1 : child_wait(pid);
}

static int open_close(const char *name)
{
	int fd = open(name, O_RDWR);

	return fd < 0 ? -1 : close(fd);
}

static int make_unlink(const char *name)
{
	int fd = open(name, O_CREAT | O_EXCL | O_RDWR, 0600);

	return fd < 0 ? -1 : close(fd) < 0 ? -1 : unlink(name);
}

static int pass(struct state *s)
{
	if (write(s->fd[1], s->buffer, 512) != 512)
		return -1;
	return read(s->fd[0], s->buffer, 512) == 512 ? 0 : -1;
}

static int event_pass(int fd)
{
	uint64_t one = 1;

	return write(fd, &one, 8) != 8 || read(fd, &one, 8) != 8 ? -1 : 0;
}

static int lock_unlock(int fd, short type)
{
	struct flock l = { .l_type = type, .l_whence = SEEK_SET, .l_len = 1 };

	if (fcntl(fd, F_SETLKW, &l) < 0)
		return -1;
	l.l_type = F_UNLCK;
	return fcntl(fd, F_SETLK, &l);
}

static int allocate_free(int fd)
{
	if (fallocate(fd, 0, 0, (off_t)size) < 0)
		return -1;
	return fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0, (off_t)size);
}

static int whole(ssize_t n)
{
	return n == BUFFER ? 0 : -1;
}

static int poll_one(int fd)
{
	struct pollfd p = { .fd = fd, .events = POLLOUT };

	return poll(&p, 1, 0);
}

static int lock_mutex(pthread_mutex_t *m)
{
	return pthread_mutex_lock(m) || pthread_mutex_unlock(m) ? -1 : 0;
}

static int post_wait(sem_t *s)
{
	return sem_post(s) < 0 ? -1 : sem_wait(s);
}

LOOP(brk1, grow_shrink())
LOOP(dup1, close(dup(2)))
LOOP(eventfd1, event_pass(s->fd[0]))
LOOP(exec1, exec_wait())
LOOP(fallocate1, allocate_free(s->fd[0]))
LOOP(fork1, fork_wait())
LOOP(futex1, syscall(SYS_futex, &s->word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0))
LOOP(futex2, syscall(SYS_futex, &s->word, FUTEX_WAKE, 1, NULL, NULL, 0))
LOOP(getppid1, getppid())
LOOP(lock1, lock_unlock(s->fd[0], F_WRLCK))
LOOP(lock2, lock_unlock(s->fd[0], F_RDLCK))
LOOP(lseek1, lseek(s->fd[0], 0, SEEK_SET))
LOOP(lseek2, lseek(s->fd[0], 0, SEEK_END))
LOOP(madvise_dontneed1, drop_page(s->p, MADV_DONTNEED))
LOOP(madvise_free1, drop_page(s->p, MADV_FREE))
LOOP(malloc1, malloc_free())
LOOP(mmap1, map_unmap(-1))
LOOP(mmap2, map_unmap(s->fd[0]))
LOOP(mprotect1, toggle_page(s->p))
LOOP(open1, open_close(s->name))
LOOP(pipe1, pass(s))
LOOP(poll1, poll_one(s->fd[0]))
LOOP(posix_semaphore1, post_wait(&s->sem))
LOOP(pread1, whole(pread(s->fd[0], s->buffer, BUFFER, 0)))
LOOP(pthread_mutex1, lock_mutex(shared_mutex))
LOOP(pwrite1, whole(pwrite(s->fd[0], s->buffer, BUFFER, 0)))
LOOP(read1, lseek(s->fd[0], 0, SEEK_SET) < 0 ? -1 : whole(read(s->fd[0], s->buffer, BUFFER)))
LOOP(sched_yield1, sched_yield())
LOOP(signal1, raise(SIGUSR1) ? -1 : 0)
LOOP(tlb_flush1, flush_page(s->p))
LOOP(unlink1, make_unlink(s->name))
LOOP(write1, lseek(s->fd[0], 0, SEEK_SET) < 0 ? -1 : whole(write(s->fd[0], s->buffer, BUFFER)))

#define ROW(id, set_up, ...) { .name = #id, .work = id, .setup = set_up, .leave = leave, __VA_ARGS__ }

static const struct loop loops[] = {
	ROW(brk1, setup, .processes = true),
	{ .name = "context_switch1", .open = open_pairs, .work = context_switch, .paired = true },
	ROW(dup1, setup),
	ROW(eventfd1, setup_eventfd),
	ROW(exec1, setup_exec),
	ROW(fallocate1, setup_file),
	ROW(fork1, setup),
	ROW(futex1, setup),
	ROW(futex2, setup),
	ROW(getppid1, setup),
	ROW(lock1, setup_file),
	ROW(lock2, setup_file),
	ROW(lseek1, setup_file),
	ROW(lseek2, setup_file),
	ROW(madvise_dontneed1, setup_page, .faults = 1),
	ROW(madvise_free1, setup_page),
	ROW(malloc1, setup),
	ROW(mmap1, setup),
	ROW(mmap2, setup_file),
	ROW(mprotect1, setup_page),
	{ .name = "open1", .setup = setup_named_file, .work = open1, .leave = leave_named_file },
	ROW(page_fault1, setup, .faults = 1),
	ROW(page_fault2, setup_file, .faults = 1),
	ROW(page_fault3, setup_file),	/* faults may be served around: fewer than pages */
	ROW(pipe1, setup_pipe),
	ROW(poll1, setup_file),
	ROW(posix_semaphore1, setup_sem),
	ROW(pread1, setup_file),
	ROW(pthread_mutex1, setup, .open = open_mutex),
	ROW(pwrite1, setup_file),
	ROW(read1, setup_file),
	{ .name = "sched_yield", .setup = setup, .work = sched_yield1, .leave = leave },
	ROW(signal1, setup_signal),
	ROW(tlb_flush1, setup_page, .faults = 2),
	{ .name = "unix1", .setup = setup_unix, .work = pipe1, .leave = leave },
	ROW(unlink1, setup_name),
	ROW(write1, setup_file),
};

static const char *names[COUNT(loops) + 1];

__attribute__((constructor)) static void names_fill(void)
{
	for (size_t i = 0; i < COUNT(loops); i++)
		names[i] = loops[i].name;
}

static const struct param params[] = {
	{ "test", PARAM_CHOICE, &test_name, "page_fault1", "the loop", .choices = names },
	{ "size", PARAM_SIZE, &size, "128M", "bytes of a task's mapping or file", PAGE, 1ULL << 40 },
	RATE_PARAMS,
};

static const struct metric_decl metrics[] = { RATE_METRICS };

static uint64_t memory(void)
{
	uint64_t n = rate_options.nr_task ? rate_options.nr_task : place_n_cpus();

	return strncmp(test_name, "page_fault", 10) && strcmp(test_name, "fallocate1") ? 0 : 2 * n * size;
}

static int run(struct err *e)
{
	return rate_run(loop_find(loops, COUNT(loops), test_name), e);
}

WORKLOAD(.name = "will-it-scale",
	 .about = "Tasks repeat one system call or one kind of page fault, each by itself.",
	 .kernel = "by test: mmap_region, do_anonymous_page, do_fault, unmap_region, do_mprotect_pkey, "
		   "zap_page_range_single, kernel_clone, do_futex, vfs_read, vfs_write, and so on",
	 PARAMS(params), METRICS(metrics), .memory = memory, .needs_memory = "size", .run = run);
