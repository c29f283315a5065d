/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tasks that touch memory, in the cases of vm-scalability.
 *
 * A round: the tasks (processes, or with -mt threads of one process) map or
 * inherit their memory and meet at a barrier.  Then they touch every page of
 * their part for the first time (the kernel's work: copy on write, first touch,
 * or read faults), meet again, and go over it once more (little of the kernel's
 * work).  The two are told apart, since in one number the second dilutes the
 * first.  Cases named for a call time the call instead.  Rounds go on until
 * `runtime` is over.
 *
 * Rates are accesses that were made over the time that all tasks took together;
 * nothing is credited in advance, and the sum of per-task rates over unequal
 * times is not used.  The line a task is printed as in usemem, for LKP's parser.
 *
 * compat=usemem reckons as usemem does, under names of its own, so that old
 * histories can be continued: a ninth of the bytes and more is credited before
 * an access is made, the clock runs from before the set-up, and rates of tasks
 * are added up.
 */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>
#include <sys/mman.h>

#include "base/clock.h"
#include "base/text.h"
#include "vm-scalability.h"
#include "workload/pages.h"
#include "workload/place.h"
#include "workload/scratch.h"

#define HUGE_PAGE	((uint64_t)2 << 20)
#define CHECK_EVERY	65536	/* accesses between two looks at the clock under compat */

static const char *test_name, *pages, *compat, *cache;
static uint64_t runtime, nr_task, size, unit_size, cpu_delay, alternate;

static const char *const page_sizes[] = { "default", "base", "huge", NULL };
static const char *const compats[] = { "none", "usemem", NULL };
static const char *const caches[] = { "cold", "warm", NULL };
static const char *names[200];

__attribute__((constructor)) static void names_fill(void)
{
	for (size_t i = 0; i < vm_n_cases && i + 1 < COUNT(names); i++)
		names[i] = vm_cases[i].name;
}

static const struct param params[] = {
	{ "test", PARAM_CHOICE, &test_name, "anon-cow-rand-mt", "the case", .choices = names },
	{ "runtime", PARAM_TIME, &runtime, "10", "seconds; no round begins after them", 0, 10000000 },
	{ "nr_task", PARAM_COUNT, &nr_task, "0", "tasks; 0 is one a CPU; 50% is of the CPUs", 0, 65536 },
	{ "size", PARAM_SIZE, &size, "1G", "bytes for each node that is used, all tasks together",
	  2 * PAGE, 1ULL << 46 },
	{ "unit_size", PARAM_SIZE, &unit_size, "0",
	  "bytes of one round; 0 is size, but no more than half of the memory" },
	{ "pages", PARAM_CHOICE, &pages, "default", "page size asked for", .choices = page_sizes },
	{ "cache", PARAM_CHOICE, &cache, "cold", "of files, before each round", .choices = caches },
	{ "compat", PARAM_CHOICE, &compat, "none", "whose arithmetic", .choices = compats },
	{ "cpu_delay", PARAM_COUNT, &cpu_delay, "0", "ns of CPU time spent in addition on each page", 0,
	  1000000000 },
	{ "alternate", PARAM_COUNT, &alternate, "0",
	  "1: cpu_delay in every second round only, and its effect is told", 0, 1 },
	LKP_PARAMS,
};

