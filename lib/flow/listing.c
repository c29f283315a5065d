/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <inttypes.h>
#include <fcntl.h>
#include <jansson.h>
#include <math.h>
#include <string.h>

#include "flow/listing.h"
#include "flow/origin.h"
#include "metric/line.h"
#include "run/result.h"

static void json_freep(json_t **j)
{
	json_decref(*j);
}
#define _json_ _cleanup_(json_freep)

static void put_json(const json_t *j, struct text *out)
{
	_free_ char *s = json_dumps(j, JSON_INDENT(2) | JSON_REAL_PRECISION(17));

	if (!s)
		abort();
	text_puts(out, s);
	text_putc(out, '\n');
}

json_t *listing_json_text(const char *s)
{
	_text_ struct text t = {};

	if (!s)
		return json_null();
	text_put_visible(&t, s, strlen(s), false);
	return json_string(text_str(&t));
}

static double mean(const struct store_row *row)
{
	double sum = 0;

	for (size_t i = 0; i < row->n; i++)
		sum += row->value[i];
	return sum / (double)row->n;
}

static void put_value(const struct store_row *row, struct text *out)
{
	if (strcmp(row->state, "ok"))
		text_printf(out, " (%s)", row->state);
	else if (!row->n)
		text_puts(out, " (absent)");
	else
		text_printf(out, " %.6g", mean(row));
}

static bool same_line(const struct store_row *a, const struct store_row *b)
{
	return !strcmp(a->kernel, b->kernel) && !strcmp(a->label, b->label) &&
	       !strcmp(a->machine, b->machine);
}

static void put_lines(const struct store_rows *rows, struct text *out)
{
	_free_ bool *done = mem_zero(rows->n, sizeof(*done));

	for (size_t i = 0; i < rows->n; i++) {
		const struct store_row *first = &rows->row[i];

		if (done[i])
			continue;
		text_puts(out, "  ");
		text_put_visible(out, first->commit ? first->commit : first->kernel,
				 first->commit ? 12 : strlen(first->kernel), true);
		if (*first->label) {
			text_puts(out, " [");
			text_put_visible(out, first->label, strlen(first->label), true);
			text_puts(out, "]");
		}
		if (first->subject && *first->subject) {
			text_puts(out, " ");
			text_put_visible(out, first->subject, strnlen(first->subject, 60), true);
		}
		text_puts(out, ":");
		for (size_t k = i; k < rows->n; k++) {
			if (done[k] || !same_line(first, &rows->row[k]))
				continue;
			done[k] = true;
			put_value(&rows->row[k], out);
		}
		text_putc(out, '\n');
	}
}

static json_t *json_rows(const struct store_rows *rows, const char *job, const char *metric)
{
	json_t *list = json_array();

	for (size_t i = 0; i < rows->n; i++) {
		const struct store_row *r = &rows->row[i];
		json_t *values = json_array();

		for (size_t k = 0; k < r->n; k++)
			json_array_append_new(values, json_real(r->value[k]));
		json_array_append_new(list, json_pack(
			"{s:I,s:o,s:o,s:o,s:o,s:o,s:o,s:o,s:o,s:o,s:o}", "run", (json_int_t)r->id,
			"job", listing_json_text(job), "metric", listing_json_text(metric),
			"kernel", listing_json_text(r->kernel), "commit", listing_json_text(r->commit),
			"subject", listing_json_text(r->subject), "label", listing_json_text(r->label),
			"machine", listing_json_text(r->machine), "boot", listing_json_text(r->boot),
			"state", listing_json_text(r->state), "values", values));
	}
	return list;
}

/* Adds one job's and metric's listing to @out or to @all. */
static int one_metric(struct store *s, const struct listing_opts *o, const char *job,
		      const char *metric, const char *unit, json_t *all, struct text *out,
		      struct err *e)
{
	_store_rows_ struct store_rows rows = {};
	struct store_filter f = o->filter;
	int r;

	f.job = job;
	if ((r = store_samples(s, &f, metric, &rows, e)) < 0)
		return r;
	if (o->json) {
		_json_ json_t *list = json_rows(&rows, job, metric);

		json_array_extend(all, list);
		return 0;
	}
	text_put_visible(out, job, strlen(job), true);
	text_printf(out, " %s%s%s\n", metric, unit ? ", " : "", unit ? unit : "");
	put_lines(&rows, out);
	return 0;
}

