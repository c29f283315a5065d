/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <string.h>
#include <sys/stat.h>

#include "base/file.h"
#include "base/log.h"
#include "base/record.h"
#include "flow/describe.h"
#include "flow/import.h"
#include "flow/origin.h"
#include "flow/parse.h"
#include "metric/dictionary.h"
#include "run/result.h"

#define DEPTH_MAX 12

/* All that is read of one folder, so that store_run can borrow from it. */
struct folder {
	struct origin origin;
	struct record facts, journal;
	struct result_exit exit;
	struct parsed parsed;
	struct description *description;
	struct store_metric *metric;
	size_t n_metrics;
	struct text machine, machine_name, environment;
	struct text reason;
};

static void folder_release(struct folder *f)
{
	origin_release(&f->origin);
	record_release(&f->facts);
	record_release(&f->journal);
	result_exit_release(&f->exit);
	parsed_release(&f->parsed);
	description_free(f->description);
	free(f->metric);
	text_release(&f->machine);
	text_release(&f->machine_name);
	text_release(&f->environment);
	text_release(&f->reason);
}

static const char *or_empty(const char *s)
{
	return s ? s : "";
}

/* The facts whose keys start so, as they stand: the same machine, the same text. */
static void put_facts(const struct record *facts, const char *prefix, struct text *out)
{
	for (size_t i = 0; i < facts->n; i++)
		if (text_starts(facts->line[i].key, prefix))
			record_put_line(out, facts->line[i].key, facts->line[i].value);
}

/*
 * "2s4n96c-256G-3fa2": sockets, nodes, CPUs, memory and a hash of all stable
 * facts.  A host's name would do for a lab; but it changes with the network, and
 * two copies of one container image have the same.
 */
static void name_machine(struct folder *f)
{
	static const struct {
		const char *key, *letter;
	} parts[] = {
		{ "machine.sockets", "s" }, { "machine.nodes", "n" }, { "machine.cpus", "c" },
		{ "machine.memory", "" },
	};
	uint32_t hash = 2166136261u;	/* FNV-1a (Fowler, Noll, Vo 1991) */

	for (size_t i = 0; i < f->machine.len; i++)
		hash = (hash ^ (unsigned char)f->machine.p[i]) * 16777619u;
	for (size_t i = 0; i < COUNT(parts); i++) {
		const char *value = record_get(&f->facts, parts[i].key);

		text_printf(&f->machine_name, "%s%.8s%s", i == COUNT(parts) - 1 ? "-" : "",
			    value ? value : "?", parts[i].letter);
	}
	text_printf(&f->machine_name, "-%04x", (hash ^ hash >> 16) & 0xffff);
}

static int64_t journal_ns(const struct record *journal, const char *key)
{
	struct err e = {};
	uint64_t ns;

	return record_get_u64(journal, key, &ns, &e) < 0 || ns > INT64_MAX ? 0 : (int64_t)ns;
}

/*
 * The state of the run as people see it: what the agent says, unless its
 * output shows that the number would mean nothing.
 */
static const char *state_of(struct folder *f)
{
	const char *state = run_state_name(f->exit.state);

	if (f->exit.reason)
		text_puts(&f->reason, f->exit.reason);
	if (f->exit.state != RUN_OK)
		return state;
	if (f->parsed.invalid) {
		text_puts(&f->reason, f->parsed.invalid);
		return run_state_name(RUN_INVALID);
	}
	if (f->parsed.failed) {
		text_puts(&f->reason, f->parsed.failed);
		return "unparsed";
	}
	for (size_t i = 0; i < f->parsed.n; i++) {
		const struct store_sample *s = &f->parsed.sample[i];

		/* A test that did nothing has measured nothing. */
		if (!s->reason && s->value == 0 && description_headline(f->description, s->metric)) {
			text_printf(&f->reason, "%s is zero", s->metric);
			return run_state_name(RUN_INVALID);
		}
	}
	return state;
}

