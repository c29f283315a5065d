/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Raw results for people and scripts: the samples behind a verdict, and one
 * run with all that is kept of it.
 */
#pragma once

#include <jansson.h>
#include <stdbool.h>

#include "base/err.h"
#include "base/text.h"
#include "flow/place.h"
#include "store/store.h"

enum listing_answer {
	LISTING_SOME,
	LISTING_NONE,		/* nothing matches; @out says what nearly does */
};

struct listing_opts {
	struct store_filter filter;
	const char *metric;	/* NULL: the headline of each job */
	bool json;
};

/*
 * One line a kernel and label: name, subject, each run's value in the order of
 * the runs, a run without the value as its state, so that gaps are visible.
 * Returns a listing_answer, or -errno.
 */
_must_check_ int listing_samples(const struct place *place, const struct listing_opts *o,
				 struct text *out, struct err *e);

/* One run: what it was, where it lies, how it ended, every metric. */
_must_check_ int listing_run(const struct place *place, int64_t id, bool json, struct text *out,
			     struct err *e);

/* "no LABEL 'x'; nearest are ..." into @out. */
_must_check_ int listing_near(struct store *s, enum store_what what, const char *what_word,
			      const char *text, struct text *out, struct err *e);

/*
 * Text of foreign origin; NULL becomes null.  jansson refuses what is no UTF-8,
 * and with it the whole object: such bytes are made visible ("\\xff").
 */
json_t *listing_json_text(const char *s);
