/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the kernel says of a mapping's pages, so that a workload can check that
 * it measured what it claims.  KernelPageSize and MMUPageSize of smaps stay at
 * 4 kB under transparent huge pages and prove nothing; these fields do.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

struct pages {
	uint64_t resident;		/* bytes */
	uint64_t huge;			/* bytes mapped by huge entries: AnonHugePages + ShmemPmdMapped
					 * + FilePmdMapped */
	int eligible;			/* THPeligible: 0, 1; -1: the kernel does not say */
};

/*
 * Sums over the mappings that lie in [@p, @p + @n).  1 if /proc/self/smaps is
 * not to be had: nothing can be said.
 */
_must_check_ int pages_read(const void *p, size_t n, struct pages *out, struct err *e);

/*
 * Pages of the range that belong to folios of more than one page, among
 * some 512 that are looked at, by pagemap and kpageflags (root).  -1: not known.
 */
int pages_large(const void *p, size_t n);

/* How many pages_large() looks at in a range of @n bytes. */
int pages_looked_at(size_t n);

/* This process's page tables, VmPTE, bytes; UINT64_MAX: not known. */
uint64_t pages_tables(void);

/* Minor faults of the calling thread so far. */
uint64_t pages_faults(void);
