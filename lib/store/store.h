/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The store: one SQLite file that indexes what lies in result folders.  The
 * folders are the truth; the file can be made again from them.
 *
 * A run goes in whole: store_add_run() is one transaction with everything that
 * stands above the run (kernel, build, machine, environment, boot, job,
 * program) and with all of its samples.  Another process, or this one killed at
 * any moment, leaves the run there or not, never a part of it.
 *
 * All times are nanoseconds since 1970, but for a commit's, which are seconds
 * as git has them.  Texts may hold any bytes but NUL.  NULL as a text means ""
 * except where said.  Many processes may have the file open; a writer waits up
 * to ten seconds for another.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"

struct store;

/*
 * Opens the file, or makes it, and brings an older one up to this version.
 * EPROTO: made by a newer krobot.  EINVAL: not a database, or not krobot's.
 * ":memory:" is a store that is gone when it is closed.
 */
_must_check_ int store_open(struct store **out, const char *path, struct err *e);
void store_free(struct store *s);
DEFINE_CLEANUP(struct store, store)
#define _store_ _cleanup_(store_freep)

/* ---- Adding ---- */

/* What is known of a metric. A description that is given replaces the old one. */
struct store_metric {
	const char *name;	/* full: "mprotect-toggle.iteration_ns_per_page" */
	const char *unit;	/* NULL: not known */
	const char *better;	/* "higher", "lower", "none"; NULL: undocumented */
	const char *kind;	/* "mean", "delta", "last", "max"; NULL: not known */
	const char *meaning;	/* one line; NULL: none */
	bool headline;		/* it decides; the others explain */
};

/* Samples of one metric keep their order: the n-th is the n-th of the series. */
struct store_sample {
	const char *metric;
	double value;		/* finite; ignored if there is a reason */
	const char *reason;	/* why there is no value; NULL: there is one */
};

struct store_run {
	struct {
		const char *name;	/* the identity: a commit, or an image's name */
		const char *commit;	/* full hash; NULL: no commit is known */
		const char *describe, *subject;
		int64_t committed_secs;
	} kernel;
	struct {
		const char *config;	/* hash of the normalised .config */
		const char *compiler;
	} build;
	struct {
		const char *name;
		const char *facts;	/* canonical text of what makes it this machine */
		const char *environment; /* canonical text of what may change: microcode ... */
	} machine;
	struct {
		const char *uuid;	/* the kernel's boot_id */
		const char *cmdline;
		const char *mode;	/* "host", "kvm", "tcg", ... */
		int64_t booted_ns;	/* 0: not known */
	} boot;
	struct {
		const char *test;
		const char *name;	/* for people: "mprotect-toggle/size=64M"; NULL: test */
		const char *params;	/* canonical text: the identity */
	} job;
	struct {
		const char *hash;	/* of the executable or its source; "": not known */
		const char *compiler;
	} program;
	const char *uuid;	/* the run's name for ever, in copies, too; NULL: @dir */
	const char *dir;	/* where its folder is on this machine */
	const char *label;
	const char *session;	/* one start of krobot */
	int64_t position;	/* in the session's order, from 0 */
	int64_t seq;		/* in the boot, from 0 */
	int64_t started_ns, ended_ns;
	const char *state;	/* ok skipped failed timeout lost invalid unparsed */
	const char *reason;
	bool profile;		/* had monitors: never part of a verdict */

	const struct store_metric *metric;	/* descriptions of some of the metrics */
	size_t n_metrics;
	const struct store_sample *sample;
	size_t n_samples;
};

/*
 * Adds the run, or replaces the one with the same uuid or dir; its number (@id,
 * may be NULL) stays the same then.
 */
_must_check_ int store_add_run(struct store *s, const struct store_run *run, int64_t *id,
			       struct err *e);

/* Forgets the run whose folder this was. Returns 1 if there was none. */
_must_check_ int store_remove_run(struct store *s, const char *dir, struct err *e);

