/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/statvfs.h>

#include "base/file.h"
#include "base/proc.h"
#include "base/value.h"
#include "flow/describe.h"
#include "flow/item.h"
#include "flow/origin.h"
#include "flow/parse.h"
#include "job/needs.h"
#include "run/monitor.h"
#include "run/plan.h"
#include "run/result.h"
#include "run/setting.h"

/* A test that says nothing of its length gets this long. */
#define DEADLINE_UNKNOWN_SECS	3600
#define NAME_MAX_BYTES		180

void items_release(struct items *its)
{
	for (size_t i = 0; i < its->n; i++) {
		free(its->item[i].hash);
		text_release(&its->item[i].skip);
	}
	free(its->item);
	job_list_release(&its->jobs);
	job_host_release(&its->host);
	job_roots_release(&its->roots);
	free(its->session);
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

/* @here: it will run on this host as it is; of a machine to be booted less is known. */
static int item_prepare(struct items *its, struct item *it, bool here, struct err *e)
{
	struct needs_facts facts = {
		.host = &its->host, .memory_free = here ? memory_free() : 0,
		.disk_free = disk_free(its->place->results), .has_program = here ? in_path : NULL,
	};
	int r;

	if ((r = program_find(&its->roots, PROGRAM_TEST, it->job->test, &it->test, e)) < 0)
		return r;
	if (!r) {
		text_printf(&it->skip, "no program '%s' in KROBOT_PATH", it->job->test);
		return 0;
	}
	if ((r = program_find(&its->roots, PROGRAM_PARSER, it->job->test, &it->parser, e)) < 0 ||
	    (r = program_describe(&its->roots, it->test, &it->description, e)) < 0 ||
	    (r = hash_program(it->test->path, &it->hash, e)) < 0)
		return r;
	job_needs_check(it->job, it->description, &facts, &it->skip);
	return 0;
}

static int expand_files(struct items *its, const struct items_opts *o, struct err *e)
{
	_free_ struct job_param *set = mem_zero(o->set->n, sizeof(*set));
	struct job_options opts = { .roots = &its->roots, .host = &its->host, .set = set,
				    .n_set = o->set->n };
	int r = 0;

	for (size_t i = 0; i < o->set->n; i++) {
		char *key = text_copy(o->set->v[i]), *eq = strchr(key, '=');

		if (!eq || eq == key)
			r = err_set(e, EINVAL, "--set: '%s' is not key=value", key);
		else
			*eq++ = '\0';
		set[i] = (struct job_param){ key, eq };
	}
	for (size_t i = 0; i < o->n_files && r >= 0; i++)
		r = job_expand(o->file[i], &opts, &its->jobs, e);
	for (size_t i = 0; i < o->set->n; i++)
		free((char *)set[i].key);
	if (r >= 0 && !its->jobs.n)
		r = err_set(e, ENOENT, "the job files give no job");
	return r;
}

static int make_items(struct items *its, const struct items_opts *o, struct err *e)
{
	const struct opt_list none = { { "" }, 1 };
	const struct opt_list *labels = o->labels->n ? o->labels : &none;
	int r;

	its->item = mem_zero(its->jobs.n * labels->n, sizeof(*its->item));
	for (size_t i = 0; i < its->jobs.n; i++) {
		for (size_t k = 0; k < labels->n; k++) {
			struct item *it = &its->item[its->n++];

			it->job = its->jobs.job[i];
			it->label = labels->v[k];
			if ((r = item_prepare(its, it, !o->host, e)) < 0)
				return r;
		}
	}
	return 0;
}

int items_open(struct items *its, const struct place *place, const struct items_opts *o,
	       struct err *e)
{
	int r;

	*its = (struct items){ .place = place, .timeout_secs = o->timeout_secs,
			       .session = place_session() };
	if ((r = job_roots_open(&its->roots, getenv("KROBOT_PATH"), true, e)) < 0 ||
	    (r = job_host_here(&its->host, "", e)) < 0)
		return r;
	if (o->host) {
		its->host.nr_cpu = o->host->nr_cpu;
		its->host.nr_node = o->host->nr_node;
		its->host.memory = o->host->memory;
		its->host.virtual = true;
	}
	if ((r = expand_files(its, o, e)) < 0)
		return r;
	return make_items(its, o, e);
}

static uint64_t deadline_of(const struct items *its, const struct item *it)
{
	if (its->timeout_secs)
		return its->timeout_secs;
	if (it->job->deadline_secs)
		return it->job->deadline_secs;
	return it->job->runtime_secs ? 3 * it->job->runtime_secs + 300 : DEADLINE_UNKNOWN_SECS;
}

/* A root in one of LKP's layouts: its scripts look for their helpers there. */
static const char *lkp_root(const struct items *its, const struct program *p)
{
	const char *root = its->roots.path[p->root];
	_free_ char *lib = path_join(root, "lib");

	return access(lib, F_OK) == 0 ? root : NULL;
}

/* The monitor that a key means ("vmstat", "vmstat.interval"), or NULL. Caller frees. */
static char *monitor_of(const char *key)
{
	char *name = text_format("%.*s", (int)strcspn(key, "."), key);

	if (monitor_is_known(name))
		return name;
	free(name);
	return NULL;
}

/* The monitors' own keys, whether or not a root has a script of that name. */
static bool has_own_monitors(const struct job *job)
{
	for (size_t i = 0; i < job->all.n; i++) {
		_free_ char *name = monitor_of(job->all.v[i].key);

		if (name)
			return true;
	}
	return false;
}

bool item_has_monitors(const struct item *it, bool by_default)
{
	for (size_t i = 0; by_default && i < it->job->n_programs; i++)
		if (monitor_is_known(it->job->program[i].name))
			return true;
	return has_own_monitors(it->job);
}

static bool has_monitor(const struct plan *p, const char *name)
{
	for (size_t i = 0; i < p->n_monitors; i++)
		if (!strcmp(p->monitors[i].name, name))
			return true;
	return false;
}

static int add_monitor(const struct job *job, const char *name, struct plan *p, struct err *e)
{
	_free_ char *key = text_format("%s.interval", name);
	const char *interval = job_get(job, key);
	uint64_t secs = 1;

	if (has_monitor(p, name))
		return 0;
	if (interval && value_time(interval, &secs, e) < 0)
		return err_in(e, "%s", key);
	plan_monitor_add(p, name, (secs ? secs : 1) * 1000000000ULL);
	return 0;
}

/* The job's own, and those that its category has by default. */
static int add_monitors(const struct item *it, struct plan *p, struct err *e)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < it->job->all.n; i++) {
		_free_ char *name = monitor_of(it->job->all.v[i].key);

		if (name)
			r = add_monitor(it->job, name, p, e);
	}
	for (size_t i = 0; r == 0 && i < it->job->n_programs; i++)
		if (monitor_is_known(it->job->program[i].name))
			r = add_monitor(it->job, it->job->program[i].name, p, e);
	return r;
}

