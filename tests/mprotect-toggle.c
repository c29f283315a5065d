/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What taking away and giving back the right to write costs a page that is
 * shared and dirty, and what the first write to it costs afterwards.  Each
 * process measures many iterations and gives one value; processes differ more
 * than iterations do, so there are several, one after the other.
 */
#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <sys/mman.h>

#include "base/clock.h"
#include "workload/crew.h"
#include "workload/pages.h"
#include "workload/workload.h"

#define PAGE 4096
#define HUGE (2UL << 20)

#ifndef MADV_COLLAPSE
#define MADV_COLLAPSE 25
#endif

enum { PROTECT, RESTORE, TOUCH, PREFAULT, FAULTS, STEPS };

static uint64_t size, iterations, warmup, nr_process, warmup_process;
static const char *sharing, *pages;

static const char *const sharings[] = { "shared", "private", NULL };
static const char *const sizes[] = { "base", "huge", "folio", NULL };

static const struct param params[] = {
	{ "size", PARAM_SIZE, &size, "64M", "bytes that each process maps", PAGE, 1ULL << 46 },
	{ "iterations", PARAM_COUNT, &iterations, "1000", "iterations that are measured", 1, 1000000000 },
	{ "warmup", PARAM_COUNT, &warmup, "10", "iterations before them", 0, 1000000 },
	{ "nr_process", PARAM_COUNT, &nr_process, "15", "processes that are measured", 1, 10000 },
	{ "warmup_process", PARAM_COUNT, &warmup_process, "3", "processes before them", 0, 10000 },
	{ "sharing", PARAM_CHOICE, &sharing, "shared", "of the mapping", .choices = sharings },
	{ "pages", PARAM_CHOICE, &pages, "base",
	  "base pages, huge pages, or large folios mapped page by page", .choices = sizes },
};

static const struct metric_decl metrics[] = {
	{ "iteration_ns_per_page", "ns", "lower", true, false,
	  "protect, restore and write once, per page" },
	{ "protect_ns", "ns", "lower", false, false, "mprotect(PROT_READ), per page" },
	{ "restore_ns", "ns", "lower", false, false, "mprotect(PROT_READ|PROT_WRITE), per page" },
	{ "post_touch_ns", "ns", "lower", false, false, "a write to each page afterwards, per page" },
	{ "prefault_ns", "ns", "lower", false, false, "first touch before the clock, per page" },
	{ "faults_per_page", "1", "none", false, false, "minor faults per page and iteration" },
	{ "iteration_ns_per_page_spread%", "%", "lower", false, true, "spread between processes" },
	{ "protect_ns_spread%", "%", "lower", false, true, "spread between processes" },
	{ "restore_ns_spread%", "%", "lower", false, true, "spread between processes" },
	{ "post_touch_ns_spread%", "%", "lower", false, true, "spread between processes" },
	{ "prefault_ns_spread%", "%", "lower", false, true, "spread between processes" },
};

static uint64_t memory(void)
{
	return size;
}

static void touch_pages(char *p)
{
	for (uint64_t i = 0; i < size; i += PAGE)
		++*(volatile char *)(p + i);
}

static bool wants(const char *what)
{
	return !strcmp(pages, what);
}

