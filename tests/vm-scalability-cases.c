/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What tasks do in each case.  Cases that only touch memory differ in a row of
 * the table; those that call the kernel have a function for each of two phases.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/shm.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "base/text.h"
#include "vm-scalability.h"

#define REUSE_PER_PAGE	8		/* accesses to each page, on average, in a random second pass */
#define SMALL		(10 * PAGE)	/* one of the small allocations */
#define DIRECT		(16 << 10)	/* one direct write */
#define FORKS		16

static inline void use(const struct touch *t, uint64_t *word)
{
	if (t->vm->access == READ)
		(void)*(volatile uint64_t *)word;
	else
		*(volatile uint64_t *)word = (uintptr_t)word;
}

/*
 * Every page once, in an order that looks random: multiplication by an odd
 * number and xor-shifts permute the numbers below a power of two; those that
 * are no page of ours are passed over (Feistel's idea of cycle walking, in its
 * simplest form).
 */
static uint64_t shuffled(uint64_t i, unsigned int bits, uint64_t key)
{
	uint64_t mask = (1ULL << bits) - 1;

	for (int k = 0; k < 3; k++) {
		i = (i * 0x9e3779b97f4a7c15ULL + key) & mask;
		i ^= i >> (bits / 2 + 1);
		key = key * 6364136223846793005ULL + 1;
	}
	return i;
}

static inline void delay(const struct touch *t)
{
	if (atomic_load_explicit(t->task->delay_ns, memory_order_relaxed))
		task_delay(t->task, 1);
}

static uint64_t touch_random(const struct touch *t)
{
	unsigned int bits = 64 - (unsigned int)__builtin_clzll(t->n_pages | 3);
	uint64_t key = crew_random(t->seed);

	for (uint64_t i = 0; i < 1ULL << bits; i++) {
		uint64_t page = shuffled(i, bits, key);

		if (page >= t->n_pages)
			continue;
		use(t, (uint64_t *)(t->p + page * PAGE) + crew_below(t->seed, WORDS_PER_PAGE));
		delay(t);
	}
	return t->n_pages;
}

static uint64_t touch_in_order(const struct touch *t)
{
	for (uint64_t i = 0; i < t->n_pages; i++) {
		uint64_t *word = (uint64_t *)(t->p + i * PAGE);

		for (unsigned int k = 0; k < WORDS_PER_PAGE; k++)
			use(t, word + k);
		delay(t);
	}
	return t->n_pages * WORDS_PER_PAGE;
}

uint64_t touch_first(const struct touch *t)
{
	return t->vm->random ? touch_random(t) : touch_in_order(t);
}

uint64_t touch_again(const struct touch *t)
{
	uint64_t words = t->n_pages * WORDS_PER_PAGE, n = t->n_pages * REUSE_PER_PAGE;

	if (!t->vm->random) {
		for (uint64_t i = 0; i < words; i++)
			use(t, (uint64_t *)t->p + i);
		return words;
	}
	for (uint64_t i = 0; i < n; i++)
		use(t, (uint64_t *)t->p + crew_below(t->seed, words));
	return n;
}

static int lock(char *p, uint64_t n, int fd, struct err *e)
{
	if (mlock(p, n) == 0)
		return 0;
	if (errno == ENOMEM || errno == EPERM)
		return skip(e, "mlock of %ju KiB is not allowed (RLIMIT_MEMLOCK)", (uintmax_t)n >> 10);
	return err_sys(e, "mlock");
}

static int unlock(char *p, uint64_t n, int fd, struct err *e)
{
	return munlock(p, n) < 0 ? err_sys(e, "munlock") : 0;
}

static int in_core(char *p, uint64_t n, int fd, struct err *e)
{
	_free_ unsigned char *in = mem_zero(n / PAGE, 1);

	if (mincore(p, n, in) < 0)
		return err_sys(e, "mincore");
	return in[0] & 1 ? 0 : invalid(e, "mincore: a page that was touched is not there");
}

static int dirty(char *p, uint64_t n, int fd, struct err *e)
{
	for (uint64_t i = 0; i < n; i += PAGE)
		++*(volatile char *)(p + i);
	return 0;
}

static int sync_pages(char *p, uint64_t n, int fd, struct err *e)
{
	return msync(p, n, MS_SYNC) < 0 ? err_sys(e, "msync") : 0;
}

