/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdint.h>
#include <string.h>

#include "base/text.h"
#include "parser/nameset.h"

/* FNV-1a (Fowler, Noll, Vo). */
static uint32_t hash_of(const char *name)
{
	uint32_t h = 2166136261u;

	for (; *name; name++)
		h = (h ^ (unsigned char)*name) * 16777619u;
	return h;
}

static char **slot_of(char **slot, size_t room, const char *name)
{
	size_t at = hash_of(name) & (room - 1);

	while (slot[at] && strcmp(slot[at], name))
		at = (at + 1) & (room - 1);
	return &slot[at];
}

static void grow(struct nameset *s)
{
	size_t room = s->room ? 2 * s->room : 64;
	char **slot = mem_zero(room, sizeof(*slot));

	for (size_t i = 0; i < s->room; i++)
		if (s->slot[i])
			*slot_of(slot, room, s->slot[i]) = s->slot[i];
	free(s->slot);
	s->slot = slot;
	s->room = room;
}

bool nameset_add(struct nameset *s, const char *name)
{
	char **slot;

	if (2 * (s->n + 1) > s->room)
		grow(s);
	slot = slot_of(s->slot, s->room, name);
	if (*slot)
		return false;
	if (s->n < NAMESET_MAX) {
		*slot = text_copy(name);
		s->n++;
	}
	return true;
}

void nameset_clear(struct nameset *s)
{
	for (size_t i = 0; i < s->room; i++)
		free(s->slot[i]);
	free(s->slot);
	*s = (struct nameset){};
}