/* At a boundary of huge pages, so that as many as possible fit. */
static char *reserve(void)
{
	int flags = (strcmp(sharing, "shared") ? MAP_PRIVATE : MAP_SHARED) | MAP_ANONYMOUS;
	char *p = mmap(NULL, size + HUGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (p == MAP_FAILED)
		return p;
	p = (char *)(((uintptr_t)p + HUGE - 1) & ~(uintptr_t)(HUGE - 1));
	return mmap(p, size, PROT_READ | PROT_WRITE, flags | MAP_FIXED, -1, 0);
}

/*
 * Large folios whose pages are mapped one by one: other rights for one page
 * inside split the huge entry, not the folio.  Shared memory loses the entry
 * instead and faults it in again.
 */
static int split_entries(char *p, struct err *e)
{
	if (strcmp(sharing, "shared") == 0 && madvise(p, size, MADV_COLLAPSE) < 0)
		return skip(e, "large folios are not to be had: %s", strerror(errno));
	for (uint64_t i = 0; i + HUGE <= size; i += HUGE) {
		if (mprotect(p + i + PAGE, PAGE, PROT_READ) < 0 ||
		    mprotect(p + i + PAGE, PAGE, PROT_READ | PROT_WRITE) < 0)
			return err_sys(e, "mprotect of one page");
	}
	/* Else khugepaged may put it together again. */
	if (madvise(p, size, MADV_NOHUGEPAGE) < 0)
		return err_sys(e, "madvise about huge pages");
	touch_pages(p);
	return 0;
}

static int map(struct task *t, struct err *e)
{
	uint64_t from, faults, n_pages = (size + PAGE - 1) / PAGE;
	char *p = reserve();

	if (p == MAP_FAILED)
		return err_sys(e, "mapping %" PRIu64 " bytes", size);
	if (madvise(p, size, wants("base") ? MADV_NOHUGEPAGE : MADV_HUGEPAGE) < 0 &&
	    errno != EINVAL)	/* EINVAL: no THP at all */
		return err_sys(e, "madvise about huge pages");
	faults = pages_faults();
	from = clock_raw_ns();
	touch_pages(p);
	t->number[PREFAULT] = (double)(clock_raw_ns() - from);
	faults = pages_faults() - faults;
	t->data = p;
	/* Base pages fault one by one; fewer faults than pages are larger folios. */
	if (wants("base") && faults < n_pages)
		return invalid(e, "%" PRIu64 " faults for %" PRIu64 " base pages", faults, n_pages);
	return wants("folio") ? split_entries(p, e) : 0;
}

/* All that were looked at, but for those behind the last whole huge page. */
static int check_folios(int large, const char *when, struct err *e)
{
	double got = large / (double)pages_looked_at(size);
	double want = (double)(size / HUGE * HUGE) / (double)size;

	if (large < 0)
		return skip(e, "large folios cannot be told without kpageflags (root)");
	if (large == 0 && !strcmp(when, "before"))
		return skip(e, "large folios are not to be had for this mapping");
	if (got < want - 0.01)
		return invalid(e, "%s: %.3g of the pages belong to large folios, not %.3g", when, got,
			       want);
	return 0;
}

/* Refuses to measure what is not asked for, before the clock and after it. */
static int check(const char *p, const char *when, struct err *e)
{
	struct pages got;
	int large, r = pages_read(p, size, &got, e);

	if (r < 0)
		return r;
	if (r == 0 && wants("huge") && !got.huge)
		return skip(e, "huge pages are not to be had for this mapping");
	if (r == 0 && !wants("huge") && got.huge)
		return invalid(e, "%s: %" PRIu64 " bytes are mapped by huge pages", when, got.huge);
	if (r == 0 && !wants("huge") && got.eligible > 0)
		return invalid(e, "%s: the mapping may get huge pages (THPeligible)", when);
	large = wants("huge") ? 0 : pages_large(p, size);
	if (wants("folio"))
		return check_folios(large, when, e);
	if (large > 0)
		return invalid(e, "%s: %d of the pages looked at belong to large folios", when, large);
	return 0;
}

static int toggle(char *p, uint64_t *ns, struct err *e)
{
	uint64_t t0 = clock_raw_ns(), t1, t2;

	if (mprotect(p, size, PROT_READ) < 0)
		return err_sys(e, "mprotect(PROT_READ)");
	t1 = clock_raw_ns();
	if (mprotect(p, size, PROT_READ | PROT_WRITE) < 0)
		return err_sys(e, "mprotect(PROT_READ | PROT_WRITE)");
	t2 = clock_raw_ns();
	touch_pages(p);
	ns[PROTECT] += t1 - t0;
	ns[RESTORE] += t2 - t1;
	ns[TOUCH] += clock_raw_ns() - t2;
	return 0;
}

static int work(struct task *t, struct err *e)
{
	uint64_t ns[TOUCH + 1] = {}, faults;
	char *p = t->data, first;
	int r;

	if ((r = check(p, "before", e)) < 0)
		return r;
	for (uint64_t i = 0; i < warmup; i++)
		if ((r = toggle(p, ns, e)) < 0)
			return r;
	memset(ns, 0, sizeof(ns));
	first = *p;
	faults = pages_faults();
	for (uint64_t i = 0; i < iterations; i++)
		if ((r = toggle(p, ns, e)) < 0)
			return r;
	t->number[FAULTS] = (double)(pages_faults() - faults);
	if (t->number[FAULTS] > 1.01 * (double)(iterations * ((size + PAGE - 1) / PAGE)))
		return invalid(e, "%.0f faults are more than one for each write", t->number[FAULTS]);
	if ((char)(first + (char)iterations) != *p)
		return invalid(e, "the first page was not written once an iteration");
	for (int s = PROTECT; s <= TOUCH; s++)
		t->number[s] = (double)ns[s];
	return check(p, "after", e);
}

static int one_process(double *number, struct err *e)
{
	_crew_ struct crew c = { .n = 1, .setup = map, .work = work };
	int r = crew_run(&c, e);

	if (r < 0)
		return r;
	memcpy(number, c.task[0]->number, STEPS * sizeof(*number));
	return 0;
}

static void put(double (*number)[STEPS])
{
	static const struct {
		const char *name;
		int from, to;
	} rows[] = {
		{ "iteration_ns_per_page", PROTECT, TOUCH }, { "protect_ns", PROTECT, PROTECT },
		{ "restore_ns", RESTORE, RESTORE }, { "post_touch_ns", TOUCH, TOUCH },
		{ "prefault_ns", PREFAULT, PREFAULT },
	};
	_free_ double *v = calloc(nr_process, sizeof(*v));
	double n_pages = (double)((size + PAGE - 1) / PAGE), faults = 0;

	if (!v)
		abort();
	for (size_t k = 0; k < COUNT(rows); k++) {
		double per = k + 1 < COUNT(rows) ? n_pages * (double)iterations : n_pages;

		for (uint64_t i = 0; i < nr_process; i++) {
			v[i] = 0;
			for (int s = rows[k].from; s <= rows[k].to; s++)
				v[i] += number[i][s] / per;
		}
		metric_series(rows[k].name, v, nr_process);
	}
	for (uint64_t i = 0; i < nr_process; i++)
		faults += number[i][FAULTS] / (double)nr_process;
	metric("faults_per_page", faults / n_pages / (double)iterations);
}

static int run(struct err *e)
{
	_free_ double (*number)[STEPS] = calloc(nr_process, sizeof(*number));
	double drop[STEPS];
	int r;

	if (!number)
		abort();
	for (uint64_t i = 0; i < warmup_process; i++)
		if ((r = one_process(drop, e)) < 0)
			return r;
	for (uint64_t i = 0; i < nr_process; i++)
		if ((r = one_process(number[i], e)) < 0)
			return r;
	put(number);
	return 0;
}

WORKLOAD(.name = "mprotect-toggle",
	 .about = "Take the right to write from a dirty mapping, give it back, write to each page.",
	 .kernel = "mprotect_fixup, change_protection, change_pte_range, can_change_pte_writable",
	 PARAMS(params), METRICS(metrics), .memory = memory, .needs_memory = "size", .run = run);
