/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The origin record of a result folder: what krobot knows of a run that the
 * agent cannot: why it was made, in which order, of which kernel.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"

#define ORIGIN_FILE	"origin"
#define DESCRIBE_FILE	"describe"	/* the test's description, YAML */

struct origin {
	char *uuid;		/* of the run, for ever */
	char *session;		/* one start of krobot */
	uint64_t position;	/* in the session's order, from 0 */
	char *label;		/* "" if none */
	char *job_name;		/* for people */
	char *job;		/* canonical text */
	char *test;
	char *program_hash;	/* sha256 of the executable; "" if it could not be had */
	char *mode;		/* host, kvm, tcg, tcg-icount */
	bool profile;
	bool warmup;		/* a run before the measured ones: never judged */
	char *warmed;		/* of a measured run: "steady", "unsteady"; NULL: not asked */
	/* Only of kernels that krobot booted; else the facts tell. */
	char *kernel, *commit, *subject, *config, *compiler;
	uint64_t committed_secs;
};

/* @o is to be released either way. */
_must_check_ int origin_read(struct origin *o, int dir, struct err *e);
_must_check_ int origin_write(const struct origin *o, int dir, struct err *e);
void origin_release(struct origin *o);
#define _origin_ _cleanup_(origin_release)
