/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tasks that touch memory, in the cases of vm-scalability.
 *
 * A round: the tasks (processes, or with -mt threads of one process) map or
 * inherit their memory and meet at a barrier.  Then they touch every page of
 * their part for the first time (the kernel's work: copy on write, first touch,
 * or read faults), meet again, and go over it once more (little of the kernel's
 * work).  The two are told apart, since in one number the second dilutes the
 * first.  Rounds go on until `runtime` is over.
 *
 * Rates are accesses that were made over the time that all tasks took together;
 * nothing is credited in advance, and the sum of per-task rates over unequal
 * times is not used.  The line a task is printed as in usemem, for LKP's parser.
 */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>
#include <sys/mman.h>

#include "base/clock.h"
#include "workload/crew.h"
#include "workload/pages.h"
#include "workload/place.h"
#include "workload/workload.h"

#define PAGE	4096
#define WORD	8
#define REUSE_PER_PAGE 8	/* accesses to each page, on average, in a random second pass */

enum access { COW, WRITE, READ };

static const struct test {
	const char *name;
	enum access access;
	bool random, threads;
} tests[] = {
	{ "anon-cow-rand", COW, true, false },	{ "anon-cow-rand-mt", COW, true, true },
	{ "anon-cow-seq", COW, false, false },	{ "anon-cow-seq-mt", COW, false, true },
	{ "anon-w-rand", WRITE, true, false },	{ "anon-w-rand-mt", WRITE, true, true },
	{ "anon-w-seq", WRITE, false, false },	{ "anon-w-seq-mt", WRITE, false, true },
	{ "anon-r-rand", READ, true, false },	{ "anon-r-rand-mt", READ, true, true },
	{ "anon-r-seq", READ, false, false },	{ "anon-r-seq-mt", READ, false, true },
};

static const char *const test_names[] = {
	"anon-cow-rand", "anon-cow-rand-mt", "anon-cow-seq", "anon-cow-seq-mt", "anon-w-rand",
	"anon-w-rand-mt", "anon-w-seq", "anon-w-seq-mt", "anon-r-rand", "anon-r-rand-mt",
	"anon-r-seq", "anon-r-seq-mt", NULL
};
_Static_assert(COUNT(tests) + 1 == COUNT(test_names), "a name for each test");

static const char *test_name, *pages;
static uint64_t runtime, nr_task, size, unit_size, cpu_delay;

static const char *const page_sizes[] = { "default", "base", "huge", NULL };

static const struct param params[] = {
	{ "test", PARAM_CHOICE, &test_name, "anon-cow-rand-mt", "the case", .choices = test_names },
	{ "runtime", PARAM_TIME, &runtime, "10", "no round begins after it", 0, 10000000 },
	{ "nr_task", PARAM_COUNT, &nr_task, "0", "tasks; 0 is one a CPU", 0, 65536 },
	{ "size", PARAM_SIZE, &size, "1G", "bytes of memory, all tasks together", 2 * PAGE },
	{ "unit_size", PARAM_SIZE, &unit_size, "0", "bytes of one round; 0 is size" },
	{ "cpu_delay", PARAM_COUNT, &cpu_delay, "0", "ns of busy waiting for each page touched", 0,
	  1000000000 },
	{ "pages", PARAM_CHOICE, &pages, "default", "page size asked for", .choices = page_sizes },
};

static const struct metric_decl metrics[] = {
	{ "throughput", "KiB/s", "higher", true, false,
	  "words of memory accessed while pages are touched for the first time" },
	{ "touch_ns_per_page", "ns", "lower", false, false,
	  "time of a task for one page touched for the first time" },
	{ "touch_cpu_ns_per_page", "ns", "lower", false, false, "the same in CPU time" },
	{ "faults_per_page", "1", "none", false, false, "minor faults for each page touched" },
	{ "reuse_throughput", "KiB/s", "higher", false, false,
	  "words accessed when the pages are there already" },
	{ "median", "KiB/s", "higher", false, false, "the middle task's own rate" },
	{ "task_spread%", "%", "lower", false, true, "spread between tasks, of their rates" },
	{ "workload", "KiB", "none", false, false, "words accessed in all rounds" },
	{ "rounds", "1", "none", false, false, "rounds that were made" },
	{ "cpu_share", "1", "none", false, false,
	  "CPU time over wall time of the tasks; below 1 another load took CPUs" },
	{ "start_skew_us", "us", "lower", false, false,
	  "between the first and the last task's start, mean of rounds" },
};

/* What the tasks leave in their ledgers. */
enum { TOUCHED, REUSED, TOUCH_NS, REUSE_NS, TOUCH_CPU_NS, TOUCH_FAULTS, TOUCH_FROM };

