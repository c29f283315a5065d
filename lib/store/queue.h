/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What is still to be done, in one queue, and how far each watched branch is.
 * Work is named by a key, so that asking for it twice queues it once.  Work that
 * was running when krobot died waits again after store_queue_recover().
 *
 * Texts in these structs are borrowed where a struct goes in; lists that come out
 * own theirs.
 */
#pragma once

#include "store/store.h"

struct store_work {
	int64_t id;
	const char *key, *kind;
	const char *payload;		/* for who does it */
	int64_t priority;	/* higher first */
	const char *state;		/* waiting running done failed */
	const char *reason;
	int64_t tries, next_ns, made_ns, changed_ns;
};

struct store_works {
	struct store_work *row;
	size_t n;
};

void store_works_release(struct store_works *w);
#define _store_works_ _cleanup_(store_works_release)

/*
 * key, kind, payload, priority, next_ns and made_ns count.  Returns 1 if there is
 * such work already; then its priority is raised to this one, if that is higher.
 */
_must_check_ int store_queue_add(struct store *s, const struct store_work *work, int64_t *id,
				 struct err *e);

/*
 * Takes the first that may start now: it is running then, and @out has it.
 * @kind NULL: of any kind.  Returns 1 if there is none.
 */
_must_check_ int store_queue_take(struct store *s, const char *kind, int64_t now_ns,
				  struct store_works *out, struct err *e);

/* Its end: state done or failed, or waiting (again, not before @next_ns). */
_must_check_ int store_queue_end(struct store *s, int64_t id, const char *state,
				 const char *reason, int64_t now_ns, int64_t next_ns,
				 struct err *e);

/* Puts another payload in, for work that is done in stages. */
_must_check_ int store_queue_payload(struct store *s, int64_t id, const char *payload,
				     int64_t now_ns, struct err *e);

/* What ran when krobot ended waits again. For the one process that works on it. */
_must_check_ int store_queue_recover(struct store *s, int64_t now_ns, struct err *e);

/* @state, @kind NULL: all. In the order in which it will be done, then the newest. */
_must_check_ int store_queue(struct store *s, const char *state, const char *kind,
			     struct store_works *out, struct err *e);

/* Asks for all work of a state to be forgotten that ended before then. */
_must_check_ int store_queue_forget(struct store *s, const char *state, int64_t before_ns,
				    struct err *e);

/* ---- Watched branches ---- */

/* The branch is at this commit. Returns 1 if that was known. */
_must_check_ int store_head_seen(struct store *s, const char *tree, const char *branch,
				 const char *commit, int64_t now_ns, struct err *e);
_must_check_ int store_head_tested(struct store *s, const char *tree, const char *branch,
				   const char *commit, int64_t now_ns, struct err *e);

/* The commit that was tested last; caller frees. Returns 1 if none was. */
_must_check_ int store_head_last(struct store *s, const char *tree, const char *branch,
				 char **commit, struct err *e);
