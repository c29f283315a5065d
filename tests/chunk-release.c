/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How an allocator gives a chunk back and takes it again.  Two ways to release:
 * to map nothing over it (the kernel frees its page tables with it), or to
 * protect it and drop its pages (the tables stay).  What the one saves at the
 * release the other may pay at the reuse, so the whole round is measured, each
 * step by itself.
 */
#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <sys/mman.h>

#include "base/clock.h"
#include "workload/pages.h"
#include "workload/place.h"
#include "workload/workload.h"

#define PAGE 4096

enum { RELEASE, REUSE, REFAULT, STEPS };

static uint64_t chunk, touch, repeats, warmup;
static const char *method, *pages;

static const char *const methods[] = { "mmap", "mprotect-madvise", NULL };
static const char *const sizes[] = { "base", "huge", NULL };

static const struct param params[] = {
	{ "chunk", PARAM_SIZE, &chunk, "2M", "bytes of the chunk", PAGE, 1ULL << 40 },
	{ "touch", PARAM_SIZE, &touch, "0", "bytes touched from its start; 0 is all" },
	{ "method", PARAM_CHOICE, &method, "mmap", "how it is released", .choices = methods },
	{ "pages", PARAM_CHOICE, &pages, "base", "page size asked for", .choices = sizes },
	{ "repeats", PARAM_COUNT, &repeats, "4000", "rounds that are measured", 3, 10000000 },
	{ "warmup", PARAM_COUNT, &warmup, "200", "rounds before them", 0, 10000000 },
};

static const struct metric_decl metrics[] = {
	{ "release_ns", "ns", "lower", true, false, "releasing the chunk, median of the rounds" },
	{ "release_min_ns", "ns", "lower", false, false, "the fastest release" },
	{ "release_p99_ns", "ns", "lower", false, false, "99 of 100 rounds are no slower: a release" },
	{ "release_mean_ns", "ns", "lower", false, false, "mean release" },
	{ "reuse_ns", "ns", "lower", false, false, "making it writable again, median" },
	{ "reuse_min_ns", "ns", "lower", false, false, "the fastest reuse" },
	{ "reuse_p99_ns", "ns", "lower", false, false, "99 of 100 rounds are no slower: a reuse" },
	{ "reuse_mean_ns", "ns", "lower", false, false, "mean reuse" },
	{ "refault_ns", "ns", "lower", false, false, "touching it again, median" },
	{ "refault_min_ns", "ns", "lower", false, false, "the fastest touching again" },
	{ "refault_p99_ns", "ns", "lower", false, false, "99 of 100 rounds are no slower: touching" },
	{ "refault_mean_ns", "ns", "lower", false, false, "mean touching again" },
	{ "tables_kib", "KiB", "lower", false, true,
	  "page tables that the release leaves, and that go when the chunk is unmapped" },
	{ "faults_per_page", "1", "none", false, false, "minor faults per page touched" },
};

static uint64_t memory(void)
{
	return chunk + repeats * STEPS * sizeof(double);
}

static void touch_pages(char *p, uint64_t n)
{
	for (uint64_t i = 0; i < n; i += PAGE)
		*(volatile char *)(p + i) = 1;
}

static int release(char *p, struct err *e)
{
	if (!strcmp(method, "mmap")) {
		if (mmap(p, chunk, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED,
			 -1, 0) != p)
			return err_sys(e, "mmap over the chunk");
		return 0;
	}
	if (mprotect(p, chunk, PROT_NONE) < 0)
		return err_sys(e, "mprotect(PROT_NONE)");
	if (madvise(p, chunk, MADV_DONTNEED) < 0)
		return err_sys(e, "madvise(MADV_DONTNEED)");
	return 0;
}

static int reuse(char *p, struct err *e)
{
	if (mprotect(p, chunk, PROT_READ | PROT_WRITE) < 0)
		return err_sys(e, "mprotect(PROT_READ | PROT_WRITE)");
	return 0;
}

/* The new mapping that mmap() leaves has lost the advice; outside of the clock. */
static int advise(char *p, struct err *e)
{
	int advice = strcmp(pages, "huge") ? MADV_NOHUGEPAGE : MADV_HUGEPAGE;

	if (madvise(p, chunk, advice) < 0 && errno != EINVAL)	/* EINVAL: no THP at all */
		return err_sys(e, "madvise about huge pages");
	return 0;
}

/* One round: @ns gets the three times; the chunk is touched before and after. */
static int one_round(char *p, double *ns, struct err *e)
{
	uint64_t t[5];
	int r;

	t[0] = clock_raw_ns();
	if ((r = release(p, e)) < 0)
		return r;
	t[1] = clock_raw_ns();
	if ((r = advise(p, e)) < 0)
		return r;
	t[2] = clock_raw_ns();
	if ((r = reuse(p, e)) < 0)
		return r;
	t[3] = clock_raw_ns();
	touch_pages(p, touch);
	t[4] = clock_raw_ns();
	ns[RELEASE] = (double)(t[1] - t[0]);
	ns[REUSE] = (double)(t[3] - t[2]);
	ns[REFAULT] = (double)(t[4] - t[3]);
	return 0;
}

