/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Cases in which pages change their place under a mapping: to another node by
 * each of three calls, or into one page that all share (KSM).  What the kernel
 * says afterwards of the pages' place is checked.
 */
#include <errno.h>
#include <inttypes.h>
#include <linux/mempolicy.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include "base/clock.h"
#include "base/text.h"
#include "vm-scalability.h"
#include "workload/topology.h"

#define BATCH		512
#define MASK_BITS	TOPOLOGY_NODES
#define KSM_PATIENCE_NS	60000000000

/* Node with memory that the page at @p is not on; negative: there is none, or an error. */
static int other_node(char *p, int *own, struct err *e)
{
	struct topology *t = mem_zero(1, sizeof(*t));
	_free_ char *all = mem_zero(TOPOLOGY_CPUS, 1);
	int other = -1;
	void *page = p;

	memset(all, 1, TOPOLOGY_CPUS / 16);
	topology_read(t, "", all);
	if (t->memory.n > 1 && syscall(SYS_move_pages, 0, 1, &page, NULL, own, 0) == 0)
		for (unsigned int i = 0; i < t->memory.n && other < 0; i++)
			if ((int)t->memory.id[i] != *own)
				other = (int)t->memory.id[i];
	free(t);
	return other >= 0 ? other : skip(e, "nodes: two with memory are needed to move pages");
}

/* A page in each BATCH is asked for. */
static int check_node(char *p, uint64_t n, int node, struct err *e)
{
	for (uint64_t i = 0; i < n; i += BATCH * PAGE) {
		void *page = p + i;
		int is;

		if (syscall(SYS_move_pages, 0, 1, &page, NULL, &is, 0) < 0)
			return err_sys(e, "move_pages");
		if (is != node)
			return invalid(e, "a page is on node %d after it was moved to %d", is, node);
	}
	return 0;
}

int move_by_pages(char *p, uint64_t n, int fd, struct err *e)
{
	int own, node = other_node(p, &own, e), to[BATCH], status[BATCH];
	void *page[BATCH];

	if (node < 0)
		return node;
	for (uint64_t i = 0; i < n; i += BATCH * PAGE) {
		uint64_t k, left = (n - i) / PAGE, some = left < BATCH ? left : BATCH;

		for (k = 0; k < some; k++) {
			page[k] = p + i + k * PAGE;
			to[k] = node;
		}
		if (syscall(SYS_move_pages, 0, some, page, to, status, MPOL_MF_MOVE) < 0)
			return err_sys(e, "move_pages");
	}
	return check_node(p, n, node, e);
}

static void mask_set(unsigned long *mask, int node)
{
	mask[node / (8 * (int)sizeof(long))] |= 1UL << (node % (8 * (int)sizeof(long)));
}

int move_by_mbind(char *p, uint64_t n, int fd, struct err *e)
{
	unsigned long mask[MASK_BITS / (8 * sizeof(long))] = {};
	int own, node = other_node(p, &own, e);

	if (node < 0)
		return node;
	mask_set(mask, node);
	if (syscall(SYS_mbind, p, n, MPOL_BIND, mask, MASK_BITS, MPOL_MF_MOVE | MPOL_MF_STRICT) < 0)
		return err_sys(e, "mbind");
	return check_node(p, n, node, e);
}

/* All of this process, as migratepages(8) does. */
int move_process(char *p, uint64_t n, int fd, struct err *e)
{
	unsigned long from[MASK_BITS / (8 * sizeof(long))] = {};
	unsigned long to[MASK_BITS / (8 * sizeof(long))] = {};
	int own, node = other_node(p, &own, e);

	if (node < 0)
		return node;
	mask_set(from, own);
	mask_set(to, node);
	if (syscall(SYS_migrate_pages, 0, MASK_BITS, from, to) < 0)
		return err_sys(e, "migrate_pages");
	return check_node(p, n, node, e);
}

static bool read_number(const char *path, uint64_t *v)
{
	_fclose_ FILE *f = fopen(path, "re");

	return f && fscanf(f, "%" SCNu64, v) == 1;
}

/* Equal pages, until nine of ten are one page. */
int merge(char *p, uint64_t n, int fd, struct err *e)
{
	uint64_t run = 0, merged = 0, end = clock_raw_ns() + KSM_PATIENCE_NS;

	if (!read_number("/sys/kernel/mm/ksm/run", &run) || run != 1)
		return skip(e, "ksm: it is not running (/sys/kernel/mm/ksm/run)");
	if (!read_number("/proc/self/ksm_merging_pages", &merged))
		return skip(e, "ksm: this kernel does not tell what it merged");
	memset(p, 0x5a, n);
	if (madvise(p, n, MADV_MERGEABLE) < 0)
		return err_sys(e, "madvise(MADV_MERGEABLE)");
	while (read_number("/proc/self/ksm_merging_pages", &merged) && merged < n / PAGE / 10 * 9) {
		if (clock_raw_ns() > end)
			return invalid(e, "ksm: %" PRIu64 " of %" PRIu64 " pages were merged in a minute",
				       merged, n / PAGE);
		nanosleep(&(struct timespec){ 0, 1000000 }, NULL);
	}
	return 0;
}

/* Each its own page again. */
int unmerge(char *p, uint64_t n, int fd, struct err *e)
{
	return madvise(p, n, MADV_UNMERGEABLE) < 0 ? err_sys(e, "madvise(MADV_UNMERGEABLE)") : 0;
}