/* Optional are those that compat or a case with one phase does not have. */
static const struct metric_decl metrics[] = {
	{ "throughput", "KiB/s", "higher", true, true,
	  "words of memory accessed while pages are touched for the first time" },
	{ "touch_ns_per_page", "ns", "lower", false, true,
	  "time of a task for one page touched for the first time, or the call on it" },
	{ "touch_cpu_ns_per_page", "ns", "lower", false, true, "the same in CPU time" },
	{ "faults_per_page", "1", "none", false, true, "minor faults for each page touched" },
	{ "reuse_throughput", "KiB/s", "higher", false, true,
	  "words accessed when the pages are there already, or the second call" },
	{ "median", "KiB/s", "higher", false, true, "the middle task's own rate" },
	{ "task_spread%", "%", "lower", false, true, "spread between tasks, of their rates" },
	{ "free_time", "s", "lower", false, true, "unmapping it, mean of tasks" },
	{ "workload", "KiB", "none", false, true, "words accessed in all rounds" },
	{ "rounds", "1", "none", false, false, "rounds that were made" },
	{ "unit_mib", "MiB", "none", false, false, "memory of one round" },
	{ "cpu_share", "1", "none", false, true,
	  "CPU time over wall time of the tasks; below 1 they slept or others took CPUs" },
	{ "start_skew_us", "us", "none", false, true,
	  "between the first and the last task's start, mean of rounds" },
	{ "delay_effect", "1", "none", false, true,
	  "CPU time that cpu_delay added to a page, over cpu_delay" },
	{ "usemem_throughput", "KiB/s", "higher", false, true,
	  "as usemem reckons, with bytes credited before any access" },
	{ "usemem_median", "KiB/s", "higher", false, true, "the middle task's in usemem's reckoning" },
	{ "usemem_workload", "KiB", "none", false, true, "bytes in usemem's reckoning" },
};

/* What the tasks leave in their ledgers. */
enum { TOUCHED, REUSED, TOUCH_NS, REUSE_NS, TOUCH_CPU_NS, TOUCH_FAULTS, TOUCH_FROM, FREE_NS };

static const struct vm_case *vm;
static char *source;		/* what the parent has mapped: filled, for copies on write */
static int source_fd = -1;	/* the file that all map */
static uint64_t start_ns;	/* of this round, for compat */

static bool is_compat(void)
{
	return !strcmp(compat, "usemem");
}

static bool on_file(void)
{
	return vm->memory >= FILE_ONE;
}

/* The largest power of two that is no more than the share of memory, so that it is the
 * same on kernels that leave themselves a little more or less. */
static uint64_t memory_share(unsigned int divisor)
{
	uint64_t total = memory_of("MemTotal"), n = 1;

	if (!total)
		return UINT64_MAX;
	while (n * 2 <= total / divisor)
		n *= 2;
	return n;
}

/* LKP's jobs give the size for a node. */
static uint64_t all_nodes(void)
{
	return size * (place_n_nodes() ? place_n_nodes() : 1);
}

static uint64_t unit(void)
{
	uint64_t n = unit_size ? unit_size : memory_share(vm->access == COW && vm->threads ? 4 : 2);

	/* Reads of zero pages need page tables only, which are a 512th. */
	if (!unit_size && vm->access == READ && vm->memory == ANON)
		return all_nodes();
	return n < all_nodes() ? n : all_nodes();
}

/* Bytes that each task goes over, whole pages. */
static uint64_t part(void)
{
	uint64_t n = vm->access == COW && !vm->threads ? nr_task + 1 : nr_task;
	uint64_t page = vm->memory == HUGETLB ? HUGE_PAGE : PAGE;

	/* In usemem the threads of a case of copying go over all of it, each. */
	if (vm->whole || (is_compat() && vm->access == COW && vm->threads))
		n = 1;
	return unit() / n / page * page;
}

static uint64_t memory(void)
{
	for (size_t i = 0; i < vm_n_cases; i++)
		if (!strcmp(vm_cases[i].name, test_name))
			vm = &vm_cases[i];
	if (!nr_task)
		nr_task = place_n_cpus();
	if (vm->swap || vm->memory == HUGETLB)	/* more than there is, or reserved already */
		return 0;
	if (vm->access == READ && vm->memory == ANON)
		return unit() / 512;	/* page tables over the zero page */
	return vm->access == COW && vm->threads ? 2 * unit() : unit();
}

