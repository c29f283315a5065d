/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where in a text the patch is: message and diff. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct patch_place {
	size_t message;		/* where its message begins; == diff: it has none */
	size_t diff, end;	/* the diff is diff .. end - 1 */
	bool scissors;		/* a scissors line was before it */
};

/*
 * Finds it; false if there is no diff.  @chat: without scissors, what stands before the
 * diff is conversation.
 */
bool patch_find(const char *text, size_t n, bool chat, struct patch_place *out);

/* "From <40 hex> ...": the first line of what git format-patch writes. */
bool patch_is_magic_from(const char *p, size_t n);
