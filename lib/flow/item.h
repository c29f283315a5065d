/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Items: the jobs of a session, each under each label, ready to run: its
 * programs found, described and hashed, its needs checked.  And the way of one
 * run of an item, from the result folder to the store:
 *
 *	item_folder()	makes the folder with plan, origin and description
 *	...		a target runs the plan
 *	item_parse()	raw output to metrics
 *	item_store()	the folder to the store
 */
#pragma once

#include "base/err.h"
#include "base/opt.h"
#include "base/text.h"
#include "flow/place.h"
#include "job/job.h"
#include "store/store.h"

struct item {
	const struct job *job;
	const char *label;
	const struct program *test, *parser;	/* NULL: not found; parser: none needed */
	const struct program_description *description;	/* NULL: none */
	char *hash;		/* of the test's executable */
	struct text skip;	/* why it cannot run; empty: it can */
};

struct items {
	const struct place *place;
	struct job_roots roots;
	struct job_host host;	/* for which the jobs are expanded */
	struct job_list jobs;
	struct item *item;
	size_t n;
	char *session;		/* names the folders and rows of this session */
	uint64_t timeout_secs;	/* of a run; 0: from the job */
};

struct items_opts {
	const char *const *file;	/* job files */
	size_t n_files;
	const struct opt_list *labels;	/* may be empty: one label "" */
	const struct opt_list *set;	/* "key=value" */
	uint64_t timeout_secs;
	const struct job_host *host;	/* NULL: this machine */
};

/*
 * What an item's run is of. {}: this host as it is, measured.  Monitors cost the
 * test something, so a run that has them only explains and is never judged.
 */
struct item_kernel {
	bool profile;			/* with the job's monitors */
	bool warmup;			/* before the measured ones */
	const char *warmed;		/* how these ended: flow/origin.h */
	const char *mode, *label;	/* NULL: host, the item's label */
	const char *kernel, *commit, *subject, *config, *compiler;
	uint64_t committed_secs;
};

/* @it is to be released either way. ENOENT: the files give no job. */
_must_check_ int items_open(struct items *its, const struct place *place,
			    const struct items_opts *o, struct err *e);
void items_release(struct items *its);
#define _items_ _cleanup_(items_release)

/* Whether the job names monitors that the agent knows, by itself or by its category. */
bool item_has_monitors(const struct item *it, bool by_default);

/* Makes the folder of one run; its path is handed on. */
_must_check_ int item_folder(const struct items *its, const struct item *it, size_t position,
			     const struct item_kernel *k, char **dir, struct err *e);

/* Writes the exit record of an item that is skipped. */
_must_check_ int item_skip(const struct item *it, const char *dir, struct err *e);

/* Parses what a finished run has printed, if it ended so that this makes sense. */
_must_check_ int item_parse(struct items *its, const struct item *it, const char *dir,
			    struct err *e);