static int advise(char *p, uint64_t n, struct err *e)
{
	if (!strcmp(pages, "default") || vm->memory == HUGETLB)
		return 0;
	if (madvise(p, n, strcmp(pages, "huge") ? MADV_NOHUGEPAGE : MADV_HUGEPAGE) < 0 &&
	    errno != EINVAL)
		return err_sys(e, "madvise about huge pages");
	return 0;
}

static char *map(uint64_t n, int fd, struct err *e)
{
	int flags = on_file() ? MAP_SHARED : MAP_PRIVATE | MAP_ANONYMOUS;
	char *p;

	flags |= vm->memory == HUGETLB ? MAP_HUGETLB : MAP_NORESERVE;
	p = mmap(NULL, n, PROT_READ | PROT_WRITE, flags, fd, 0);
	if (p == MAP_FAILED && vm->memory == HUGETLB)
		skip(e, "%" PRIu64 " huge pages are not reserved (vm.nr_hugepages or "
			"vm.nr_overcommit_hugepages)", n / HUGE_PAGE);
	else if (p == MAP_FAILED)
		err_sys(e, "mapping %" PRIu64 " bytes", n);
	if (p == MAP_FAILED)
		return NULL;
	return advise(p, n, e) < 0 ? NULL : p;
}

static void fill(char *p, uint64_t n)
{
	for (uint64_t i = 0; i < n; i += PAGE)
		*(volatile uint64_t *)(p + i) = i;
}

static int open_file(uint64_t n, struct err *e)
{
	bool in_memory = vm->memory == SHM_ONE || vm->memory == SHM_OWN;
	int fd = in_memory ? memfd_create("vm-scalability", MFD_CLOEXEC) : scratch_file(n, e);
	char buf[PAGE];

	if (fd < 0)
		return in_memory ? err_sys(e, "memfd_create") : -e->code;
	if (in_memory && ftruncate(fd, (off_t)n) < 0)
		return err_sys(e, "a file of %" PRIu64 " bytes in memory", n);
	for (uint64_t i = 0; !strcmp(cache, "warm") && i < n; i += PAGE)
		if (pread(fd, buf, PAGE, (off_t)i) != PAGE)
			return err_sys(e, "reading the file");
	return fd;
}

/* What the tasks share, or inherit, in this round. */
static int open_source(struct err *e)
{
	uint64_t n = vm->threads && !vm->whole && !is_compat() ? part() * nr_task : part();

	if (vm->memory == FILE_ONE || vm->memory == SHM_ONE) {
		source_fd = open_file(n, e);
		if (source_fd < 0)
			return -e->code;
	}
	if (vm->access != COW && !vm->one_mapping)
		return 0;
	source = map(n, source_fd, e);
	if (!source)
		return -e->code;
	if (vm->access == COW)
		fill(source, n);
	return 0;
}

static void close_source(void)
{
	uint64_t n = vm->threads && !vm->whole && !is_compat() ? part() * nr_task : part();

	if (source)
		munmap(source, n);
	if (source_fd >= 0)
		close(source_fd);
	source = NULL;
	source_fd = -1;
}

struct own {
	char *p;
	int fd;
};

static int setup(struct task *t, struct err *e)
{
	struct own *own = t->data = mem_zero(1, sizeof(*own));

	if (lkp_bind(t->id, e) < 0)
		return -e->code;
	own->fd = source_fd;
	if (vm->memory == FILE_OWN || vm->memory == SHM_OWN) {
		own->fd = open_file(part(), e);
		if (own->fd < 0)
			return -e->code;
	}
	if (source) {
		bool parts = vm->threads && !vm->whole && !is_compat();

		own->p = source + (parts ? t->id * part() : 0);
		return 0;
	}
	own->p = map(part(), own->fd, e);
	if (own->p && vm->filled)
		fill(own->p, part());
	return own->p ? 0 : -e->code;
}

