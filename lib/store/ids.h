/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Numbers of names, so that a million samples need no million look-ups. */
#pragma once

#include <stdint.h>

#include "base/text.h"

struct ids_entry {
	char *name;		/* NULL: free */
	int64_t id;
	int64_t run;		/* the series that is being counted, and how far */
	int64_t seq;
};

struct ids {
	struct ids_entry *slot;
	size_t n, room;		/* room: a power of two, or 0 */
};

/* NULL if it is not there. Good until the next ids_add(). */
struct ids_entry *ids_find(const struct ids *ids, const char *name);
struct ids_entry *ids_add(struct ids *ids, const char *name, int64_t id);
void ids_release(struct ids *ids);
