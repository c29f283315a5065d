/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <jansson.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>

#include "base/file.h"
#include "base/log.h"
#include "base/proc.h"
#include "base/value.h"
#include "flow/describe.h"
#include "flow/import.h"
#include "flow/order.h"
#include "flow/origin.h"
#include "flow/parse.h"
#include "flow/session.h"
#include "job/job.h"
#include "job/needs.h"
#include "run/plan.h"
#include "run/result.h"
#include "store/store.h"
#include "target/target.h"

/* A test that says nothing of its length gets this long. */
#define DEADLINE_UNKNOWN_SECS	3600
#define RUNS_MAX		100000
#define NAME_MAX_BYTES		180

/* A job with what is the same for all of its runs. */
struct item {
	const struct job *job;
	const char *label;
	const struct program *test, *parser;
	const struct program_description *description;	/* NULL: none */
	char *hash;
	struct text skip;	/* why it cannot run here; empty: it can */
};

struct session {
	const struct place *place;
	const struct session_opts *o;
	struct job_roots roots;
	struct job_host host;
	struct job_list jobs;
	struct item *item;
	size_t n_items;
	struct store *store;
	struct target target;
	char *id;
	json_t *report;
	enum session_answer worst;
	unsigned int ok;
};

static void session_release(struct session *s)
{
	for (size_t i = 0; i < s->n_items; i++) {
		free(s->item[i].hash);
		text_release(&s->item[i].skip);
	}
	free(s->item);
	job_list_release(&s->jobs);
	job_host_release(&s->host);
	job_roots_release(&s->roots);
	store_free(s->store);
	target_release(&s->target);
	free(s->id);
	json_decref(s->report);
}

static bool in_path(const char *name, void *arg)
{
	_free_ char *path = text_copy(getenv("PATH"));
	char *save = NULL;

	for (char *d = strtok_r(path, ":", &save); d; d = strtok_r(NULL, ":", &save)) {
		_free_ char *file = path_join(d, name);

		if (access(file, X_OK) == 0)
			return true;
	}
	return false;
}

/* MemAvailable, in bytes; 0 if the kernel does not tell. */
static uint64_t memory_free(void)
{
	_text_ struct text t = {};
	unsigned long long kib;
	struct err e = {};
	const char *at;

	if (file_read(AT_FDCWD, "/proc/meminfo", 65536, &t, &e) < 0)
		return 0;
	at = strstr(text_str(&t), "MemAvailable:");
	return at && sscanf(at, "MemAvailable: %llu kB", &kib) == 1 ? kib << 10 : 0;
}

static uint64_t disk_free(const char *path)
{
	struct statvfs st;

	return statvfs(path, &st) < 0 ? 0 : (uint64_t)st.f_bavail * st.f_frsize;
}

/* The bytes that ran are part of what is compared: two builds of a test are two tests. */
static int hash_program(const char *path, char **out, struct err *e)
{
	_proc_ struct proc p = { .argv = ARGV("sha256sum", "--", path) };
	int r = proc_ok(&p, e);

	if (r < 0)
		return err_in(e, "hashing %s", path);
	/* A name with a backslash makes sha256sum put one in front of the line. */
	*out = text_format("%.64s", text_str(&p.out) + (*text_str(&p.out) == '\\'));
	return 0;
}

static int item_prepare(struct session *s, struct item *it, struct err *e)
{
	struct needs_facts facts = {
		.host = &s->host, .memory_free = memory_free(),
		.disk_free = disk_free(s->place->results), .has_program = in_path,
	};
	int r;

	if ((r = program_find(&s->roots, PROGRAM_TEST, it->job->test, &it->test, e)) < 0)
		return r;
	if (!r) {
		text_printf(&it->skip, "no program '%s' in KROBOT_PATH", it->job->test);
		return 0;
	}
	if ((r = program_find(&s->roots, PROGRAM_PARSER, it->job->test, &it->parser, e)) < 0 ||
	    (r = program_describe(&s->roots, it->test, &it->description, e)) < 0 ||
	    (r = hash_program(it->test->path, &it->hash, e)) < 0)
		return r;
	job_needs_check(it->job, it->description, &facts, &it->skip);
	return 0;
}

static int expand_files(struct session *s, struct err *e)
{
	_free_ struct job_param *set = mem_zero(s->o->set->n, sizeof(*set));
	struct job_options opts = { .roots = &s->roots, .host = &s->host, .set = set,
				    .n_set = s->o->set->n };
	int r = 0;

	for (size_t i = 0; i < s->o->set->n; i++) {
		char *key = text_copy(s->o->set->v[i]), *eq = strchr(key, '=');

		if (!eq || eq == key)
			r = err_set(e, EINVAL, "--set: '%s' is not key=value", key);
		else
			*eq++ = '\0';
		set[i] = (struct job_param){ key, eq };
	}
	for (size_t i = 0; i < s->o->n_files && r >= 0; i++)
		r = job_expand(s->o->file[i], &opts, &s->jobs, e);
	for (size_t i = 0; i < s->o->set->n; i++)
		free((char *)set[i].key);
	if (r >= 0 && !s->jobs.n)
		r = err_set(e, ENOENT, "the job files give no job");
	return r;
}

