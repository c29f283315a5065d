/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Stored runs of one job on one machine, looked at along time: where a metric's level
 * changed from kernel to kernel, and whether the job's noise lets it decide anything.
 */
#pragma once

#include <stdbool.h>

#include "base/err.h"
#include "base/text.h"
#include "flow/place.h"
#include "judge/trend.h"

struct along_opts {
	const char *job;		/* name, test or glob */
	const char *machine, *label, *kernel, *session;	/* NULL: all */
	const char *metric;		/* along_series: one; along_noise: NULL is the headlines */
	unsigned int warmup;		/* runs to drop at the start of each boot */
	bool json;
};

enum along_answer {
	ALONG_GOOD,
	ALONG_BAD,		/* along_noise: a headline metric is not qualified */
	ALONG_NOTHING,		/* nothing matches; @out says what nearly does */
};

/* A series in the order in which the kernels were committed; a row a boot. */
struct along_series {
	struct trend_row *row;
	size_t n;
	char **label;		/* of each kernel */
	size_t n_labels;
	enum metric_better better;
};

/* Returns an along_answer, or -errno. EINVAL: runs of several machines are left. */
_must_check_ int along_series(const struct place *place, const struct along_opts *o,
			      struct along_series *s, struct text *out, struct err *e);
void along_series_release(struct along_series *s);
#define _along_series_ _cleanup_(along_series_release)

/* The same; EINVAL also where several kernels are left, which would count as noise. */
_must_check_ int along_noise(const struct place *place, const struct along_opts *o,
			     struct text *out, struct err *e);
