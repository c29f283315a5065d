/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Inside lib/job: the programs of all roots by name, made by one look at their folders. */
#pragma once

#include <stdint.h>
#include <time.h>

#include "job/arena.h"
#include "job/program.h"

#define INDEX_SLOTS 1024

struct index_entry {
	struct program program;		/* first: program_describe() gets back from it */
	struct index_entry *next;
	const struct program_description *description;	/* NULL: not read yet */
	uint64_t inode;			/* of the file it was read from */
	struct timespec mtime;
};

struct program_index {
	struct arena arena;
	size_t roots;		/* how many roots were looked at */
	struct index_entry *slot[INDEX_SLOTS];
};