/* The pages of the mapping in reverse, one call each. */
static int remap_reversed(char *p, uint64_t n, int fd, struct err *e)
{
	for (uint64_t i = 0; i < n / PAGE; i++)
		if (syscall(SYS_remap_file_pages, p + i * PAGE, PAGE, 0, n / PAGE - 1 - i, 0) < 0)
			return errno == ENOMEM ? skip(e, "remap: too many mappings (vm.max_map_count)") :
						 err_sys(e, "remap_file_pages");
	return 0;
}

static int truncate_all(char *p, uint64_t n, int fd, struct err *e)
{
	return ftruncate(fd, 0) < 0 ? err_sys(e, "ftruncate") : 0;
}

static int read_all(char *p, uint64_t n, int fd, struct err *e)
{
	char buf[PAGE];

	for (uint64_t i = 0; i < n; i += PAGE)
		if (pread(fd, buf, PAGE, (off_t)i) != PAGE)
			return err_sys(e, "reading the file");
	return 0;
}

static int write_direct(char *p, uint64_t n, int fd, struct err *e)
{
	_free_ char *buf = aligned_alloc(PAGE, DIRECT);

	if (!buf)
		abort();
	memset(buf, 1, DIRECT);
	if (fcntl(fd, F_SETFL, O_DIRECT) < 0)
		return skip(e, "direct-write: no direct writes on this file system");
	for (uint64_t i = 0; i + DIRECT <= n; i += DIRECT)
		if (pwrite(fd, buf, DIRECT, (off_t)i) != DIRECT)
			return errno == EINVAL ? skip(e, "direct-write: refused here") :
						 err_sys(e, "direct write");
	return 0;
}

static int advise_need(char *p, uint64_t n, int fd, struct err *e)
{
	return posix_fadvise(fd, 0, (off_t)n, POSIX_FADV_WILLNEED) ? err_set(e, EIO, "fadvise") : 0;
}

static int advise_drop(char *p, uint64_t n, int fd, struct err *e)
{
	return posix_fadvise(fd, 0, (off_t)n, POSIX_FADV_DONTNEED) ? err_set(e, EIO, "fadvise") : 0;
}

/* Each small block is a mapping of its own, and read in each page. */
static int allocate_small(char *p, uint64_t n, int fd, struct err *e)
{
	for (uint64_t i = 0; i + SMALL <= n; i += SMALL) {
		char *q = mmap(p + i, SMALL, i / SMALL & 1 ? PROT_READ : PROT_READ | PROT_WRITE,
			       MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_NORESERVE, -1, 0);

		if (q == MAP_FAILED)
			return errno == ENOMEM ?
				skip(e, "small-allocs: too many mappings (vm.max_map_count)") :
				err_sys(e, "mmap");
		for (uint64_t k = 0; k < SMALL; k += PAGE)
			(void)*(volatile uint64_t *)(q + k);
	}
	return 0;
}

static int free_small(char *p, uint64_t n, int fd, struct err *e)
{
	for (uint64_t i = 0; i + SMALL <= n; i += SMALL)
		if (munmap(p + i, SMALL) < 0)
			return err_sys(e, "munmap");
	return 0;
}

/* A child of a process with this memory, which ends at once. */
static int fork_children(char *p, uint64_t n, int fd, struct err *e)
{
	for (int i = 0; i < FORKS; i++) {
		pid_t pid = fork();
		int status;

		if (!pid)
			_exit(0);
		if (pid < 0)
			return err_sys(e, "fork");
		while (waitpid(pid, &status, 0) < 0)
			if (errno != EINTR)
				return err_sys(e, "waitpid");
		if (status)
			return invalid(e, "a child failed");
	}
	return 0;
}

/* Children that sleep beside each other; then the end of them all. */
static _Thread_local pid_t sleeper[FORKS];

static int fork_sleepers(char *p, uint64_t n, int fd, struct err *e)
{
	pid_t parent = getpid();

	for (int i = 0; i < FORKS; i++) {
		sleeper[i] = fork();
		if (!sleeper[i]) {
			prctl(PR_SET_PDEATHSIG, SIGKILL);
			while (getppid() == parent)
				pause();
			_exit(1);
		}
		if (sleeper[i] < 0)
			return err_sys(e, "fork");
	}
	return 0;
}