static int one_job(struct store *s, const struct listing_opts *o, const char *job, json_t *all,
		   struct text *out, struct err *e)
{
	_store_metrics_ struct store_metrics m = {};
	struct store_filter f = o->filter;
	int r, n = 0;

	f.job = job;
	if ((r = store_metrics(s, &f, &m, e)) < 0)
		return r;
	for (size_t i = 0; i < m.n; i++) {
		const char *name = m.row[i].name;
		bool wanted = o->metric ? !strcmp(name, o->metric) ||
					  (text_ends(name, o->metric) &&
					   name[strlen(name) - strlen(o->metric) - 1] == '.') :
					  m.row[i].headline;

		if (!wanted)
			continue;
		if ((r = one_metric(s, o, job, name, m.row[i].unit, all, out, e)) < 0)
			return r;
		n++;
	}
	return n;
}

int listing_near(struct store *s, enum store_what what, const char *what_word, const char *text,
		 struct text *out, struct err *e)
{
	_store_names_ struct store_names near = {};
	int r = store_near(s, what, text, 5, &near, e);

	if (r < 0)
		return r;
	text_printf(out, "no %s '", what_word);
	text_put_visible(out, text, strlen(text), true);
	text_puts(out, near.n ? "'; nearest:" : "'; there is none at all");
	for (size_t i = 0; i < near.n; i++) {
		text_puts(out, i ? ", " : " ");
		text_put_visible(out, near.row[i].name, strlen(near.row[i].name), true);
	}
	text_putc(out, '\n');
	return 0;
}

int listing_samples(const struct place *place, const struct listing_opts *o, struct text *out,
		    struct err *e)
{
	_store_names_ struct store_names jobs = {};
	_json_ json_t *all = json_array();
	_store_ struct store *s = NULL;
	int r, n = 0;

	if ((r = store_open(&s, place->db, e)) < 0 ||
	    (r = store_names(s, STORE_JOBS, &o->filter, &jobs, e)) < 0)
		return r;
	for (size_t i = 0; i < jobs.n; i++) {
		if ((r = one_job(s, o, jobs.row[i].name, all, out, e)) < 0)
			return r;
		n += r;
	}
	if (!n) {
		if (!jobs.n && o->filter.job)
			r = listing_near(s, STORE_JOBS, "job", o->filter.job, out, e);
		else
			text_printf(out, "no samples of %s match\n",
				    o->metric ? o->metric : "a headline metric");
		return r < 0 ? r : LISTING_NONE;
	}
	if (o->json)
		put_json(all, out);
	return LISTING_SOME;
}

/* "1" is the unit of what has none. */
static bool has_unit(const char *unit)
{
	return unit && *unit && strcmp(unit, "1");
}

static void put_field(struct text *out, const char *name, const char *value)
{
	if (!value || !*value)
		return;
	text_printf(out, "  %-9s ", name);
	text_put_visible(out, value, strlen(value), true);
	text_putc(out, '\n');
}

static void put_head(const struct store_row *row, struct text *out)
{
	text_printf(out, "run %" PRId64 "\n", row->id);
	put_field(out, "job", row->job);
	put_field(out, "state", row->state);
	put_field(out, "reason", row->reason);
	put_field(out, "label", row->label);
	put_field(out, "kernel", row->kernel);
	put_field(out, "subject", row->subject);
	put_field(out, "machine", row->machine);
	put_field(out, "boot", row->boot);
	put_field(out, "mode", row->mode);
	put_field(out, "program", row->program);
	put_field(out, "folder", row->dir);
	put_field(out, "params", row->params);
}

/* What only the run's folder knows, if it is still there. */
struct conditions {
	uint64_t busy_khz, steal_ns, wall_ns;	/* RESULT_ABSENT: not known */
	bool warmup;
	char *warmed;
};

static void conditions_read(struct conditions *c, const char *dir)
{
	_close_ int fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	_result_exit_ struct result_exit x;
	_origin_ struct origin o = {};
	struct err e = {};

	*c = (struct conditions){ RESULT_ABSENT, RESULT_ABSENT, RESULT_ABSENT, false, NULL };
	result_exit_init(&x);
	if (fd < 0 || result_exit_read(&x, fd, &e) < 0 || origin_read(&o, fd, &e) < 0)
		return;
	c->busy_khz = x.busy_khz;
	c->steal_ns = x.steal_ns;
	c->wall_ns = x.wall_ns;
	c->warmup = o.warmup;
	c->warmed = steal(o.warmed);
}

