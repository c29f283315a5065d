/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "job/names.h"

/*
 * LKP takes any key, so that a mistyped option is silently without effect.
 * Refuses a key that nobody knows and that is one slip away from an option
 * which a program of the job declares.
 */
_must_check_ int spell_check(struct names *x, const struct node *tree, struct err *e);

/* Insertions, deletions, changes and swaps of neighbours between two words (Damerau, 1964). */
unsigned spell_distance(const char *a, const char *b);