static int make_items(struct session *s, struct err *e)
{
	const struct opt_list none = { { "" }, 1 };
	const struct opt_list *labels = s->o->labels->n ? s->o->labels : &none;
	int r;

	s->item = mem_zero(s->jobs.n * labels->n, sizeof(*s->item));
	for (size_t i = 0; i < s->jobs.n; i++) {
		for (size_t k = 0; k < labels->n; k++) {
			struct item *it = &s->item[s->n_items++];

			it->job = s->jobs.job[i];
			it->label = labels->v[k];
			if ((r = item_prepare(s, it, e)) < 0)
				return r;
		}
	}
	return 0;
}

static int session_open(struct session *s, struct err *e)
{
	int r;

	s->id = place_session();
	s->report = json_array();
	s->worst = SESSION_OK;
	if ((r = job_roots_open(&s->roots, getenv("KROBOT_PATH"), true, e)) < 0 ||
	    (r = job_host_here(&s->host, "", e)) < 0 || (r = expand_files(s, e)) < 0 ||
	    (r = make_items(s, e)) < 0)
		return r;
	if (s->o->dry_run)
		return 0;
	if ((r = store_open(&s->store, s->place->db, e)) < 0 ||
	    (r = target_local(&s->target, s->place->bin, s->place->state, e)) < 0 ||
	    (r = target_boot(&s->target, e)) < 0)
		return r;
	return 0;
}

static uint64_t deadline_of(const struct session *s, const struct item *it)
{
	if (s->o->timeout_secs)
		return s->o->timeout_secs;
	if (it->job->deadline_secs)
		return it->job->deadline_secs;
	return it->job->runtime_secs ? 3 * it->job->runtime_secs + 300 : DEADLINE_UNKNOWN_SECS;
}

/* A root in one of LKP's layouts: its scripts look for their helpers there. */
static const char *lkp_root(const struct session *s, const struct program *p)
{
	const char *root = s->roots.path[p->root];
	_free_ char *lib = path_join(root, "lib");

	return access(lib, F_OK) == 0 ? root : NULL;
}

static int write_plan(const struct session *s, const struct item *it, int dir, struct err *e)
{
	const char *lkp = lkp_root(s, it->test);
	_plan_ struct plan p;

	plan_init(&p);
	p.test = text_copy(it->job->test);
	p.program = text_copy(it->test->path);
	p.job = text_copy(it->job->canonical);
	p.deadline_secs = deadline_of(s, it);
	for (size_t i = 0; i < it->job->env.n; i++) {
		const struct job_param *v = &it->job->env.v[i];

		plan_list_addf(&p.params, "%s=%s", v->key, v->value ? v->value : "");
	}
	if (lkp)
		plan_list_addf(&p.env, "LKP_SRC=%s", lkp);
	return plan_write(&p, dir, RESULT_PLAN, e);
}

static int write_origin(const struct session *s, const struct item *it, size_t position, int dir,
			struct err *e)
{
	_origin_ struct origin o = {
		.uuid = text_format("%s-%04zu-%s", s->id, position, s->host.name),
		.session = text_copy(s->id), .position = position, .label = text_copy(it->label),
		.job_name = text_copy(it->job->name), .job = text_copy(it->job->canonical),
		.test = text_copy(it->job->test), .program_hash = text_copy(it->hash),
		.mode = text_copy("host"),
	};

	return origin_write(&o, dir, e);
}