static int first_phase(const struct touch *touch, const struct own *own, double *words, struct err *e)
{
	int r;

	if (!vm->first) {
		*words = (double)touch_first(touch);
		return 0;
	}
	r = vm->first(own->p, part(), own->fd, e);
	if (atomic_load(touch->task->delay_ns))
		task_delay(touch->task, touch->n_pages);
	*words = (double)(touch->n_pages * WORDS_PER_PAGE);
	return r;
}

static int second_phase(const struct touch *touch, const struct own *own, double *words, struct err *e)
{
	*words = 0;
	if (!vm->first)
		*words = (double)touch_again(touch);
	if (!vm->second)
		return 0;
	*words = (double)(touch->n_pages * WORDS_PER_PAGE);
	return vm->second(own->p, part(), own->fd, e);
}

static int work(struct task *t, struct err *e)
{
	uint64_t seed = crew_seed(t->id), from, cpu, faults;
	struct own *own = t->data;
	struct touch touch = { vm, t, own->p, part() / PAGE, &seed };
	int r;

	faults = pages_faults();
	cpu = clock_ns(CLOCK_THREAD_CPUTIME_ID);
	from = clock_raw_ns();
	t->number[TOUCH_FROM] = (double)from;
	r = first_phase(&touch, own, &t->number[TOUCHED], e);
	t->number[TOUCH_NS] = (double)(clock_raw_ns() - from);
	t->number[TOUCH_CPU_NS] = (double)(clock_ns(CLOCK_THREAD_CPUTIME_ID) - cpu);
	t->number[TOUCH_FAULTS] = (double)(pages_faults() - faults);
	crew_meet(t);
	if (r < 0)
		return r;
	from = clock_raw_ns();
	r = second_phase(&touch, own, &t->number[REUSED], e);
	t->number[REUSE_NS] = (double)(clock_raw_ns() - from);
	return r;
}

/* As a task of usemem: one pass of so many accesses, less if the time is up. */
static int work_compat(struct task *t, struct err *e)
{
	uint64_t words = part() / WORD, seed = crew_seed(t->id), i = 0, now = clock_raw_ns();
	uint64_t end = start_ns + runtime * 1000000000;
	struct own *own = t->data;

	for (; i < words; i++) {
		volatile uint64_t *word = (uint64_t *)own->p +
					  (vm->random ? crew_below(&seed, words - 1) : i);

		if (vm->access == READ)
			(void)*word;
		else
			*word = i;
		if (i % CHECK_EVERY == 0 && (now = clock_raw_ns()) > end && i)
			break;
	}
	t->number[TOUCHED] = (double)(part() / WORD + i * WORD);	/* bytes, with the credit */
	t->number[TOUCH_NS] = (double)(clock_raw_ns() - start_ns);
	return 0;
}

static void leave(struct task *t)
{
	struct own *own = t->data;
	uint64_t from = clock_raw_ns();

	if (own->p && !source)
		munmap(own->p, part());
	t->number[FREE_NS] = (double)(clock_raw_ns() - from);
	if (own->fd >= 0 && own->fd != source_fd)
		close(own->fd);
	free(own);
}

/* Sums over rounds; the rates need the time that all took together. */
struct sums {
	double rounds, touched, reused, touch_secs, reuse_secs, task_ns, cpu_ns, faults, skew_us;
	double free_ns, delayed_cpu_ns, delayed_rounds, compat_rate, compat_median;
	double *task_words, *task_ns_each, *task_free_ns;
};

