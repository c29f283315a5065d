/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * From result folders to the store.  A folder tells everything, so a lost
 * database, or a folder copied from another machine, needs nothing else.
 */
#pragma once

#include "base/err.h"
#include "job/program.h"
#include "store/store.h"

struct imported {
	unsigned int runs;	/* now in the store */
	unsigned int lost;	/* of these: never ended */
	unsigned int bad;	/* folders that could not be read: a line each was logged */
};

/*
 * One result folder. @id may be NULL.
 * @final: a folder without an exit record is a run that was lost; else it is
 * one that may still be under way, and is not imported (returns 1).
 */
_must_check_ int import_folder(struct store *s, const char *dir, bool final, int64_t *id,
			       struct err *e);

enum import_parse {
	IMPORT_PARSE_PENDING,	/* only what was never parsed: its krobot was killed before */
	IMPORT_PARSE_AGAIN,	/* all raw output, with the parsers of today */
};

/*
 * Every result folder at or below @dir; parsers come from @roots.  A folder that
 * cannot be written to is imported as it is.
 */
_must_check_ int import_tree(struct store *s, struct job_roots *roots, const char *dir,
			     enum import_parse parse, struct imported *n, struct err *e);