static const struct test *test;
static char *source;		/* copy on write: what the parent has filled */
static volatile uint64_t sink;	/* keeps reads */

static uint64_t unit(void)
{
	return unit_size && unit_size < size ? unit_size : size;
}

/* Bytes that each task goes over, whole pages. */
static uint64_t part(void)
{
	uint64_t n = test->access == COW && !test->threads ? nr_task + 1 : nr_task;

	return unit() / n / PAGE * PAGE;
}

static const struct test *test_find(void)
{
	for (size_t i = 0; i < COUNT(tests); i++)
		if (!strcmp(tests[i].name, test_name))
			return &tests[i];
	return NULL;
}

static uint64_t memory(void)
{
	test = test_find();
	if (!nr_task)
		nr_task = place_n_cpus();
	if (test->access == READ)
		return unit() / 512;	/* page tables over the zero page */
	return test->access == COW && test->threads ? 2 * unit() : unit();
}

static int advise(char *p, uint64_t n, struct err *e)
{
	if (!strcmp(pages, "default"))
		return 0;
	if (madvise(p, n, strcmp(pages, "huge") ? MADV_NOHUGEPAGE : MADV_HUGEPAGE) < 0 &&
	    errno != EINVAL)
		return err_sys(e, "madvise about huge pages");
	return 0;
}

