/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Cases drawn at random whose truth is known, for simulations: boots of two
 * kernels in the order A B B A, with the spreads and faults that machines show.
 */
#pragma once

#include "judge/verdict.h"
#include "math/random.h"

enum draw_kind {
	DRAW_NORMAL,
	DRAW_T3,		/* heavy tails */
	DRAW_MODES,		/* one boot in five is 10 % slower; the rest as normal */
	DRAW_AR1,		/* each boot keeps 0.3 of the last one's error */
	DRAW_QUANTISED,		/* whole numbers about 38, as from a clock in ns */
	DRAW_KINDS
};

extern const char *const draw_words[DRAW_KINDS];

struct draw {
	enum draw_kind kind;
	double spread;		/* between boots, a fraction */
	double change;		/* the truth: 0 or a fraction */
	double drift;		/* a fraction per boot */
	double jitter;		/* between builds of one source, a fraction; told as history */
};

/* A session whose boots come one after another; {} with .how set is its start. */
struct draw_session {
	struct draw how;
	struct random *random;
	struct verdict_run a[40], b[40];
	unsigned int n_a, n_b;
	double last;		/* error, for AR(1) */
	bool begun;
	double build[2];	/* how this build of each side came out */
};

/* Boots in order until both sides have at least @n; no side gets more. */
void draw_boots(struct draw_session *s, unsigned int n);

/* The next boot of A alone, kept nowhere: a series along a branch. */
double draw_next(struct draw_session *s);

/* The case as it stands; borrows from @s. */
struct verdict_case draw_case(const struct draw_session *s);
