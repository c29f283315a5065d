/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A workload in C is one file in tests/ with one WORKLOAD(): tables of its
 * parameters and metrics, and run().  The frame's main() reads the parameters
 * (environment variables by plain name, or --name=value by hand), answers
 * --describe, and turns what run() returns into an exit status:
 *
 *	0		ok
 *	skip(e, ...)	it cannot run here: 77, the reason on the last line of stdout
 *	invalid(e, ...)	its own check failed: "krobot.invalid: 1 REASON", 1
 *	-errno		the machine failed it: the error on stderr, 1
 *
 * Results go out by metric().  A workload is static and must do with a bare
 * initramfs: what /proc or /sys do not have is not checked, never assumed.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"

enum param_kind {
	PARAM_SIZE,	/* uint64_t *, bytes */
	PARAM_TIME,	/* uint64_t *, seconds */
	PARAM_COUNT,	/* uint64_t * */
	PARAM_NUMBER,	/* double *, >= 0 */
	PARAM_TEXT,	/* const char **, "" is none */
	PARAM_CHOICE,	/* const char **, one of @choices */
};

struct param {
	const char *name;
	enum param_kind kind;
	void *value;
	const char *fallback;		/* the default, as one would write it */
	const char *help;
	uint64_t least;			/* SIZE, TIME, COUNT: smaller is refused */
	uint64_t most;			/* greater is refused; 0: any */
	const char *const *choices;	/* ends in NULL */
};

struct metric_decl {
	const char *name;	/* without the workload's name in front */
	const char *unit;
	const char *better;	/* "higher", "lower", "none" */
	bool headline;		/* it decides; the others explain */
	bool optional;		/* not in every run */
	const char *meaning;
};

struct workload {
	const char *name;
	const char *about;		/* one sentence, quoted in reports */
	const char *kernel;		/* the kernel's functions that it exercises */
	const struct param *params;
	size_t n_params;
	const struct metric_decl *metrics;
	size_t n_metrics;
	uint64_t (*memory)(void);	/* bytes it will use; NULL: next to nothing */
	const char *needs_memory;	/* the same for --describe: a size or a parameter's name */
	int (*run)(struct err *e);
};

extern const struct workload workload;

#define WORKLOAD(...) const struct workload workload = { __VA_ARGS__ }
#define PARAMS(p)	.params = (p), .n_params = COUNT(p)
#define METRICS(m)	.metrics = (m), .n_metrics = COUNT(m)

/*
 * One sample; a name again is a further one of its series.  A name that is not
 * declared, or a value that is no number, is a bug of the workload.
 */
void metric(const char *name, double value);

/* The mean under @name, the standard deviation over the mean under NAME_spread%. */
void metric_series(const char *name, const double *v, size_t n);

/* What err.code is after these two: no errno of the kernel's. */
#define WORKLOAD_SKIP		4001
#define WORKLOAD_INVALID	4002
int skip(struct err *e, const char *fmt, ...) _printf_(2, 3);
int invalid(struct err *e, const char *fmt, ...) _printf_(2, 3);

/* A line of /proc/meminfo ("MemTotal"), bytes; 0 if the kernel does not tell. */
uint64_t memory_of(const char *what);

/* Median, by sorting @v in place. NaN if there are none. */
double median_of(double *v, size_t n);