/* A chunk apart from all other mappings, at a boundary of huge pages. */
static int map_chunk(char **out, struct err *e)
{
	uint64_t align = 2ULL << 20;
	char *p = mmap(NULL, chunk + 2 * align, PROT_NONE,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (p == MAP_FAILED)
		return err_sys(e, "reserving %" PRIu64 " bytes", chunk + 2 * align);
	*out = (char *)(((uintptr_t)p + align - 1) & ~(align - 1));
	return advise(*out, e) < 0 ? -e->code : reuse(*out, e);
}

static int check_pages(const char *p, struct err *e)
{
	bool want_huge = !strcmp(pages, "huge");
	struct pages got;
	int r = pages_read(p, chunk, &got, e);

	if (r != 0)
		return r < 0 ? r : 0;
	if (!want_huge && got.huge)
		return invalid(e, "base pages were asked for, %" PRIu64 " bytes are huge", got.huge);
	if (want_huge && chunk >= 2U << 20 && !got.huge)
		return skip(e, "huge pages are not to be had");
	return 0;
}

static void put(const char *step, double *v, size_t n)
{
	double sum = 0, min = v[0];
	char name[64];

	for (size_t i = 0; i < n; i++) {
		sum += v[i];
		min = v[i] < min ? v[i] : min;
	}
	snprintf(name, sizeof(name), "%s_ns", step);
	metric(name, median_of(v, n));
	snprintf(name, sizeof(name), "%s_min_ns", step);
	metric(name, min);
	snprintf(name, sizeof(name), "%s_p99_ns", step);
	metric(name, v[(n * 99 + 99) / 100 - 1]);	/* median_of() has sorted them */
	snprintf(name, sizeof(name), "%s_mean_ns", step);
	metric(name, sum / (double)n);
}

/*
 * The page tables that are there after a release, and gone when the chunk is
 * unmapped: what the method leaves.
 */
static int put_tables(char *p, struct err *e)
{
	uint64_t left, without;
	int r = release(p, e);

	if (r < 0)
		return r;
	left = pages_tables();
	if (munmap(p, chunk) < 0)
		return err_sys(e, "munmap");
	without = pages_tables();
	if (without != UINT64_MAX && left != UINT64_MAX)
		metric("tables_kib", ((double)left - (double)without) / 1024);
	return 0;
}

static int run(struct err *e)
{
	static const char *const names[] = { "release", "reuse", "refault" };
	_free_ double *v = calloc(repeats * STEPS, sizeof(*v));
	uint64_t faults;
	double per_page, ns[STEPS];
	char *p = NULL;
	int r;

	if (!v)
		return skip(e, "no memory for %" PRIu64 " rounds", repeats);
	if (!touch)
		touch = chunk;
	if (touch > chunk)
		return err_set(e, EINVAL, "touch: more than the chunk");
	memset(v, 1, repeats * STEPS * sizeof(*v));	/* no faults of its own later */
	if ((r = place_worker(0, e)) < 0 || (r = map_chunk(&p, e)) < 0)
		return r;
	touch_pages(p, touch);
	if ((r = check_pages(p, e)) < 0)
		return r;
	for (uint64_t i = 0; i < warmup; i++)
		if ((r = one_round(p, ns, e)) < 0)
			return r;
	faults = pages_faults();
	for (uint64_t i = 0; i < repeats; i++) {
		if ((r = one_round(p, ns, e)) < 0)
			return r;
		for (int s = 0; s < STEPS; s++)
			v[(uint64_t)s * repeats + i] = ns[s];
	}
	per_page = (double)(pages_faults() - faults) / (double)repeats /
		   (double)((touch + PAGE - 1) / PAGE);
	/* A release that released nothing shows as no faults afterwards. */
	if (!strcmp(pages, "base") && (per_page < 0.99 || per_page > 1.5))
		return invalid(e, "%.3g faults per page touched, one was expected", per_page);
	if ((r = check_pages(p, e)) < 0)
		return r;
	for (int s = 0; s < STEPS; s++)
		put(names[s], v + (uint64_t)s * repeats, repeats);
	metric("faults_per_page", per_page);
	return put_tables(p, e);
}

WORKLOAD(.name = "chunk-release",
	 .about = "Release a touched chunk of memory by mmap or by mprotect and madvise, and reuse it.",
	 .kernel = "mmap_region, unmap_region, change_protection, zap_page_range_single, "
		   "do_anonymous_page",
	 PARAMS(params), METRICS(metrics), .memory = memory, .needs_memory = "chunk", .run = run);