static int end_sleepers(char *p, uint64_t n, int fd, struct err *e)
{
	int status;

	for (int i = 0; i < FORKS; i++)
		if (kill(sleeper[i], SIGKILL) < 0)
			return err_sys(e, "kill");
	for (int i = 0; i < FORKS; i++) {
		while (waitpid(sleeper[i], &status, 0) < 0)
			if (errno != EINTR)
				return err_sys(e, "waitpid");
		if (!WIFSIGNALED(status))
			return invalid(e, "a child ended before its time");
	}
	return 0;
}

static int move_mapping(char *p, uint64_t n, int fd, struct err *e)
{
	char *to = mmap(NULL, n, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	uint64_t was = *(uint64_t *)p;

	if (to == MAP_FAILED || mremap(p, n, n, MREMAP_MAYMOVE | MREMAP_FIXED, to) != to)
		return err_sys(e, "mremap");
	if (*(uint64_t *)to != was)
		return invalid(e, "mremap lost what was in the page");
	/* Back again, for who unmaps it. */
	return mremap(to, n, n, MREMAP_MAYMOVE | MREMAP_FIXED, p) == p ? 0 : err_sys(e, "mremap");
}

static int page_out(char *p, uint64_t n, int fd, struct err *e)
{
	return madvise(p, n, MADV_PAGEOUT) < 0 ? err_sys(e, "madvise(MADV_PAGEOUT)") : 0;
}

static int read_words(char *p, uint64_t n, int fd, struct err *e)
{
	for (uint64_t i = 0; i < n; i += PAGE)
		(void)*(volatile uint64_t *)(p + i);
	return 0;
}

/* A segment of its own, marked to go with its last user; locked, then unlocked. */
static int shm_lock(char *p, uint64_t n, int fd, struct err *e)
{
	int id = shmget(IPC_PRIVATE, n, IPC_CREAT | 0600), r = 0;
	char *q = id < 0 ? (char *)-1 : shmat(id, NULL, 0);

	if (id < 0)
		return errno == ENOMEM || errno == ENOSPC || errno == EINVAL ?
			skip(e, "shm: a segment of %ju KiB is not allowed", (uintmax_t)n >> 10) :
			err_sys(e, "shmget");
	shmctl(id, IPC_RMID, NULL);
	if (q == (char *)-1)
		return err_sys(e, "shmat");
	dirty(q, n, fd, e);
	for (int i = 0; i < FORKS && r == 0; i++)
		if (shmctl(id, SHM_LOCK, NULL) < 0 || shmctl(id, SHM_UNLOCK, NULL) < 0)
			r = errno == EPERM || errno == ENOMEM ?
				skip(e, "shm: locking is not allowed (RLIMIT_MEMLOCK)") :
				err_sys(e, "shmctl");
	shmdt(q);
	return r;
}

#define R	.random = true
#define MT	.threads = true
#define ALL	.whole = true
#define X	.whole = true, .one_mapping = true

const struct vm_case vm_cases[] = {
	{ "anon-cow-rand", COW, R },
	{ "anon-cow-rand-mt", COW, R, MT },
	{ "anon-cow-seq", COW },
	{ "anon-cow-seq-mt", COW, MT },
	{ "anon-cow-rand-hugetlb", COW, R, .memory = HUGETLB },
	{ "anon-cow-seq-hugetlb", COW, .memory = HUGETLB },
	{ "anon-w-rand", WRITE, R },
	{ "anon-w-rand-mt", WRITE, R, MT },
	{ "anon-w-seq", WRITE },
	{ "anon-w-seq-mt", WRITE, MT },
	{ "anon-w-rand-hugetlb", WRITE, R, .memory = HUGETLB },
	{ "anon-w-seq-hugetlb", WRITE, .memory = HUGETLB },
	{ "anon-wx-rand-mt", WRITE, R, MT, X },
	{ "anon-wx-seq-mt", WRITE, MT, X },
	{ "anon-r-rand", READ, R },
	{ "anon-r-rand-mt", READ, R, MT },
	{ "anon-r-seq", READ },
	{ "anon-r-seq-mt", READ, MT },
	{ "anon-rx-rand-mt", READ, R, MT, X },
	{ "anon-rx-seq-mt", READ, MT, X },
	{ "mmap-pread-rand", READ, R, ALL, .memory = FILE_ONE },
	{ "mmap-pread-rand-mt", READ, R, MT, ALL, .memory = FILE_ONE },
	{ "mmap-pread-seq", READ, ALL, .memory = FILE_ONE },
	{ "mmap-pread-seq-mt", READ, MT, ALL, .memory = FILE_ONE },
	{ "mmap-xread-rand-mt", READ, R, MT, X, .memory = FILE_ONE },
	{ "mmap-xread-seq-mt", READ, MT, X, .memory = FILE_ONE },
	{ "shm-pread-rand", READ, R, ALL, .memory = SHM_ONE },
	{ "shm-pread-rand-mt", READ, R, MT, ALL, .memory = SHM_ONE },
	{ "shm-pread-seq", READ, ALL, .memory = SHM_ONE },
	{ "shm-pread-seq-mt", READ, MT, ALL, .memory = SHM_ONE },
	{ "shm-xread-rand", READ, R, X, .memory = SHM_ONE },
	{ "shm-xread-rand-mt", READ, R, MT, X, .memory = SHM_ONE },
	{ "shm-xread-seq", READ, X, .memory = SHM_ONE },
	{ "shm-xread-seq-mt", READ, MT, X, .memory = SHM_ONE },
	{ "lru-shm", READ, .memory = SHM_OWN },
	{ "lru-shm-rand", READ, R, .memory = SHM_OWN },
	{ "lru-file-mmap-read", READ, .memory = FILE_OWN },
	{ "lru-file-mmap-read-rand", READ, R, .memory = FILE_OWN },
	{ "lru-file-readonce", READ, .memory = FILE_OWN, .first = read_all, .unmapped = true },
	{ "lru-file-readtwice", READ, .memory = FILE_OWN, .first = read_all, .second = read_all,
	  .unmapped = true },
	{ "mremap-xread-rand-mt", READ, R, MT, .filled = true, .first = move_mapping },
	{ "mlock", WRITE, .first = lock, .second = unlock },
	{ "mincore", WRITE, .filled = true, .first = in_core, .second = in_core },
	{ "msync", WRITE, .memory = FILE_OWN, .first = dirty, .second = sync_pages },
	{ "msync-mt", WRITE, MT, .memory = FILE_OWN, .first = dirty, .second = sync_pages },
	{ "remap", WRITE, .memory = SHM_OWN, .filled = true, .first = remap_reversed },
	{ "truncate", READ, .memory = FILE_OWN, .filled = true, .first = truncate_all, .unmapped = true },
	{ "truncate-seq", READ, .memory = SHM_OWN, .filled = true, .first = truncate_all,
	  .unmapped = true },
	{ "direct-write", WRITE, .memory = FILE_OWN, .first = write_direct, .unmapped = true },
	{ "posix-fadvise", READ, .memory = FILE_OWN, .first = advise_need, .second = advise_drop,
	  .unmapped = true },
	{ "small-allocs", READ, .first = allocate_small, .second = free_small },
	{ "small-allocs-mt", READ, MT, .first = allocate_small, .second = free_small },
	{ "fork", WRITE, .filled = true, .first = fork_children },
	{ "fork-sleep", WRITE, .filled = true, .first = fork_sleepers, .second = end_sleepers },
	{ "migrate", WRITE, .filled = true, .first = move_process },
	{ "migrate-across-nodes", WRITE, .filled = true, .first = move_by_pages },
	{ "mbind", WRITE, .filled = true, .first = move_by_mbind },
	{ "ksm", WRITE, .filled = true, .first = merge, .second = unmerge },
	{ "shm-lock-unlock", WRITE, .first = shm_lock },
	{ "swap-w-rand", WRITE, R, .swap = true },
	{ "swap-w-rand-mt", WRITE, R, MT, .swap = true },
	{ "swap-w-seq", WRITE, .swap = true },
	{ "swap-w-seq-mt", WRITE, MT, .swap = true },
	{ "swapin", WRITE, .swap = true, .filled = true, .first = page_out, .second = read_words },
};
const size_t vm_n_cases = COUNT(vm_cases);
