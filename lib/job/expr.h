/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Expressions in job files: `{{ fs =~ /ext4|xfs/ ? '1000n' : '4000n' }}`.
 *
 * The part of Ruby that job files use: comparison, =~ and !~, && || ! and or
 * not, ?:, + - * / %, strings with #{}, lists, if and unless, case and when,
 * a few methods. Nothing that loops, names a file or starts a program, so an
 * expression ends and can do no harm; anything else is refused with its place.
 */
#pragma once

#include "job/host.h"
#include "job/node.h"

#define EXPRESSION_MAX 4096	/* characters */

struct expr;

struct expr_scope {
	const struct node *job;		/* names are its keys; a missing one is nil */
	const struct node *more;	/* then of this map; may be NULL */
	const struct job_host *host;	/* then nr_cpu, nr_node, memory, arch ...; may be NULL */
	const struct node *self;	/* what `___` stands for; may be NULL */
};

/* @at is where @text begins in the user's file. Lives in @a. */
_must_check_ int expr_parse(struct arena *a, const char *text, size_t n,
			    const struct place_at *at, const struct expr **out, struct err *e);

/* *out is made in @a or belongs to the scope; NODE_NULL is nil. */
_must_check_ int expr_eval(struct arena *a, const struct expr *x, const struct expr_scope *scope,
			   const struct node **out, struct err *e);

/* What `if` takes it for: anything but nil and false. */
bool expr_true(const struct node *v);

/* "#{}" of a value. */
void expr_print(const struct node *v, struct text *out);
