/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Kernels ready to boot, by what they are made of.  A folder belongs to each
 * key, and a lock beside it:
 *
 *	CACHE/kernels/KEY.lock		held shared by users, exclusive by the maker
 *	CACHE/kernels/KEY/info		record, written last: the folder is whole
 *	CACHE/kernels/KEY/...
 *
 * So one key is never made by two at once, a maker that was killed leaves
 * nothing that could be taken for whole, and what is in use is not trimmed away.
 */
#pragma once

#include <stdint.h>

#include "base/err.h"
#include "base/record.h"

#define CACHE_INFO "info"

struct cache_entry {
	char *folder;		/* absolute if the cache's path is */
	int lock;
};

#define CACHE_ENTRY_NONE { .lock = -1 }

/*
 * 0 when the folder is whole: @info has its record and the entry is held shared.
 * 1 when it is to be made: the folder is fresh and empty and the entry is held
 * alone.  Waits for another maker.
 */
_must_check_ int cache_open(struct cache_entry *x, const char *cache, const char *key,
			    struct record *info, struct err *e);

/* The folder is whole now; others may use it. */
_must_check_ int cache_done(struct cache_entry *x, const struct record *info, struct err *e);

/* Removes whole folders, those not used for longest first, down to @max bytes. */
_must_check_ int cache_trim(const char *cache, uint64_t max, struct err *e);

void cache_entry_release(struct cache_entry *x);
#define _cache_entry_ _cleanup_(cache_entry_release)

/* SHA-1 of bytes as git names a blob with them: 40 hex digits. Caller frees. */
_must_check_ int cache_hash(const void *bytes, size_t n, char **hash, struct err *e);
_must_check_ int cache_hash_file(const char *path, char **hash, struct err *e);