/* What the test says of its metrics, and the dictionary of the others. */
static void describe_metrics(struct folder *f)
{
	const char *last = "";

	for (size_t i = 0; i < f->parsed.n; i++) {
		const char *name = f->parsed.sample[i].metric;
		struct store_metric m = { .name = name };

		if (!strcmp(name, last))
			continue;
		last = name;
		if (!description_metric(f->description, name, &m)) {
			const struct dictionary_entry *d = dictionary_find(name);

			if (!d)
				continue;
			m.unit = d->unit;
			m.better = metric_better_word(d->better);
			m.kind = metric_fold_word(d->fold);
			m.meaning = d->meaning;
			m.headline = d->role == ROLE_HEADLINE;
		}
		GROW(f->metric, f->n_metrics);
		f->metric[f->n_metrics++] = m;
	}
}

/* A file that a lost run never got to write is no error. */
static int read_if_there(struct record *r, int dir, const char *name, struct err *e)
{
	if (faccessat(dir, name, F_OK, 0) < 0)
		return 0;
	return record_read(r, dir, name, e);
}

/*
 * A run that ended has facts and a beginning.  Where they are lost, the folder is
 * damaged: to go on would invent a machine and a place in time.
 */
static int check_whole(const struct folder *f, struct err *e)
{
	if (f->exit.state == RUN_LOST || f->exit.state == RUN_SKIPPED)
		return 0;
	if (!f->facts.n)
		return err_set(e, EINVAL, RESULT_FACTS " is empty or missing");
	if (!record_get(&f->journal, "began"))
		return err_set(e, EINVAL, RESULT_JOURNAL " does not say when the run began");
	return 0;
}

static int folder_read(struct folder *f, const char *dir, struct err *e)
{
	_close_ int fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int r;

	result_exit_init(&f->exit);
	if (fd < 0)
		return err_sys(e, "%s", dir);
	if ((r = origin_read(&f->origin, fd, e)) < 0 ||
	    (r = result_exit_read(&f->exit, fd, e)) < 0 ||
	    (r = read_if_there(&f->facts, fd, RESULT_FACTS, e)) < 0 ||
	    (r = read_if_there(&f->journal, fd, RESULT_JOURNAL, e)) < 0 ||
	    (r = description_read(&f->description, fd, DESCRIBE_FILE, e)) < 0 ||
	    (r = parsed_read(&f->parsed, dir, e)) < 0)
		return err_in(e, "%s", dir);
	if ((r = check_whole(f, e)) < 0)
		return err_in(e, "%s", dir);
	put_facts(&f->facts, "machine.", &f->machine);
	put_facts(&f->facts, "env.", &f->environment);
	name_machine(f);
	describe_metrics(f);
	return 0;
}

static const char *fact(const struct folder *f, const char *key)
{
	return or_empty(record_get(&f->facts, key));
}

static struct store_run store_run_of(struct folder *f, const char *dir)
{
	const struct origin *o = &f->origin;
	const char *release = fact(f, "boot.kernel");
	const char *state = state_of(f);

	/* Only runs that are whole and valid have samples: the rest has a reason. */
	return (struct store_run){
		.kernel = { .name = o->kernel ? o->kernel : *release ? release : "unknown",
			    .commit = o->commit, .describe = release, .subject = o->subject,
			    .committed_secs = (int64_t)o->committed_secs },
		.build = { .config = or_empty(o->config),
			   .compiler = o->compiler ? o->compiler : fact(f, "boot.version") },
		.machine = { .name = text_str(&f->machine_name), .facts = text_str(&f->machine),
			     .environment = text_str(&f->environment) },
		.boot = { .uuid = *fact(f, "boot.id") ? fact(f, "boot.id") : o->uuid,
			  .cmdline = fact(f, "boot.cmdline"),
			  .mode = o->mode ? o->mode : "host" },
		.job = { .test = o->test, .name = o->job_name, .params = o->job },
		.program = { .hash = or_empty(o->program_hash) },
		.uuid = o->uuid, .dir = dir, .label = or_empty(o->label),
		.session = or_empty(o->session), .position = (int64_t)o->position,
		.seq = (int64_t)o->position,
		.started_ns = journal_ns(&f->journal, "began"),
		.ended_ns = journal_ns(&f->journal, "ended"),
		.state = state, .reason = text_str(&f->reason), .profile = o->profile || o->warmup,
		.metric = f->metric, .n_metrics = f->n_metrics,
		.sample = f->parsed.sample,
		.n_samples = strcmp(state, "ok") ? 0 : f->parsed.n,
	};
}

