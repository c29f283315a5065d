/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fio --output-format=json, with messages in front.  LKP takes the first job,
 * calls nanoseconds of submission "us", and reads the result root, where several
 * instances leave fio.output.N: their sum or mean first, then each.
 *
 * Our own mode takes every job; several are told apart by their names, and are
 * never pooled.  A direction that did nothing is left out, not zero.
 */
#include <dirent.h>
#include <fcntl.h>
#include <string.h>

#include "base/file.h"
#include "parser/json.h"

struct figure {
	char *name;
	double value;
	bool whole;		/* an integer in the JSON */
};

struct figures {
	struct figure *v;
	size_t n;
};

static void figures_clear(struct figures *f)
{
	for (size_t i = 0; i < f->n; i++)
		free(f->v[i].name);
	free(f->v);
	*f = (struct figures){};
}

static void figure_add(struct figures *f, char *name, double value, bool whole)
{
	GROW(f->v, f->n);
	f->v[f->n++] = (struct figure){ name, value, whole };
}

static void figure_json(struct figures *f, const json_t *v, double factor, char *name)
{
	if (json_is_number(v))
		figure_add(f, name, json_number_value(v) * factor,
			   json_is_integer(v) && factor == 1);
	else
		free(name);
}

/* "90.000000" is 90; NULL for percentiles that are not printed. */
static const char *percentile(const char *key, bool lkp)
{
	static const char *const known[][2] = {
		{ "90.000000", "90" }, { "95.000000", "95" }, { "99.000000", "99" },
		{ "99.900000", "99.9" }, { "99.990000", "99.99" },
	};

	for (size_t i = 0; i < (lkp ? 3 : COUNT(known)); i++)
		if (!strcmp(key, known[i][0]))
			return known[i][1];
	return NULL;
}

/* Before version 3 fio counted in microseconds. */
static const json_t *latency(const json_t *op, const char *ns, const char *us, double *factor)
{
	const json_t *v = json_object_get(op, ns);

	*factor = 1;
	if (v)
		return v;
	*factor = 1000;
	return json_object_get(op, us);
}

static void latencies(struct figures *f, const json_t *op, const char *dir, bool lkp)
{
	double cf, sf;
	const json_t *c = latency(op, "clat_ns", "clat", &cf);
	const json_t *s = latency(op, "slat_ns", "slat", &sf);
	const char *ns = lkp ? "" : "_ns", *key;
	json_t *v;

	if (lkp)
		cf = sf = 1;
	figure_json(f, json_object_get(c, "mean"), cf, text_format("%s_clat_mean_ns", dir));
	figure_json(f, json_object_get(c, "stddev"), cf, text_format("%s_clat_stddev%s", dir, ns));
	json_object_foreach(json_object_get(c, "percentile"), key, v) {
		const char *name = percentile(key, lkp);

		if (name)
			figure_json(f, v, cf, text_format("%s_clat_%s%%_ns", dir, name));
	}
	figure_json(f, json_object_get(s, "mean"), sf,
		    text_format("%s_slat_mean_%s", dir, lkp ? "us" : "ns"));
	figure_json(f, json_object_get(s, "stddev"), sf, text_format("%s_slat_stddev%s", dir, ns));
}

static void direction(struct figures *f, const json_t *job, const char *dir, bool lkp, double *ios)
{
	const json_t *op = json_object_get(job, dir);
	double n = json_number_value(json_object_get(op, "total_ios"));

	if (!op || (!lkp && !(n > 0)))
		return;
	*ios += n;
	figure_add(f, text_format("%s_bw_MBps", dir),
		   json_number_value(json_object_get(op, "bw")) / 1024, false);
	figure_json(f, json_object_get(op, "iops"), 1, text_format("%s_iops", dir));
	latencies(f, op, dir, lkp);
}

static void bands(struct figures *f, const json_t *job, const char *unit)
{
	_free_ char *name = text_format("latency_%s", unit);
	const char *key;
	json_t *v;

	json_object_foreach(json_object_get(job, name), key, v)
		figure_json(f, v, 1, text_format("latency_%s%s%%", key, unit));
}

static void job_figures(struct figures *f, const json_t *job, bool lkp)
{
	double ios = 0;

	direction(f, job, "read", lkp, &ios);
	direction(f, job, "write", lkp, &ios);
	if (!lkp)
		direction(f, job, "trim", lkp, &ios);
	bands(f, job, "us");
	bands(f, job, "ms");
	figure_add(f, text_copy("workload"), ios, true);
}

static void print(struct parse *p, const struct figures *f, const char *prefix, const char *suffix)
{
	for (size_t i = 0; i < f->n; i++) {
		if (f->v[i].whole)
			emit_number(p, f->v[i].value, "%s%s%s", prefix, f->v[i].name, suffix);
		else
			emit_float(p, f->v[i].value, "%s%s%s", prefix, f->v[i].name, suffix);
	}
}

static void job_own(struct parse *p, const json_t *job, size_t i, size_t n)
{
	_cleanup_(figures_clear) struct figures f = {};
	const char *name = json_string_value(json_object_get(job, "jobname"));
	json_int_t error = json_integer_value(json_object_get(job, "error"));
	_free_ char *prefix =
		n > 1 ? text_format("%s.%zu.", name ? name : "job", i) : text_copy("");

	if (error) {
		_free_ char *why = text_format("fio job %s ended with error %lld",
					       name ? name : "?", (long long)error);

		emit_invalid(p, why);
	}
	job_figures(&f, job, false);
	print(p, &f, prefix, "");
}

