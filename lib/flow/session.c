/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/log.h"
#include "flow/import.h"
#include "flow/item.h"
#include "flow/listing.h"
#include "flow/order.h"
#include "flow/session.h"
#include "flow/warmup.h"
#include "job/needs.h"
#include "run/result.h"
#include "store/store.h"
#include "target/target.h"

#define RUNS_MAX 100000

struct session {
	const struct session_opts *o;
	struct items items;
	struct store *store;
	struct target target;
	json_t *report;
	enum session_answer worst;
	unsigned int ok;
	size_t position;	/* runs begun */
};

/* What is told of a run, and what it tells. */
struct lap {
	struct item_kernel of;
	size_t k, n;		/* "[k/n]"; n 0: of warm-up, where the number is open */
	double headline;	/* its first headline value; NAN: none */
	bool ok;
};

static void session_release(struct session *s)
{
	items_release(&s->items);
	store_free(s->store);
	target_release(&s->target);
	json_decref(s->report);
}

static int session_open(struct session *s, const struct place *place, struct err *e)
{
	const struct items_opts o = {
		.file = s->o->file, .n_files = s->o->n_files, .labels = s->o->labels,
		.set = s->o->set, .timeout_secs = s->o->timeout_secs,
	};
	int r;

	s->report = json_array();
	s->worst = SESSION_OK;
	if ((r = items_open(&s->items, place, &o, e)) < 0 || s->o->dry_run)
		return r;
	if ((r = store_open(&s->store, place->db, e)) < 0 ||
	    (r = target_local(&s->target, place->bin, place->state, e)) < 0)
		return r;
	return target_boot(&s->target, e);
}

static int run_test(struct session *s, const struct item *it, const char *dir,
		    struct err *e)
{
	_free_ char *plan = path_join(dir, RESULT_PLAN);
	int r = target_run(&s->target, plan, dir, e);

	return r < 0 ? r : item_parse(&s->items, it, dir, e);
}

/* Twenty lines from the end of what the test said on stderr. */
static void show_last_words(const char *dir)
{
	_free_ char *path = path_join(dir, RESULT_STDERR);
	_text_ struct text t = {}, shown = {};
	unsigned int lines = 0;
	struct err e = {};
	size_t at;

	if (file_read(AT_FDCWD, path, 1U << 30, &t, &e) < 0 || !t.len)
		return;
	for (at = t.len; at > 0 && t.len - at < 8192; at--)
		if (t.p[at - 1] == '\n' && at < t.len && ++lines == 20)
			break;
	text_put_visible(&shown, t.p + at, t.len - at, false);
	log_line("  its last words on stderr:\n%s", text_str(&shown));
}

static enum session_answer answer_of(const char *state)
{
	static const struct {
		const char *state;
		enum session_answer answer;
	} rows[] = {
		{ "ok", SESSION_OK }, { "skipped", SESSION_SKIPPED }, { "failed", SESSION_FAILED },
		{ "timeout", SESSION_FAILED }, { "invalid", SESSION_FAILED },
	};

	for (size_t i = 0; i < COUNT(rows); i++)
		if (!strcmp(rows[i].state, state))
			return rows[i].answer;
	return SESSION_TROUBLE;
}

/* "iteration_ns_per_page 68.9 ns": the mean of each headline metric; @first: of the first. */
static int put_headlines(struct session *s, struct store_rows *rows, struct text *out,
			 json_t *json, double *first, struct err *e)
{
	struct store_filter f = { .run = rows->row[0].id, .profile = STORE_ALL_RUNS };
	_store_metrics_ struct store_metrics m = {};
	int r;

	if ((r = store_metrics(s->store, &f, &m, e)) < 0)
		return r;
	for (size_t i = 0; i < m.n && m.row[i].headline; i++) {
		const char *dot = strchr(m.row[i].name, '.');
		double sum = 0;

		if ((r = store_load(s->store, rows, m.row[i].name, e)) < 0)
			return r;
		for (size_t k = 0; k < rows->row[0].n; k++)
			sum += rows->row[0].value[k];
		if (!rows->row[0].n)
			continue;
		sum /= (double)rows->row[0].n;
		if (isnan(*first))
			*first = sum;
		text_printf(out, "  %s %.6g%s%s", dot ? dot + 1 : m.row[i].name, sum,
			    m.row[i].unit ? " " : "", m.row[i].unit ? m.row[i].unit : "");
		json_object_set_new(json, m.row[i].name, json_real(sum));
	}
	return 0;
}

