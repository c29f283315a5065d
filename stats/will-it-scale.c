/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * CSV of runtest.py, one row a number of tasks:
 *
 *	tasks,processes,processes_idle,threads,threads_idle,linear
 *	104,1200363,0.04,0,0.00,0
 *
 * What was not run stands there as 0; our own mode makes null of it.
 */
#include <math.h>
#include <string.h>

#include "parser/parse.h"

#define COLUMNS 6

struct row {
	double tasks, processes, threads;
};

struct state {
	char column[COLUMNS][24];	/* from the header */
	size_t n_columns;
	struct row first, last;
	size_t n;
};

static int header(struct state *s, const struct span *f, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (!f[i].n || f[i].n >= sizeof(s->column[i]))
			return LINE_UNKNOWN;
		memcpy(s->column[i], f[i].p, f[i].n);
		s->column[i][f[i].n] = '\0';
	}
	s->n_columns = n;
	return LINE_KNOWN;
}

static int scale_line(struct parse *p, char *line, struct err *e)
{
	struct state *s = p->state;
	struct span f[COLUMNS];
	size_t n = split_at(line, ',', f, COLUMNS);
	struct row r = {};

	if (n > 1 && span_is(f[0], "tasks"))
		return header(s, f, n);
	if (!s->n_columns || n != s->n_columns || !span_number(f[0], &r.tasks))
		return LINE_UNKNOWN;
	if (r.tasks == 0)
		return LINE_KNOWN;
	for (size_t i = 1; i < n; i++) {
		double v;

		if (!span_number(f[i], &v))
			return LINE_UNKNOWN;
		if (!strcmp(s->column[i], "processes"))
			r.processes = v;
		if (!strcmp(s->column[i], "threads"))
			r.threads = v;
	}
	for (size_t i = 1; i < n; i++)
		emit_as(p, f[i], "%.*s.%s", SPANF(f[0]), s->column[i]);
	if (!s->n++)
		s->first = r;
	s->last = r;
	return LINE_KNOWN;
}

static void per_task(struct parse *p, double ops, double tasks, const char *name)
{
	if (p->lkp)
		emit_number(p, trunc(ops / tasks), "%s", name);
	else if (ops > 0)
		emit_number(p, ops / tasks, "%s", name);
	else
		emit_null(p, "this mode was not run", "%s", name);
}

static int scale_end(struct parse *p, struct err *e)
{
	struct state *s = p->state;
	const struct row *a = &s->first, *b = &s->last;

	if (!s->n)
		return 0;
	per_task(p, b->processes, b->tasks, "per_process_ops");
	per_task(p, b->threads, b->tasks, "per_thread_ops");
	if (a->tasks == 1 && b->tasks > 1 && a->processes > 0)
		emit_float(p, b->processes / b->tasks / a->processes, "scalability");
	if (!p->lkp && b->processes + b->threads == 0)
		emit_invalid(p, "no operation was done");
	else
		emit_number(p, b->processes + b->threads, "workload");
	return 0;
}

PARSER(will_it_scale) = {
	.name = "will-it-scale", .state_size = sizeof(struct state), .line = scale_line,
	.end = scale_end, .expects = "CSV that begins with 'tasks,processes'",
};