static void add_round(struct sums *s, const struct crew *c)
{
	double first = INFINITY, last = 0, started = 0, reuse_ns = 0;

	for (unsigned int i = 0; i < c->n; i++) {
		const double *n = c->task[i]->number;

		first = fmin(first, n[TOUCH_FROM]);
		started = fmax(started, n[TOUCH_FROM]);
		last = fmax(last, n[TOUCH_FROM] + n[TOUCH_NS]);
		reuse_ns = fmax(reuse_ns, n[REUSE_NS]);
		s->touched += n[TOUCHED];
		s->reused += n[REUSED];
		s->task_ns += n[TOUCH_NS];
		s->cpu_ns += n[TOUCH_CPU_NS];
		s->delayed_cpu_ns += c->delay_ns ? n[TOUCH_CPU_NS] : 0;
		s->faults += n[TOUCH_FAULTS];
		s->task_words[i] += n[TOUCHED];
		s->task_ns_each[i] += n[TOUCH_NS];
		s->task_free_ns[i] += n[FREE_NS];
		s->free_ns += n[FREE_NS];
	}
	s->rounds++;
	s->delayed_rounds += !!c->delay_ns;
	s->touch_secs += (last - first) / 1e9;
	s->reuse_secs += reuse_ns / 1e9;
	s->skew_us += (started - first) / 1e3;
}

static void put_line(double bytes, double ns, double free_ns)
{
	printf("%.0f bytes / %.0f usecs = %.0f KB/s\n", bytes, ns / 1e3, bytes / 1024 / (ns / 1e9));
	if (!source && vm->access != COW)
		printf("%.0f usecs to free memory\n", free_ns / 1e3);
}

static void add_compat_round(struct sums *s, const struct crew *c)
{
	_free_ double *rate = mem_zero(c->n, sizeof(*rate));

	printf("./case-%s\n", vm->name);
	for (unsigned int i = 0; i < c->n; i++) {
		const double *n = c->task[i]->number;

		put_line(n[TOUCHED], n[TOUCH_NS], n[FREE_NS]);
		rate[i] = n[TOUCHED] / 1024 / (n[TOUCH_NS] / 1e9);
		s->compat_rate += rate[i];
		s->touched += n[TOUCHED];
		s->free_ns += n[FREE_NS];
	}
	s->rounds++;
	s->compat_median += median_of(rate, c->n);
}

static void put_tasks(const struct sums *s)
{
	_free_ double *rate = mem_zero(nr_task, sizeof(*rate));
	double sum = 0, squares = 0;

	for (uint64_t i = 0; i < nr_task; i++) {
		rate[i] = s->task_words[i] * WORD / 1024 / (s->task_ns_each[i] / 1e9);
		sum += rate[i];
		put_line(s->task_words[i] * WORD, s->task_ns_each[i], s->task_free_ns[i] / s->rounds);
	}
	for (uint64_t i = 0; i < nr_task; i++)
		squares += pow(rate[i] - sum / (double)nr_task, 2);
	if (nr_task > 1)
		metric("task_spread%", 100 * sqrt(squares / (double)(nr_task - 1)) /
				       (sum / (double)nr_task));
	metric("median", median_of(rate, nr_task));
}

/* Each page that is touched faults: once in 512 if it may be part of a huge one. */
static int check(double per_page, struct err *e)
{
	double least = vm->whole ? 1.0 / (double)nr_task : 1;

	if (vm->first || on_file())	/* their calls have been checked, their faults are batched */
		return 0;
	if (strcmp(pages, "base") || vm->memory == HUGETLB)
		least /= 512;
	if (per_page < 0.98 * least)
		return invalid(e, "%.3g faults for each page touched, %.3g at least are expected",
			       per_page, least);
	return 0;
}

static void put_delay(const struct sums *s, double pages_a_round)
{
	double plain = s->rounds - s->delayed_rounds;

	if (!alternate || !cpu_delay || plain < 1 || s->delayed_rounds < 1)
		return;
	metric("delay_effect", (s->delayed_cpu_ns / s->delayed_rounds -
				(s->cpu_ns - s->delayed_cpu_ns) / plain) /
			       pages_a_round / (double)cpu_delay);
}

