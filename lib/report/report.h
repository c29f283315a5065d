/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The text of a report: what a maintainer reads.  Its first five lines answer
 * which metric, how much, which commit, is it real, is it still there; the rest
 * is for who wants to know more.  At most ten rows and 8 KB; what is longer lies
 * in the report's folder.
 *
 * Pure: numbers and texts in, text out.  Texts may be hostile; they stay on
 * their line and are made visible.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/text.h"

#define REPORT_MAX_ROWS 10
#define REPORT_MAX_BYTES 8192

/* A mean of values per boot. */
struct report_side {
	double mean;
	double spread;		/* between boots, a share of the mean; < 0: one boot */
	bool absent;		/* this side has no such metric */
};

struct report_row {
	const char *metric;	/* full name */
	const char *unit;	/* NULL: not known */
	const char *better;	/* "higher", "lower", or NULL */
	struct report_side base, head;
	bool absolute;		/* the base is near zero: a difference, not a share */
	double change;		/* share (-0.034), or the difference if @absolute */
	double low, high;	/* its 95 % interval; low > high: none */
};

struct report_param {
	const char *name, *value;
};

struct report {
	struct {
		const char *name, *branch;	/* NULL: not known */
		const char *url;
	} tree;
	struct {
		const char *id, *subject;	/* full hash */
		const char *parent, *parent_subject;
		bool posted;			/* a patch from a mail, not merged */
	} commit;
	const char *const *files;		/* touched by the commit */
	size_t n_files;

	const char *test, *about;		/* about: one sentence of its description */
	struct report_row headline;
	const struct report_row *row;		/* others, regressions and improvements */
	size_t n_rows;

	struct {
		const char *name;
		const char *about;		/* "2 sockets, 64 CPUs, 256 GiB, model" */
		const char *mode;		/* "host", "kvm", "tcg" */
	} machine;
	unsigned int boots_base, boots_head, runs;	/* runs: in all */
	double drift;				/* between equal points, a share */
	double noise;				/* the floor here, a share; < 0: not known */
	enum { TIP_NOT_TESTED, TIP_STILL, TIP_GONE, TIP_UNTESTABLE } tip;
	const char *tip_id;
	struct {
		const char *name;		/* of the fix; NULL: none was tested */
		const char *word;		/* restores, partly, no effect, worse, unsure */
		double share, low, high;	/* 1: all of it */
	} recovery;
	const char *scope;			/* workload, size, pages ... */
	const char *not_shown;			/* what it does not show */

	const struct report_param *param;
	size_t n_params;
	const char *config, *compiler;
	const char *reproduce[3];		/* command lines; NULL: none */
	const char *folder;			/* path or URL with everything; NULL: none */

	const char *robot;			/* for Reported-by: "krobot <k@example.org>" */
	const char *contact;			/* a person: "Name <a@b>" */
	const char *message_id;			/* without < >; NULL: not mailed */
	const char *archive;			/* URL before the id in Closes; NULL: mid: */
	bool regzbot;				/* asks for "#regzbot introduced:" */
};

/* "regression", "improvement", or "change" where the direction is not known. */
const char *report_word(const struct report_row *row);

/* "-3.4%", "+0.52%", or a difference with its unit. */
void report_put_change(struct text *out, const struct report_row *row);

/*
 * The part of the kernel that most of these files are in, "mm", "ext4", "x86";
 * documentation and headers count only if there is nothing else.  Returns false
 * if there is none.
 */
bool report_put_subsystem(struct text *out, const char *const *files, size_t n);

/* "[tree:branch] [subsystem] 0123456789: test.metric -3.4% regression" */
void report_put_subject(struct text *out, const struct report *r);

enum report_style { REPORT_KROBOT, REPORT_LKP };

/* The body. REPORT_LKP has the order of parts that readers of LKP's mails know. */
void report_put_body(struct text *out, const struct report *r, enum report_style style);
