/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Laying one map over another, as LKP does it.
 *
 *	key: v		replaces the whole value
 *	a.b.c: v	sets a nested key; maps on the way are made
 *	a.b+: v		adds to the list, the map, or makes a list of two
 *	a.b-: v		takes v out; without a value it takes the key away
 *
 * Keys need_* (but not need_memory, need_cpu, need_modules) add up.
 */
#pragma once

#include "job/node.h"

/*
 * Changes @map, which owns its nodes; what it takes from @over is copied.
 * @replace: keys that both have are taken from @over. Special keys, also those
 * that @map itself has, are carried out and go.
 */
_must_check_ int revise(struct arena *a, struct node *map, const struct node *over, bool replace,
			struct err *e);
