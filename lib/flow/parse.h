/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * From raw output to metric lines.  A test's stdout goes through the parser of
 * its name, a process; a test that has none prints metric lines itself.  What
 * comes out is written to the run's folder:
 *
 *	metrics		metric lines with full names
 *	parse		record: state (ok, empty, failed), reason, parser
 *
 * The raw output stays, so this can be done again at any time.
 */
#pragma once

#include "base/err.h"
#include "base/text.h"
#include "job/program.h"
#include "store/store.h"

/* A parser that is still at it then is stopped: the run is unparsed. */
#define PARSE_SECONDS_MAX	120
#define PARSE_BYTES_MAX		(64U << 20)
#define PARSE_SAMPLES_MAX	10000000U

/*
 * @parser: path of the executable, or NULL if the test prints metric lines.
 * @lkp_root: set as LKP_SRC for scripts that want it, or NULL.
 * A parser that fails is no error here but the folder's parse record.
 */
_must_check_ int parse_folder(const char *dir, const char *test, const char *parser,
			      const char *lkp_root, struct err *e);

/*
 * Adds what the monitors of a profile run saw to its metrics: each raw file of
 * the folder's monitors/ through the parser of its name.  One that fails is
 * noted in the parse record, "monitor NAME: why", and loses nothing.
 */
_must_check_ int parse_monitors(const char *dir, struct job_roots *roots, struct err *e);

struct parsed {
	struct store_sample *sample;	/* names are owned by @text */
	size_t n;
	char *invalid;		/* a workload's own check that failed; NULL: none did */
	char *failed;		/* why there are no metrics; NULL: parsed */
	struct text text;
};

/* Reads what parse_folder() wrote. */
_must_check_ int parsed_read(struct parsed *p, const char *dir, struct err *e);
void parsed_release(struct parsed *p);
#define _parsed_ _cleanup_(parsed_release)
