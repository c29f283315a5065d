/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The plan: all that an agent is told about one run.  It is a record
 * (base/record.h), so that it can be read, kept and sent as plain text:
 *
 *	version 1
 *	test mprotect-toggle		the name in metrics
 *	program /path/of/the/executable
 *	arg --fast			an argument of the program; one line each
 *	param size=64M			an environment variable; one line each
 *	env LKP_SRC=/srv/lkp		further environment; replaces what the agent sets
 *	deadline_secs 600		then TERM to the whole tree; 0 is none
 *	grace_secs 5			then KILL
 *	out_max_bytes 268435456		of stdout and stderr each; more fails the run
 *	set thp_enabled=never		a setting of the machine for this run
 *	monitor proc-vmstat interval_secs=1
 *	job {"test":...}		the job's canonical text; only carried along
 *
 * An unknown key is an error: an agent that is older than its krobot must not
 * leave out what it does not know.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

#define PLAN_VERSION		1
#define PLAN_GRACE_SECS		5
#define PLAN_OUT_MAX_BYTES	(256ULL << 20)

struct plan_list {
	char **v;
	size_t n;
};

struct plan_monitor {
	char *name;
	uint64_t interval_ns;
};

struct plan {
	char *test, *program;		/* both must be there */
	char *job;			/* NULL if not given */
	struct plan_list args, params, env, set;	/* the last three "name=value" */
	struct plan_monitor *monitors;
	size_t n_monitors;
	uint64_t deadline_secs, grace_secs;
	uint64_t out_max_bytes;
};

/* A plan with nothing in it but the defaults. */
void plan_init(struct plan *p);

/* Adds a copy of @value. */
void plan_list_add(struct plan_list *l, const char *value);
void plan_list_addf(struct plan_list *l, const char *fmt, ...) _printf_(2, 3);
void plan_monitor_add(struct plan *p, const char *name, uint64_t interval_ns);

/*
 * @p is filled also where reading fails, and is released either way.
 * @dir is a folder's descriptor or AT_FDCWD.
 */
_must_check_ int plan_read(struct plan *p, int dir, const char *path, struct err *e);
_must_check_ int plan_parse(struct plan *p, const char *text, size_t n, const char *name,
			    struct err *e);
_must_check_ int plan_write(const struct plan *p, int dir, const char *path, struct err *e);

void plan_release(struct plan *p);
#define _plan_ _cleanup_(plan_release)
