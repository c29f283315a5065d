/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "job/names.h"

/*
 * LKP takes any key, so that a mistyped option is silently without effect.
 * Refuses a key that nobody knows and that is one slip away from an option
 * which a program of the job declares.
 */
_must_check_ int spell_check(struct names *x, const struct node *tree, struct err *e);

/*
 * Whether one insertion, deletion, change or swap of neighbours makes one word
 * of the other (a distance of 1: Damerau, 1964).
 */
bool spell_near(const char *a, const char *b);
