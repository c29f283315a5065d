/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <fcntl.h>
#include <linux/kernel-page-flags.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "workload/pages.h"

#define PFN_MASK ((1ULL << 55) - 1)
#define PRESENT	 (1ULL << 63)

int pages_read(const void *p, size_t n, struct pages *out, struct err *e)
{
	static const char *const huge[] = { "AnonHugePages", "ShmemPmdMapped", "FilePmdMapped" };
	_fclose_ FILE *f = fopen("/proc/self/smaps", "re");
	unsigned long long from, to, kib;
	char line[512], key[64];
	bool in = false;

	*out = (struct pages){ .eligible = -1 };
	if (!f)
		return 1;
	while (fgets(line, sizeof(line), f)) {
		if (sscanf(line, "%llx-%llx ", &from, &to) == 2) {
			in = from < (uintptr_t)p + n && to > (uintptr_t)p;
			continue;
		}
		if (!in || sscanf(line, "%63[^:]: %llu", key, &kib) != 2)
			continue;
		if (!strcmp(key, "Rss"))
			out->resident += kib << 10;
		if (!strcmp(key, "THPeligible") && out->eligible < 1)
			out->eligible = kib > 0;
		for (size_t i = 0; i < COUNT(huge); i++)
			if (!strcmp(key, huge[i]))
				out->huge += kib << 10;
	}
	return ferror(f) ? err_sys(e, "/proc/self/smaps") : 0;
}

/* Of so many pages in a row one is looked at. */
static size_t stride(size_t pages)
{
	return pages > 512 ? pages / 512 : 1;
}

int pages_looked_at(size_t n)
{
	size_t pages = n / (size_t)sysconf(_SC_PAGESIZE), step = stride(pages);

	return (int)((pages + step - 1) / step);
}

int pages_large(const void *p, size_t n)
{
	_close_ int map = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
	_close_ int flags = open("/proc/kpageflags", O_RDONLY | O_CLOEXEC);
	size_t page = (size_t)sysconf(_SC_PAGESIZE), pages = n / page;
	size_t step = stride(pages);
	int large = 0;

	if (map < 0 || flags < 0)
		return -1;
	for (size_t i = 0; i < pages; i += step) {
		off_t at = (off_t)(((uintptr_t)p / page + i) * 8);
		uint64_t entry, bits;

		if (pread(map, &entry, 8, at) != 8)
			return -1;
		if (!(entry & PRESENT))
			continue;
		if (!(entry & PFN_MASK))	/* hidden from us */
			return -1;
		if (pread(flags, &bits, 8, (off_t)((entry & PFN_MASK) * 8)) != 8)
			return -1;
		large += !!(bits & (1ULL << KPF_COMPOUND_HEAD | 1ULL << KPF_COMPOUND_TAIL));
	}
	return large;
}

uint64_t pages_tables(void)
{
	_fclose_ FILE *f = fopen("/proc/self/status", "re");
	unsigned long long kib;
	char line[256];

	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, "VmPTE: %llu kB", &kib) == 1)
			return (uint64_t)kib << 10;
	return UINT64_MAX;
}

uint64_t pages_faults(void)
{
	struct rusage u;

	getrusage(RUSAGE_THREAD, &u);
	return (uint64_t)u.ru_minflt;
}