/* ---- Asking ---- */

/*
 * Which runs.  A text that is NULL does not choose; one with * ? or [ is a glob
 * over the whole; else it is meant exactly.
 */
struct store_filter {
	const char *test;
	const char *job;	/* the job's name, its test, or its canonical text */
	const char *label;
	const char *kernel;	/* its name, describe, or the start (7 digits) of its commit */
	const char *machine;
	const char *mode;
	const char *boot;
	const char *state;
	const char *session;
	const char *program;
	const char *dir;
	int64_t run;		/* > 0: this one alone */
	int64_t since_ns;	/* started then or later */
	enum { STORE_PLAIN_RUNS, STORE_PROFILE_RUNS, STORE_ALL_RUNS } profile;
};

struct store_row {
	int64_t id;
	char *kernel, *describe, *subject;
	char *commit;		/* NULL: none known */
	int64_t committed_secs;
	char *config, *compiler;	/* of the kernel's build */
	char *machine, *facts, *environment;
	char *boot, *cmdline, *mode;
	char *test, *job, *params;
	char *program;		/* hash */
	char *uuid, *dir, *label, *session, *state, *reason;
	int64_t position, seq, started_ns, ended_ns;
	bool profile;

	/* Filled by store_load() and store_samples(). */
	double *value;		/* in the order of the series */
	size_t n;		/* 0: absent from this run, never 0.0 */
	size_t n_null;		/* samples that could not be had */
	char *null_reason;	/* why the first one could not; NULL if n_null is 0 */
};

struct store_rows {
	struct store_row *row;
	size_t n;
};

void store_rows_release(struct store_rows *rows);
#define _store_rows_ _cleanup_(store_rows_release)

/* The runs in the order in which they were started. None is no error. */
_must_check_ int store_runs(struct store *s, const struct store_filter *f,
			    struct store_rows *rows, struct err *e);

/* Fills the values of one metric into runs that were asked for before. */
_must_check_ int store_load(struct store *s, struct store_rows *rows, const char *metric,
			    struct err *e);

/* Both at once. Runs without the metric are among the rows, with n = 0. */
_must_check_ int store_samples(struct store *s, const struct store_filter *f,
			       const char *metric, struct store_rows *rows, struct err *e);

/* Metrics that the runs have, and what is known of them. */
struct store_metric_row {
	char *name;
	char *unit, *better, *kind, *meaning;	/* NULL: not known */
	bool headline;
	int64_t runs;		/* how many of the runs have it */
};

struct store_metrics {
	struct store_metric_row *row;
	size_t n;
};

void store_metrics_release(struct store_metrics *m);
#define _store_metrics_ _cleanup_(store_metrics_release)

/* By name; headlines first. */
_must_check_ int store_metrics(struct store *s, const struct store_filter *f,
			       struct store_metrics *out, struct err *e);

/* What is known of one metric, samples or not. Returns 1 if there is none of that name. */
_must_check_ int store_metric(struct store *s, const char *name, struct store_metrics *out,
			      struct err *e);

/* The names in use, newest first, with how many runs there are of each. */
enum store_what {
	STORE_JOBS, STORE_TESTS, STORE_LABELS, STORE_KERNELS, STORE_MACHINES, STORE_SESSIONS,
};

struct store_name {
	char *name;
	int64_t runs, first_ns, last_ns;
};

struct store_names {
	struct store_name *row;
	size_t n;
};

void store_names_release(struct store_names *names);
#define _store_names_ _cleanup_(store_names_release)

_must_check_ int store_names(struct store *s, enum store_what what, const struct store_filter *f,
			     struct store_names *out, struct err *e);

/* At most @max of them that are nearest to @text, best first: for "no such label, but ...". */
_must_check_ int store_near(struct store *s, enum store_what what, const char *text,
			    size_t max, struct store_names *out, struct err *e);