static int make_folder(const struct session *s, const struct item *it, size_t position,
		       char **dir, struct err *e)
{
	_close_ int fd = -1;
	int r;

	*dir = text_format("%s/%.*s/%s-%04zu", s->place->results, NAME_MAX_BYTES, it->job->name,
			   s->id, position);
	if ((r = dir_make(*dir, e)) < 0)
		return r;
	fd = open(*dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return err_sys(e, "%s", *dir);
	if (it->test && (r = write_plan(s, it, fd, e)) < 0)
		return r;
	if ((r = description_write(it->description, it->job->test, fd, DESCRIBE_FILE, e)) < 0)
		return r;
	return write_origin(s, it, position, fd, e);
}

static int write_skip(const char *dir, const struct item *it, struct err *e)
{
	_close_ int fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	_result_exit_ struct result_exit x;

	if (fd < 0)
		return err_sys(e, "%s", dir);
	result_exit_init(&x);
	x.state = RUN_SKIPPED;
	x.reason = text_copy(text_str(&it->skip));
	return result_exit_write(&x, fd, e);
}

static int run_test(const struct session *s, const struct item *it, const char *dir,
		    struct err *e)
{
	_free_ char *plan = path_join(dir, RESULT_PLAN);
	_close_ int fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	_result_exit_ struct result_exit x;
	int r;

	result_exit_init(&x);
	if (fd < 0)
		return err_sys(e, "%s", dir);
	if ((r = target_run(&s->target, plan, dir, e)) < 0 ||
	    (r = result_exit_read(&x, fd, e)) < 0)
		return r;
	if (x.state != RUN_OK && x.state != RUN_INVALID)
		return 0;
	return parse_folder(dir, it->job->test, it->parser ? it->parser->path : NULL,
			    it->parser ? lkp_root(s, it->parser) : NULL, e);
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

/* "iteration_ns_per_page 68.9 ns": the mean of each headline metric. */
static int put_headlines(struct session *s, struct store_rows *rows, struct text *out,
			 json_t *json, struct err *e)
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
		text_printf(out, "  %s %.6g%s%s", dot ? dot + 1 : m.row[i].name, sum,
			    m.row[i].unit ? " " : "", m.row[i].unit ? m.row[i].unit : "");
		json_object_set_new(json, m.row[i].name, json_real(sum));
	}
	return 0;
}

static int report(struct session *s, const struct item *it, const char *dir, int64_t id,
		  size_t k, size_t n, struct err *e)
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
	s->ok += answer == SESSION_OK;
	text_put_visible(&reason, rows.row[0].reason, strlen(rows.row[0].reason), true);
	if ((r = put_headlines(s, &rows, &headlines, values, e)) < 0)
		goto out;
	text_printf(&line, "[%zu/%zu] %s%s%s: %s%s%s%s%s", k + 1, n, it->job->name,
		    *it->label ? " " : "", it->label, rows.row[0].state,
		    *rows.row[0].reason ? " (" : "", text_str(&reason),
		    *rows.row[0].reason ? ")" : "", text_str(&headlines));
	if (!s->o->json) {
		log_progress_end();
		printf("%s\n", text_str(&line));
		fflush(stdout);
	}
	if (answer < SESSION_SKIPPED)
		show_last_words(dir);
	entry = json_pack("{s:I,s:s,s:s,s:s,s:s,s:s,s:O}", "run", (json_int_t)id,
			  "job", it->job->name, "label", it->label, "state", rows.row[0].state,
			  "reason", text_str(&reason), "folder", dir, "headline", values);
	if (entry)
		json_array_append_new(s->report, entry);
out:
	json_decref(values);
	return r < 0 ? r : 0;
}

static int run_one(struct session *s, const struct item *it, size_t k, size_t n, struct err *e)
{
	_free_ char *dir = NULL;
	struct err lost = {};
	int64_t id;
	int r;

	if ((r = make_folder(s, it, k, &dir, e)) < 0)
		return r;
	r = it->skip.len ? write_skip(dir, it, &lost) : run_test(s, it, dir, &lost);
	if (r == -ECANCELED || r == -EINTR)
		return err_set(e, -r, "%s", lost.text);
	if (r < 0)
		log_line("%s: %s", it->job->name, lost.text);
	if ((r = import_folder(s->store, dir, true, &id, e)) < 0)
		return r;
	return report(s, it, dir, id, k, n, e);
}

static void print_dry(const struct session *s)
{
	for (size_t i = 0; i < s->n_items; i++) {
		const struct item *it = &s->item[i];
		uint64_t bytes = job_needs_memory(it->job, it->description, &s->host);

		printf("%s%s%s", it->job->name, *it->label ? " " : "", it->label);
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

static enum session_answer session_answer(const struct session *s)
{
	/* Some skipped and the rest well is well; all skipped is not. */
	return s->worst == SESSION_SKIPPED && s->ok ? SESSION_OK : s->worst;
}

int session_run(const struct place *place, const struct session_opts *o, struct err *e)
{
	_cleanup_(session_release) struct session s = { .place = place, .o = o };
	_free_ size_t *order = NULL;
	size_t n;
	int r;

	if (!o->runs || o->runs > RUNS_MAX)
		return err_set(e, EINVAL, "between 1 and %d runs", RUNS_MAX);
	if ((r = session_open(&s, e)) < 0)
		return r;
	if (o->dry_run) {
		print_dry(&s);
		return SESSION_OK;
	}
	n = s.n_items * o->runs;
	order = mem_zero(n, sizeof(*order));
	order_fill(s.n_items, o->runs, order);
	for (size_t k = 0; k < n; k++) {
		log_progress("runs", (unsigned int)k, (unsigned int)n);
		if ((r = run_one(&s, &s.item[order[k]], k, n, e)) < 0)
			return r;
	}
	log_progress_end();
	if (o->json && (json_dumpf(s.report, stdout, JSON_INDENT(2)) < 0 || puts("") < 0))
		return err_set(e, EIO, "writing the output");
	return session_answer(&s);
}