/* "JOB LABEL": both may hold what a terminal would obey. */
static void put_name(const struct item *it, struct text *out)
{
	text_put_visible(out, it->job->name, strlen(it->job->name), true);
	if (*it->label)
		text_putc(out, ' ');
	text_put_visible(out, it->label, strlen(it->label), true);
}

/* "[2/6] JOB LABEL" or "[warm-up 2] JOB LABEL" */
static void put_mark(const struct lap *lap, const struct item *it, struct text *out)
{
	if (lap->n)
		text_printf(out, "[%zu/%zu] ", lap->k + 1, lap->n);
	else
		text_printf(out, "[warm-up %zu] ", lap->k + 1);
	put_name(it, out);
	text_puts(out, lap->of.profile ? " (profile)" : "");
	if (lap->of.warmed && strcmp(lap->of.warmed, "steady"))
		text_printf(out, " (%s)", lap->of.warmed);
}

static int report(struct session *s, const struct item *it, const char *dir, int64_t id,
		  struct lap *lap, struct err *e)
{
	_store_rows_ struct store_rows rows = {};
	struct store_filter f = { .run = id, .profile = STORE_ALL_RUNS };
	json_t *values = json_object(), *entry;
	_text_ struct text line = {}, headlines = {}, reason = {};
	enum session_answer answer;
	int r;

	if ((r = store_runs(s->store, &f, &rows, e)) < 0)
		goto out;
	assert(rows.n == 1);
	answer = answer_of(rows.row[0].state);
	if (answer < s->worst)
		s->worst = answer;
	lap->ok = answer == SESSION_OK;
	s->ok += lap->ok;
	text_put_visible(&reason, rows.row[0].reason, strlen(rows.row[0].reason), true);
	if ((r = put_headlines(s, &rows, &headlines, values, &lap->headline, e)) < 0)
		goto out;
	put_mark(lap, it, &line);
	text_printf(&line, ": %s%s%s%s%s", rows.row[0].state,
		    *rows.row[0].reason ? " (" : "", text_str(&reason),
		    *rows.row[0].reason ? ")" : "", text_str(&headlines));
	if (!s->o->json) {
		log_progress_end();
		printf("%s\n", text_str(&line));
		fflush(stdout);
	}
	if (answer < SESSION_SKIPPED)
		show_last_words(dir);
	entry = json_pack("{s:I,s:o,s:o,s:s,s:o,s:o,s:b,s:O}", "run", (json_int_t)id,
			  "job", listing_json_text(it->job->name),
			  "label", listing_json_text(it->label), "state", rows.row[0].state,
			  "reason", listing_json_text(rows.row[0].reason),
			  "folder", listing_json_text(dir), "warmup", lap->of.warmup,
			  "headline", values);
	if (entry)
		json_array_append_new(s->report, entry);
out:
	json_decref(values);
	return r < 0 ? r : 0;
}

static int run_one(struct session *s, const struct item *it, struct lap *lap, struct err *e)
{
	_free_ char *dir = NULL;
	struct err lost = {};
	int64_t id;
	int r;

	lap->headline = NAN;
	if ((r = item_folder(&s->items, it, s->position++, &lap->of, &dir, e)) < 0)
		return r;
	r = it->skip.len ? item_skip(it, dir, &lost) : run_test(s, it, dir, &lost);
	if (r == -ECANCELED || r == -EINTR)
		return err_set(e, -r, "%s", lost.text);
	if (r < 0)
		log_line("%s: %s", it->job->name, lost.text);
	if ((r = import_folder(s->store, dir, true, &id, e)) < 0)
		return r;
	return report(s, it, dir, id, lap, e);
}

/*
 * The warm-up of one item. @warmed: NULL if none was asked for or a run of it
 * failed, else how it ended; a count that has no measure of it is neither.
 */
static int warm_up(struct session *s, const struct item *it, const char **warmed, struct err *e)
{
	_free_ double *value = NULL;
	uint64_t from = clock_raw_ns();
	struct warmup w;
	size_t n = 0;
	int r;

	*warmed = NULL;
	if ((r = warmup_parse(it->job->warmup, &w, e)) < 0 || it->skip.len)
		return r;
	value = mem_zero(w.runs, sizeof(*value));
	for (size_t k = 0; k < w.runs; k++) {
		struct lap lap = { .of = { .warmup = true }, .k = k };

		if (w.until_stable && clock_raw_ns() - from >= w.secs * 1000000000)
			break;
		log_progress("warm-up runs", (unsigned int)k, (unsigned int)w.runs);
		if ((r = run_one(s, it, &lap, e)) < 0 || !lap.ok)
			return r;
		if (!isnan(lap.headline))
			value[n++] = lap.headline;
		if (w.until_stable && warmup_is_steady(&w, value, n)) {
			*warmed = "steady";
			return 0;
		}
	}
	if (w.until_stable)
		*warmed = "unsteady";
	return 0;
}