/* Figures of the first job into @f in LKP's mode, else all are printed. */
static int fio_json(struct parse *p, struct text *text, struct figures *f, struct err *e)
{
	size_t at = 0;
	int r;

	for (;;) {
		_json_ json_t *j = NULL;
		json_t *jobs;

		r = json_next(p, text, &at, &j, e);
		if (r <= 0)
			return r;
		jobs = json_object_get(j, "jobs");
		if (p->lkp && json_array_size(jobs)) {
			job_figures(f, json_array_get(jobs, 0), true);
			return 0;
		}
		for (size_t i = 0; i < json_array_size(jobs); i++)
			job_own(p, json_array_get(jobs, i), i, json_array_size(jobs));
	}
}

/* Sums what adds up over instances, means of the rest; as LKP does. */
static void print_combined(struct parse *p, const struct figures *inst, size_t n)
{
	for (size_t i = 0; i < inst[0].n; i++) {
		const struct figure *x = &inst[0].v[i];
		bool adds = text_ends(x->name, "_iops") || text_ends(x->name, "_bw_MBps") ||
			!strcmp(x->name, "workload"), whole = x->whole;
		double sum = 0, count = 0;

		for (size_t k = 0; k < n; k++) {
			for (size_t m = 0; m < inst[k].n; m++) {
				if (strcmp(inst[k].v[m].name, x->name))
					continue;
				sum += inst[k].v[m].value;
				whole = whole && inst[k].v[m].whole;
				count++;
			}
		}
		if (adds && whole)
			emit_number(p, sum, "%s", x->name);
		else
			emit_float(p, adds ? sum : sum / count, "%s", x->name);
	}
}

#define INSTANCES_MAX 64

static int is_instance(const struct dirent *d)
{
	return text_starts(d->d_name, "fio.output.") && d->d_name[11] >= '0' &&
	       d->d_name[11] <= '9';
}

static int by_number(const struct dirent **a, const struct dirent **b)
{
	return atoi((*a)->d_name + 11) - atoi((*b)->d_name + 11);
}

static int read_file(struct parse *p, const char *path, struct figures *f, struct err *e)
{
	_text_ struct text t = {};
	int r = file_read(AT_FDCWD, path, INPUT_TEXT_MAX, &t, e);

	return r < 0 ? r : fio_json(p, &t, f, e);
}

/* Instances are told apart by their numbers; only LKP adds them up. */
static int instances(struct parse *p, struct dirent **list, size_t n, struct err *e)
{
	struct figures *inst = mem_zero(n, sizeof(*inst));
	int r = 0;

	for (size_t i = 0; i < n && r >= 0; i++) {
		_free_ char *path = path_join(p->root, list[i]->d_name);
		_free_ char *suffix = text_format(".instance%d", atoi(list[i]->d_name + 11));

		if (p->lkp) {
			r = read_file(p, path, &inst[i], e);
		} else {
			_text_ struct text t = {};
			_json_ json_t *j = NULL;
			size_t at = 0;

			r = file_read(AT_FDCWD, path, INPUT_TEXT_MAX, &t, e);
			if (r >= 0)
				r = json_next(p, &t, &at, &j, e);
			if (r > 0)
				job_figures(&inst[i], json_array_get(json_object_get(j, "jobs"), 0),
					    false);
			print(p, &inst[i], "", suffix);
		}
	}
	if (r >= 0 && p->lkp && n)
		print_combined(p, inst, n);
	for (size_t i = 0; i < n; i++) {
		_free_ char *suffix = text_format(".instance%d", atoi(list[i]->d_name + 11));

		if (r >= 0 && p->lkp)
			print(p, &inst[i], "", suffix);
		figures_clear(&inst[i]);
	}
	free(inst);
	return r < 0 ? r : 0;
}

static int fio_folder(struct parse *p, struct err *e)
{
	_cleanup_(figures_clear) struct figures f = {};
	_free_ char *single = path_join(p->root, "fio.output");
	struct dirent **list;
	int n, r;

	if (access(single, R_OK) == 0) {
		r = read_file(p, single, &f, e);
		print(p, &f, "", "");
		return r;
	}
	n = scandir(p->root, &list, is_instance, by_number);
	if (n < 0)
		return 0;
	r = instances(p, list, n < INSTANCES_MAX ? (size_t)n : INSTANCES_MAX, e);
	for (int i = 0; i < n; i++)
		free(list[i]);
	free(list);
	return r;
}

static int fio_text(struct parse *p, struct text *text, struct err *e)
{
	_cleanup_(figures_clear) struct figures f = {};
	int r = fio_json(p, text, &f, e);

	print(p, &f, "", "");
	if (r < 0 || p->n_emitted || !p->root)
		return r;
	return fio_folder(p, e);
}

PARSER(fio) = {
	.name = "fio",
	.text = fio_text,
	.folder = true,
	.expects = "JSON of fio with an array 'jobs'",
};