int import_folder(struct store *s, const char *dir, bool final, int64_t *id, struct err *e)
{
	_cleanup_(folder_release) struct folder f = {};
	_free_ char *real = realpath(dir, NULL);
	struct store_run run;
	int r;

	if (!real)
		return err_sys(e, "%s", dir);
	if ((r = folder_read(&f, real, e)) < 0)
		return r;
	if (f.exit.state == RUN_LOST && !final)
		return 1;
	if (f.exit.state == RUN_LOST && !f.exit.reason)
		f.exit.reason = text_copy("it never ended");
	run = store_run_of(&f, real);
	return store_add_run(s, &run, id, e);
}

static bool is_run(const char *dir)
{
	_free_ char *origin = path_join(dir, ORIGIN_FILE);

	return access(origin, F_OK) == 0;
}

struct walk {
	struct store *store;
	struct job_roots *roots;
	enum import_parse parse;
	struct imported *n;
};

/* Runs the parser where that is wanted and where there is something to parse. */
static int parse_if_due(const struct walk *w, const char *dir, struct err *e)
{
	_close_ int fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	_result_exit_ struct result_exit x;
	_origin_ struct origin o = {};
	const struct program *p = NULL;
	int r;

	result_exit_init(&x);
	if (fd < 0)
		return err_sys(e, "%s", dir);
	if (w->parse == IMPORT_PARSE_PENDING && faccessat(fd, "parse", F_OK, 0) == 0)
		return 0;
	if ((r = result_exit_read(&x, fd, e)) < 0 || (r = origin_read(&o, fd, e)) < 0)
		return r;
	if ((x.state != RUN_OK && x.state != RUN_INVALID) || faccessat(fd, ".", W_OK, 0) < 0)
		return 0;
	if ((r = program_find(w->roots, PROGRAM_PARSER, o.test, &p, e)) < 0)
		return r;
	if ((r = parse_folder(dir, o.test, p ? p->path : NULL,
			      p ? w->roots->path[p->root] : NULL, e)) < 0)
		return r;
	return parse_monitors(dir, w->roots, e);
}

static void import_one(const struct walk *w, const char *dir)
{
	_free_ char *done = path_join(dir, RESULT_EXIT);
	struct err e = {};

	if (parse_if_due(w, dir, &e) < 0 || import_folder(w->store, dir, true, NULL, &e) < 0) {
		log_line("%s", e.text);
		w->n->bad++;
		return;
	}
	w->n->runs++;
	if (access(done, F_OK) < 0)
		w->n->lost++;
}

static int walk(const struct walk *w, const char *dir, unsigned int depth, struct err *e)
{
	struct dirent **list;
	int count, r = 0;

	if (is_run(dir)) {
		import_one(w, dir);
		return 0;
	}
	count = scandir(dir, &list, NULL, alphasort);
	if (count < 0)
		return err_sys(e, "%s", dir);
	for (int i = 0; i < count; i++) {
		_free_ char *path = path_join(dir, list[i]->d_name);
		struct stat st;

		if (r == 0 && list[i]->d_name[0] != '.' && depth < DEPTH_MAX &&
		    lstat(path, &st) == 0 && S_ISDIR(st.st_mode))
			r = walk(w, path, depth + 1, e);
		free(list[i]);
	}
	free(list);
	return r;
}

int import_tree(struct store *s, struct job_roots *roots, const char *dir,
		enum import_parse parse, struct imported *n, struct err *e)
{
	const struct walk w = { s, roots, parse, n };

	*n = (struct imported){};
	return walk(&w, dir, 0, e);
}