static int write_plan(const struct items *its, const struct item *it, bool profile, int dir,
		      struct err *e)
{
	const char *lkp = lkp_root(its, it->test);
	_plan_ struct plan p;

	plan_init(&p);
	p.test = text_copy(it->job->test);
	p.program = text_copy(it->test->path);
	p.job = text_copy(it->job->canonical);
	p.deadline_secs = deadline_of(its, it);
	for (size_t i = 0; i < it->job->env.n; i++) {
		const struct job_param *v = &it->job->env.v[i];

		plan_list_addf(&p.params, "%s=%s", v->key, v->value ? v->value : "");
	}
	/* What the job names of the machine's settings; the agent puts them back. */
	for (size_t i = 0; i < it->job->all.n; i++) {
		const struct job_param *v = &it->job->all.v[i];

		if (v->value && *v->value && setting_is_known(v->key))
			plan_list_addf(&p.set, "%s=%s", v->key, v->value);
	}
	if (lkp)
		plan_list_addf(&p.env, "LKP_SRC=%s", lkp);
	if (profile && add_monitors(it, &p, e) < 0)
		return -e->code;
	return plan_write(&p, dir, RESULT_PLAN, e);
}

static int write_origin(const struct items *its, const struct item *it, size_t position,
			const struct item_kernel *k, int dir, struct err *e)
{
	_origin_ struct origin o = {
		.uuid = text_format("%s-%04zu-%s", its->session, position, its->host.name),
		.session = text_copy(its->session), .position = position,
		.label = text_copy(k->label ? k->label : it->label),
		.job_name = text_copy(it->job->name), .job = text_copy(it->job->canonical),
		.test = text_copy(it->job->test), .program_hash = text_copy(it->hash),
		.mode = text_copy(k->mode ? k->mode : "host"), .kernel = text_copy(k->kernel),
		.commit = text_copy(k->commit), .subject = text_copy(k->subject),
		.config = text_copy(k->config), .compiler = text_copy(k->compiler),
		.committed_secs = k->committed_secs, .profile = k->profile,
		.warmup = k->warmup, .warmed = text_copy(k->warmed),
	};

	return origin_write(&o, dir, e);
}

int item_folder(const struct items *its, const struct item *it, size_t position,
		const struct item_kernel *k, char **dir, struct err *e)
{
	_close_ int fd = -1;
	int r;

	*dir = text_format("%s/%.*s/%s-%04zu", its->place->results, NAME_MAX_BYTES, it->job->name,
			   its->session, position);
	if ((r = dir_make(*dir, e)) < 0)
		return r;
	fd = open(*dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return err_sys(e, "%s", *dir);
	if (it->test && (r = write_plan(its, it, k->profile, fd, e)) < 0)
		return r;
	if ((r = description_write(it->description, it->job->test, fd, DESCRIBE_FILE, e)) < 0)
		return r;
	return write_origin(its, it, position, k, fd, e);
}

int item_skip(const struct item *it, const char *dir, struct err *e)
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

int item_parse(struct items *its, const struct item *it, const char *dir, struct err *e)
{
	_close_ int fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	_result_exit_ struct result_exit x;
	int r;

	result_exit_init(&x);
	if (fd < 0)
		return err_sys(e, "%s", dir);
	if ((r = result_exit_read(&x, fd, e)) < 0)
		return r;
	if (x.state != RUN_OK && x.state != RUN_INVALID)
		return 0;
	if ((r = parse_folder(dir, it->job->test, it->parser ? it->parser->path : NULL,
			      it->parser ? lkp_root(its, it->parser) : NULL, e)) < 0)
		return r;
	return parse_monitors(dir, &its->roots, e);
}
