/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <string.h>

#include "store/ids.h"

/* FNV-1a, 64 bit (Fowler, Noll, Vo 1991). */
static uint64_t hash(const char *name)
{
	uint64_t h = 0xcbf29ce484222325u;

	for (; *name; name++)
		h = (h ^ (unsigned char)*name) * 0x100000001b3u;
	return h;
}

/* The name's slot, or the free one where it belongs. */
static struct ids_entry *place(const struct ids *ids, const char *name)
{
	size_t i = hash(name) & (ids->room - 1);

	while (ids->slot[i].name && strcmp(ids->slot[i].name, name))
		i = (i + 1) & (ids->room - 1);
	return &ids->slot[i];
}

struct ids_entry *ids_find(const struct ids *ids, const char *name)
{
	struct ids_entry *slot = ids->room ? place(ids, name) : NULL;

	return slot && slot->name ? slot : NULL;
}

static void widen(struct ids *ids)
{
	struct ids wide = { .n = ids->n, .room = ids->room ? 2 * ids->room : 64 };

	wide.slot = mem_zero(wide.room, sizeof(*wide.slot));
	for (size_t i = 0; i < ids->room; i++)
		if (ids->slot[i].name)
			*place(&wide, ids->slot[i].name) = ids->slot[i];
	free(ids->slot);
	*ids = wide;
}

struct ids_entry *ids_add(struct ids *ids, const char *name, int64_t id)
{
	struct ids_entry *slot;

	if (2 * (ids->n + 1) > ids->room)
		widen(ids);
	slot = place(ids, name);
	if (!slot->name) {
		*slot = (struct ids_entry){ .name = text_copy(name), .run = -1 };
		ids->n++;
	}
	slot->id = id;
	return slot;
}

void ids_release(struct ids *ids)
{
	for (size_t i = 0; i < ids->room; i++)
		free(ids->slot[i].name);
	free(ids->slot);
	*ids = (struct ids){};
}