static void conditions_release(struct conditions *c)
{
	free(c->warmed);
}

static void put_conditions(const struct conditions *c, struct text *out)
{
	_text_ struct text clock = {}, taken = {};

	if (c->busy_khz != RESULT_ABSENT)
		text_printf(&clock, "%.0f MHz while busy", (double)c->busy_khz / 1e3);
	else
		text_puts(&clock, "not told by this machine");
	if (c->steal_ns != RESULT_ABSENT)
		text_printf(&taken, "%.3f s", (double)c->steal_ns / 1e9);
	else
		text_puts(&taken, "not told by this machine");
	if (c->steal_ns != RESULT_ABSENT && c->wall_ns != RESULT_ABSENT && c->wall_ns)
		text_printf(&taken, ", %.2f %% of one CPU",
			    100 * (double)c->steal_ns / (double)c->wall_ns);
	put_field(out, "warm-up", c->warmup ? "this run is warm-up and not judged" : c->warmed);
	put_field(out, "clock", text_str(&clock));
	put_field(out, "steal", text_str(&taken));
}

static json_t *json_number(uint64_t v)
{
	return v == RESULT_ABSENT ? json_null() : json_integer((json_int_t)v);
}

static void add_conditions(const struct conditions *c, json_t *head)
{
	json_object_set_new(head, "warmup", json_boolean(c->warmup));
	json_object_set_new(head, "warmed", listing_json_text(c->warmed));
	json_object_set_new(head, "busy_khz", json_number(c->busy_khz));
	json_object_set_new(head, "steal_ns", json_number(c->steal_ns));
}

static json_t *json_head(const struct store_row *row)
{
	return json_pack("{s:I,s:o,s:o,s:o,s:o,s:o,s:o,s:o,s:o,s:o,s:I,s:I}",
			 "run", (json_int_t)row->id, "job", listing_json_text(row->job),
			 "params", listing_json_text(row->params), "state", listing_json_text(row->state),
			 "reason", listing_json_text(row->reason), "label", listing_json_text(row->label),
			 "kernel", listing_json_text(row->kernel), "machine", listing_json_text(row->machine),
			 "boot", listing_json_text(row->boot), "folder", listing_json_text(row->dir),
			 "started_ns", (json_int_t)row->started_ns,
			 "ended_ns", (json_int_t)row->ended_ns);
}

int listing_run(const struct place *place, int64_t id, bool json, struct text *out, struct err *e)
{
	struct store_filter f = { .run = id, .profile = STORE_ALL_RUNS };
	_store_metrics_ struct store_metrics m = {};
	_store_rows_ struct store_rows rows = {};
	_json_ json_t *head = NULL, *values = json_object();
	_cleanup_(conditions_release) struct conditions c = {};
	_store_ struct store *s = NULL;
	int r;

	if ((r = store_open(&s, place->db, e)) < 0 || (r = store_runs(s, &f, &rows, e)) < 0 ||
	    (r = store_metrics(s, &f, &m, e)) < 0)
		return r;
	if (!rows.n) {
		text_printf(out, "no run %" PRId64 "\n", id);
		return LISTING_NONE;
	}
	conditions_read(&c, rows.row[0].dir);
	head = json_head(&rows.row[0]);
	add_conditions(&c, head);
	if (!json) {
		put_head(&rows.row[0], out);
		put_conditions(&c, out);
	}
	for (size_t i = 0; i < m.n; i++) {
		struct store_row *row = &rows.row[0];
		json_t *list = json_array();

		if ((r = store_load(s, &rows, m.row[i].name, e)) < 0)
			return r;
		if (!json)
			text_printf(out, "  %s:", m.row[i].name);
		for (size_t k = 0; k < row->n; k++) {
			json_array_append_new(list, json_real(row->value[k]));
			if (!json && k < 20)
				text_printf(out, " %.6g", row->value[k]);
		}
		if (!json && row->n > 20)
			text_printf(out, " ... (%zu)", row->n);
		if (!json && row->n_null)
			text_printf(out, " null (%s)", row->null_reason);
		if (!json)
			text_printf(out, "%s%s\n", has_unit(m.row[i].unit) ? " " : "",
				    has_unit(m.row[i].unit) ? m.row[i].unit : "");
		json_object_set_new(values, m.row[i].name, list);
	}
	if (json) {
		json_object_set(head, "metrics", values);
		put_json(head, out);
	}
	return LISTING_SOME;
}