static int put(const struct sums *s, struct err *e)
{
	double pages_a_round = (double)nr_task * (double)part() / PAGE;
	double n_pages = s->rounds * pages_a_round;
	int r = check(s->faults / n_pages, e);

	if (r < 0)
		return r;
	put_tasks(s);
	metric("throughput", s->touched * WORD / 1024 / s->touch_secs);
	if (s->reused > 0 && s->reuse_secs > 0)
		metric("reuse_throughput", s->reused * WORD / 1024 / s->reuse_secs);
	metric("touch_ns_per_page", s->task_ns / n_pages);
	metric("touch_cpu_ns_per_page", s->cpu_ns / n_pages);
	metric("faults_per_page", s->faults / n_pages);
	metric("free_time", s->free_ns / 1e9 / s->rounds / (double)nr_task);
	metric("workload", (s->touched + s->reused) * WORD / 1024);
	metric("cpu_share", s->cpu_ns / s->task_ns);
	metric("start_skew_us", s->skew_us / s->rounds);
	put_delay(s, pages_a_round);
	return 0;
}

static void put_compat(const struct sums *s)
{
	metric("usemem_throughput", s->compat_rate / s->rounds);
	metric("usemem_median", s->compat_median / s->rounds);
	metric("usemem_workload", s->touched / 1024);
}

static int one_round(struct sums *s, bool delayed, struct err *e)
{
	_crew_ struct crew c = { .n = (unsigned int)nr_task, .child = vm->threads, .setup = setup,
				 .work = is_compat() ? work_compat : work, .leave = leave,
				 .delay_ns = delayed ? cpu_delay : 0 };
	int r;

	start_ns = clock_raw_ns();
	r = open_source(e);
	if (r == 0)
		r = crew_run(&c, e);
	if (r == 0 && s)
		is_compat() ? add_compat_round(s, &c) : add_round(s, &c);
	close_source();
	return r;
}

static int possible(struct err *e)
{
	if (!part())
		return err_set(e, EINVAL, "size: less than a page for each of %" PRIu64 " tasks", nr_task);
	if (vm->swap && !memory_of("SwapTotal"))
		return skip(e, "%s: this machine has no swap space", vm->name);
	if (is_compat() && vm->first)
		return skip(e, "compat: %s is no case of usemem alone", vm->name);
	if (is_compat() && !runtime)
		return err_set(e, EINVAL, "runtime: usemem's arithmetic needs a second at least");
	return lkp_check(vm, e);
}

static int run(struct err *e)
{
	_free_ double *words = mem_zero(nr_task, sizeof(*words));
	_free_ double *ns = mem_zero(nr_task, sizeof(*ns));
	_free_ double *freed = mem_zero(nr_task, sizeof(*freed));
	struct sums s = { .task_words = words, .task_ns_each = ns, .task_free_ns = freed };
	uint64_t end;
	int r = possible(e);

	/* The first round warms the machine up; usemem knows no such thing. */
	if (r < 0 || (!is_compat() && (r = one_round(NULL, false, e)) < 0))
		return r;
	end = clock_raw_ns() + runtime * 1000000000ULL;
	do {
		r = one_round(&s, !alternate || (uint64_t)s.rounds % 2, e);
		if (r < 0)
			return r;
	} while (clock_raw_ns() < end || (alternate && s.rounds < 2));
	metric("rounds", s.rounds);
	metric("unit_mib", (double)unit() / (1 << 20));
	if (!is_compat())
		return put(&s, e);
	put_compat(&s);
	return 0;
}

WORKLOAD(.name = "vm-scalability",
	 .about = "Tasks touch memory for the first time and again, or call the kernel about it.",
	 .kernel = "do_anonymous_page, do_wp_page, wp_page_copy, copy_page_range, filemap_map_pages, "
		   "shmem_fault, folio_add_lru, zap_pte_range; by test mlock_fixup, mincore_pte_range, "
		   "msync, truncate_inode_pages, move_page_tables, shrink_folio_list",
	 PARAMS(params), METRICS(metrics), .memory = memory, .needs_memory = "size", .run = run);
