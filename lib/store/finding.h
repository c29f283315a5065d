/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Verdicts, and findings with their life.
 *
 *	suspected -> confirmed -> bisecting -> blamed -> reported
 *	                                         -> fix under test -> fixed
 *	invalid: from everywhere
 *
 * Which step may follow which is a table (finding.c); each step is recorded with
 * when, who, why and by which verdict.  A finding may show in many places
 * (sightings).  Sightings of the same range and group of metrics are one
 * finding; so are those whose culprits turn out to be the same change (by
 * patch-id), whatever tree they came from.
 *
 * Texts in these structs are borrowed where a struct goes in; lists that come out
 * own theirs.
 */
#pragma once

#include "store/store.h"

/* ---- Verdicts ---- */

struct store_verdict {
	int64_t id;
	const char *params, *test;		/* the job; its canonical text */
	const char *machine, *mode;
	const char *metric;
	const char *base, *head;		/* kernels' names */
	const char *verdict;		/* regression improvement change same unsure broken */
	const char *reason;
	double change, low, high, p, noise, drift;	/* NaN: not known */
	int64_t boots_base, boots_head;
	int64_t made_ns;
};

/* Job, machine, metric and kernels must have runs in the store (else ENOENT). */
_must_check_ int store_add_verdict(struct store *s, const struct store_verdict *v, int64_t *id,
				   struct err *e);

struct store_verdict_filter {
	int64_t id;			/* > 0: this one */
	const char *job;		/* name, test or canonical text */
	const char *machine, *metric, *base, *head, *verdict;
	int64_t since_ns;
};

struct store_verdicts {
	struct store_verdict *row;
	size_t n;
};

/* Newest first. */
_must_check_ int store_verdicts(struct store *s, const struct store_verdict_filter *f,
				struct store_verdicts *out, struct err *e);
void store_verdicts_release(struct store_verdicts *v);
#define _store_verdicts_ _cleanup_(store_verdicts_release)

/* ---- Findings ---- */

enum finding_state {
	FINDING_SUSPECTED, FINDING_CONFIRMED, FINDING_BISECTING, FINDING_BLAMED,
	FINDING_REPORTED, FINDING_FIX_UNDER_TEST, FINDING_FIXED, FINDING_INVALID,
	FINDING_STATES,
};

const char *finding_word(enum finding_state state);

/* False if it is no such word. */
bool finding_state_parse(const char *word, enum finding_state *out);
bool finding_may(enum finding_state from, enum finding_state to);

/* Why something happened. */
struct store_why {
	const char *who;		/* "krobot", "mail <id>", a user */
	const char *why;		/* one line */
	int64_t verdict;		/* 0: none */
	int64_t at_ns;
};

struct store_sighting {
	const char *tree, *branch;
	const char *base, *head;		/* kernels' names */
	const char *machine, *mode;
	const char *test, *params, *metric;
	const char *group;			/* metrics that move together: often the test */
	double change, low, high;	/* NaN: not known */
	int64_t verdict;		/* 0: none */
	int64_t seen_ns;
};

struct store_event {
	int64_t at_ns;
	enum finding_state from, to;	/* the same: learnt, not moved */
	const char *who, *why;
	int64_t verdict;
};

struct store_finding {
	int64_t id;
	enum finding_state state;
	const char *culprit;			/* NULL: not blamed */
	const char *culprit_subject, *patch_id;
	double confidence;		/* NaN: not known */
	int64_t same_as;		/* 0: on its own */
	int64_t opened_ns;
	struct store_sighting *sighting;	/* oldest first */
	size_t n_sightings;
	struct store_event *event;	/* oldest first */
	size_t n_events;
};

struct store_findings {
	struct store_finding *row;
	size_t n;
};

void store_findings_release(struct store_findings *f);
#define _store_findings_ _cleanup_(store_findings_release)

/*
 * Takes a sighting in: a new finding, suspected, or one more place of an open one
 * with the same range and group, or news of one that has this very sighting
 * already, whatever became of it.  Returns 1 if it joined, 0 if it is new.
 */
_must_check_ int store_finding_see(struct store *s, const struct store_sighting *sighting,
				   const struct store_why *why, int64_t *id, struct err *e);

/*
 * Moves it on.  EPERM: this step may not follow (the text says which may).
 * EEXIST: it was joined to another.  ENOENT: there is no such finding.
 */
_must_check_ int store_finding_move(struct store *s, int64_t id, enum finding_state to,
				    const struct store_why *why, struct err *e);

/* Something that was learnt, with no step. */
_must_check_ int store_finding_note(struct store *s, int64_t id, const struct store_why *why,
				    struct err *e);

struct store_blame {
	const char *commit, *subject;
	const char *patch_id;		/* NULL: not known (a range, a merge) */
	double confidence;
};

/*
 * Moves it to blamed.  Where another finding has this patch-id the two are
 * joined: @joined is the other's number and the return value is 1.
 */
_must_check_ int store_finding_blame(struct store *s, int64_t id, const struct store_blame *blame,
				     const struct store_why *why, int64_t *joined, struct err *e);

/* Says that @id is what @other is; its sightings go there. */
_must_check_ int store_finding_join(struct store *s, int64_t id, int64_t other,
				    const struct store_why *why, struct err *e);

/* All of one; returns 1 if there is none. A joined one is there with same_as. */
_must_check_ int store_finding(struct store *s, int64_t id, struct store_findings *out,
			       struct err *e);

/*
 * With their sightings and events, newest first, without joined ones.
 * @state: FINDING_STATES for all.
 */
_must_check_ int store_findings(struct store *s, enum finding_state state,
				struct store_findings *out, struct err *e);

/* The one that a mail with this id was about; returns 1 if there is none. */
_must_check_ int store_finding_of_mail(struct store *s, const char *message_id, int64_t *id,
				       struct err *e);
