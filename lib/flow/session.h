/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A session: the runs that one `krobot run` makes.  Each run is a result
 * folder first and a row of the store second, so a session that is killed
 * leaves whole folders, and at most one that never ended.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/opt.h"
#include "base/text.h"
#include "flow/place.h"

struct session_opts {
	const char *const *file;	/* job files */
	size_t n_files;
	const struct opt_list *labels;	/* each job runs once a round under each; may be empty */
	const struct opt_list *set;	/* "key=value": replaces a key of all job files */
	uint64_t runs;			/* rounds */
	uint64_t timeout_secs;		/* of a run; 0: from the job */
	bool profile;			/* also with the monitors that the category has by default */
	bool dry_run;			/* say what would run, and what would be skipped and why */
	bool json;
};

/* How it went, worst first: what `krobot run` exits with. */
enum session_answer {
	SESSION_TROUBLE,	/* a run was lost or its output could not be parsed */
	SESSION_FAILED,		/* a test failed, took too long or its checks failed */
	SESSION_SKIPPED,	/* nothing could run here */
	SESSION_OK,
};

/*
 * Returns a session_answer or -errno.  One line a run goes to stdout as it
 * ends (or JSON at the end), the last words of a failed test to stderr.
 */
_must_check_ int session_run(const struct place *place, const struct session_opts *o,
			     struct err *e);