static char *map(uint64_t n, struct err *e)
{
	char *p = mmap(NULL, n, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (p == MAP_FAILED) {
		err_sys(e, "mapping %" PRIu64 " bytes", n);
		return NULL;
	}
	return advise(p, n, e) < 0 ? NULL : p;
}

/* The memory whose pages the children will copy: threads share one, processes inherit one. */
static int fill_source(struct err *e)
{
	uint64_t n = test->threads ? part() * nr_task : part();

	source = map(n, e);
	if (!source)
		return -e->code;
	for (uint64_t i = 0; i < n; i += PAGE)
		*(volatile uint64_t *)(source + i) = i;
	return 0;
}

static int setup(struct task *t, struct err *e)
{
	if (test->access == COW)
		t->data = test->threads ? source + t->id * part() : source;
	else
		t->data = map(part(), e);
	return t->data ? 0 : -e->code;
}

static inline void use(uint64_t *word)
{
	if (test->access == READ)
		sink = *(volatile uint64_t *)word;
	else
		*(volatile uint64_t *)word = (uintptr_t)word;
}

static void delay(void)
{
	uint64_t until = clock_raw_ns() + cpu_delay;

	while (clock_raw_ns() < until)
		;
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

static uint64_t touch_random(char *p, uint64_t n_pages, uint64_t *seed)
{
	unsigned int bits = 64 - (unsigned int)__builtin_clzll(n_pages | 3);
	uint64_t key = crew_random(seed), done = 0;

	for (uint64_t i = 0; i < 1ULL << bits; i++) {
		uint64_t page = shuffled(i, bits, key);

		if (page >= n_pages)
			continue;
		use((uint64_t *)(p + page * PAGE) + (crew_random(seed) & (PAGE / WORD - 1)));
		done++;
		if (cpu_delay)
			delay();
	}
	return done;
}

static uint64_t touch_in_order(char *p, uint64_t n_pages)
{
	for (uint64_t i = 0; i < n_pages; i++) {
		uint64_t *word = (uint64_t *)(p + i * PAGE);

		for (unsigned int k = 0; k < PAGE / WORD; k++)
			use(word + k);
		if (cpu_delay)
			delay();
	}
	return n_pages * (PAGE / WORD);
}

static uint64_t reuse(char *p, uint64_t n_pages, uint64_t *seed)
{
	uint64_t n = n_pages * REUSE_PER_PAGE;

	if (!test->random) {
		for (uint64_t i = 0; i < n_pages * (PAGE / WORD); i++)
			use((uint64_t *)p + i);
		return n_pages * (PAGE / WORD);
	}
	for (uint64_t i = 0; i < n; i++)
		use((uint64_t *)p + crew_below(seed, n_pages * (PAGE / WORD)));
	return n;
}

static int work(struct task *t, struct err *e)
{
	uint64_t n_pages = part() / PAGE, seed = 0x6b726f62 + t->id, from, cpu, faults, ops;

	faults = pages_faults();
	cpu = clock_ns(CLOCK_THREAD_CPUTIME_ID);
	from = clock_raw_ns();
	t->number[TOUCH_FROM] = (double)from;
	ops = test->random ? touch_random(t->data, n_pages, &seed) : touch_in_order(t->data, n_pages);
	t->number[TOUCH_NS] = (double)(clock_raw_ns() - from);
	t->number[TOUCH_CPU_NS] = (double)(clock_ns(CLOCK_THREAD_CPUTIME_ID) - cpu);
	t->number[TOUCH_FAULTS] = (double)(pages_faults() - faults);
	t->number[TOUCHED] = (double)ops;
	crew_meet(t);
	from = clock_raw_ns();
	t->number[REUSED] = (double)reuse(t->data, n_pages, &seed);
	t->number[REUSE_NS] = (double)(clock_raw_ns() - from);
	return 0;
}

static void leave(struct task *t)
{
	if (test->access != COW)
		munmap(t->data, part());
}

/* Sums over rounds; the rates need the time that all took together. */
struct sums {
	double rounds, touched, reused, touch_secs, reuse_secs, task_ns, cpu_ns, faults, skew_us;
	double *task_words, *task_ns_each;
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
		s->faults += n[TOUCH_FAULTS];
		s->task_words[i] += n[TOUCHED];
		s->task_ns_each[i] += n[TOUCH_NS];
	}
	s->rounds++;
	s->touch_secs += (last - first) / 1e9;
	s->reuse_secs += reuse_ns / 1e9;
	s->skew_us += (started - first) / 1e3;
}

static void put_tasks(const struct sums *s)
{
	_free_ double *rate = calloc(nr_task, sizeof(*rate));
	double sum = 0, squares = 0;

	if (!rate)
		abort();
	for (uint64_t i = 0; i < nr_task; i++) {
		double bytes = s->task_words[i] * WORD, usecs = s->task_ns_each[i] / 1e3;

		rate[i] = bytes / 1024 / (usecs / 1e6);
		sum += rate[i];
		printf("%.0f bytes / %.0f usecs = %.0f KB/s\n", bytes, usecs, rate[i]);
	}
	for (uint64_t i = 0; i < nr_task; i++)
		squares += pow(rate[i] - sum / (double)nr_task, 2);
	if (nr_task > 1)
		metric("task_spread%", 100 * sqrt(squares / (double)(nr_task - 1)) /
				       (sum / (double)nr_task));
	metric("median", median_of(rate, nr_task));
}

static int put(const struct sums *s, struct err *e)
{
	double n_pages = s->rounds * (double)nr_task * (double)part() / PAGE;
	double per_page = s->faults / n_pages;

	/* Huge pages fault once in 512; but a test that never faults touched nothing new. */
	if (per_page < 0.5 / 512)
		return invalid(e, "%.3g faults per page touched", per_page);
	if (!strcmp(pages, "base") && per_page < 0.99)
		return invalid(e, "%.3g faults per base page", per_page);
	put_tasks(s);
	metric("throughput", s->touched * WORD / 1024 / s->touch_secs);
	metric("reuse_throughput", s->reused * WORD / 1024 / s->reuse_secs);
	metric("touch_ns_per_page", s->task_ns / n_pages);
	metric("touch_cpu_ns_per_page", s->cpu_ns / n_pages);
	metric("faults_per_page", per_page);
	metric("workload", (s->touched + s->reused) * WORD / 1024);
	metric("rounds", s->rounds);
	metric("cpu_share", s->cpu_ns / s->task_ns);
	metric("start_skew_us", s->skew_us / s->rounds);
	return 0;
}

static int one_round(struct sums *s, struct err *e)
{
	_crew_ struct crew c = { .n = (unsigned int)nr_task, .child = test->threads,
				 .setup = setup, .work = work, .leave = leave };
	int r = crew_run(&c, e);

	if (r == 0 && s)
		add_round(s, &c);
	return r;
}

static int run(struct err *e)
{
	_free_ double *words = calloc(nr_task, sizeof(*words)), *ns = calloc(nr_task, sizeof(*ns));
	struct sums s = { .task_words = words, .task_ns_each = ns };
	uint64_t end;
	int r;

	if (!words || !ns)
		abort();
	if (!part())
		return err_set(e, EINVAL, "size: less than a page for each of %" PRIu64 " tasks", nr_task);
	if (test->access == COW && (r = fill_source(e)) < 0)
		return r;
	if ((r = one_round(NULL, e)) < 0)	/* the first round warms the machine up */
		return r;
	end = clock_raw_ns() + runtime * 1000000000ULL;
	do {
		if ((r = one_round(&s, e)) < 0)
			return r;
	} while (clock_raw_ns() < end);
	return put(&s, e);
}

WORKLOAD(.name = "vm-scalability",
	 .about = "Tasks touch anonymous memory for the first time and again, one after or beside another.",
	 .kernel = "do_anonymous_page, do_wp_page, wp_page_copy, copy_page_range, lru_add, zap_pte_range",
	 PARAMS(params), METRICS(metrics), .memory = memory, .needs_memory = "size", .run = run);