/* All jobs before all measured runs: a warm-up is no part of the order of these. */
static int warm_up_all(struct session *s, const char **warmed, struct err *e)
{
	int r = 0;

	for (size_t i = 0; i < s->items.n && r >= 0; i++)
		r = warm_up(s, &s->items.item[i], &warmed[i], e);
	return r;
}

static int check_warmups(const struct session *s, struct err *e)
{
	struct warmup w;

	for (size_t i = 0; i < s->items.n; i++)
		if (warmup_parse(s->items.item[i].job->warmup, &w, e) < 0)
			return err_in(e, "%s", s->items.item[i].job->name);
	return 0;
}

static void print_dry(const struct session *s)
{
	for (size_t i = 0; i < s->items.n; i++) {
		const struct item *it = &s->items.item[i];
		uint64_t bytes = job_needs_memory(it->job, it->description, &s->items.host);
		_text_ struct text name = {};

		put_name(it, &name);
		printf("%s", text_str(&name));
		if (it->job->runtime_secs)
			printf(", %" PRIu64 " runs of %" PRIu64 " s", s->o->runs,
			       it->job->runtime_secs);
		else
			printf(", %" PRIu64 " runs of unknown time", s->o->runs);
		if (bytes)
			printf(", %" PRIu64 " MiB", (bytes + (1 << 20) - 1) >> 20);
		printf("%s%s\n", it->skip.len ? ": skipped: " : "", text_str(&it->skip));
	}
}

/* One run with monitors, if the job names some, or if it or the user asks for them. */
static bool is_profiled(const struct session *s, const struct item *it)
{
	const char *asked = job_get(it->job, "profile");
	bool all = s->o->profile || (asked && !strcmp(asked, "true"));

	return !it->skip.len && item_has_monitors(it, all);
}

static enum session_answer session_answer(const struct session *s)
{
	/* Some skipped and the rest well is well; all skipped is not. */
	return s->worst == SESSION_SKIPPED && s->ok ? SESSION_OK : s->worst;
}

int session_run(const struct place *place, const struct session_opts *o, struct err *e)
{
	_cleanup_(session_release) struct session s = { .o = o };
	_free_ const char **warmed = NULL;
	_free_ size_t *order = NULL;
	size_t n, k = 0;
	int r;

	if (!o->runs || o->runs > RUNS_MAX)
		return err_set(e, EINVAL, "between 1 and %d runs", RUNS_MAX);
	if ((r = session_open(&s, place, e)) < 0 || (r = check_warmups(&s, e)) < 0)
		return r;
	if (o->dry_run) {
		print_dry(&s);
		return SESSION_OK;
	}
	n = s.items.n * o->runs;
	order = mem_zero(n, sizeof(*order));
	order_fill(s.items.n, o->runs, order);
	for (size_t i = 0; i < s.items.n; i++)
		n += is_profiled(&s, &s.items.item[i]);
	warmed = mem_zero(s.items.n, sizeof(*warmed));
	if ((r = warm_up_all(&s, warmed, e)) < 0)
		return r;
	for (; k < s.items.n * o->runs; k++) {
		struct lap lap = { .of = { .warmed = warmed[order[k]] }, .k = k, .n = n };

		log_progress("runs", (unsigned int)k, (unsigned int)n);
		if ((r = run_one(&s, &s.items.item[order[k]], &lap, e)) < 0)
			return r;
	}
	/* What explains comes after what decides, so that it disturbs no measured run. */
	for (size_t i = 0; i < s.items.n; i++) {
		struct lap lap = { .of = { .profile = true }, .k = k, .n = n };

		if (!is_profiled(&s, &s.items.item[i]))
			continue;
		if ((r = run_one(&s, &s.items.item[i], &lap, e)) < 0)
			return r;
		k++;
	}
	log_progress_end();
	if (o->json && (json_dumpf(s.report, stdout, JSON_INDENT(2)) < 0 || puts("") < 0))
		return err_set(e, EIO, "writing the output");
	return session_answer(&s);
}
