/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <string.h>

#include "cmd.h"
#include "base/log.h"
#include "base/text.h"
#include "job/job.h"

#define SET_MAX 64

static bool full, json;
static const char *host_file;
static struct opt_list set;

static const struct opt opts[] = {
	{ 0, "path", OPT_FLAG, &full, NULL, "print the job file in front of each name" },
	{ 'j', "json", OPT_FLAG, &json, NULL, "one JSON object per job and line" },
	{ 's', "set", OPT_LIST, &set, "KEY=VALUE", "override a key of the job files; a.b=v for nested ones" },
	{ 'H', "host", OPT_TEXT, &host_file, "FILE", "machine to expand for, as in LKP's hosts/; else this one" },
	OPT_END
};

static int set_split(struct job_param *out, char **copies, struct err *e)
{
	for (size_t i = 0; i < set.n; i++) {
		char *eq;

		copies[i] = text_copy(set.v[i]);
		eq = strchr(copies[i], '=');
		if (!eq || eq == copies[i])
			return usage_err(e, "--set %s: not KEY=VALUE", set.v[i]);
		*eq = '\0';
		out[i] = (struct job_param){ copies[i], eq + 1 };
	}
	return 0;
}

static bool has_test(const struct job *job)
{
	for (size_t i = 0; i < job->n_programs; i++)
		if (job->program[i].kind == PROGRAM_TEST)
			return true;
	return false;
}

/* Without its test a file's lists are no axes, which is easily overlooked. */
static void missing_say(const struct job_list *list)
{
	const char *said = NULL;

	for (size_t i = 0; i < list->n; i++) {
		const struct job *job = list->job[i];

		if (has_test(job) || (said && !strcmp(said, job->file)))
			continue;
		said = job->file;
		log_line("%s:%u: no test '%s' in the trees of KROBOT_PATH", job->file, job->line,
			 job->test);
	}
}

static void print(const struct job_list *list)
{
	for (size_t i = 0; i < list->n; i++) {
		const struct job *job = list->job[i];
		_text_ struct text t = {};

		if (json)
			job_print_json(job, &t);
		else if (full)
			text_printf(&t, "%s\t%s.yaml", job->file, job->name);
		else
			text_puts(&t, job->name);
		puts(text_str(&t));
	}
}

static int files_expand(int argc, char **argv, const struct job_param *sets, struct err *e)
{
	_job_roots_ struct job_roots roots = {};
	_job_host_ struct job_host host = {};
	struct job_options o = { &roots, &host, sets, set.n };
	_job_list_ struct job_list list = {};

	if (job_roots_open(&roots, getenv("KROBOT_PATH"), true, e) < 0)
		return -e->code;
	if ((host_file ? job_host_read(&host, host_file, e) : job_host_here(&host, "", e)) < 0)
		return -e->code;
	for (int i = 0; i < argc; i++)
		if (job_expand(argv[i], &o, &list, e) < 0)
			return -e->code;
	missing_say(&list);
	print(&list);
	return EXIT_SAME;
}

static int run(int argc, char **argv, struct err *e)
{
	struct job_param sets[SET_MAX];
	char *copies[SET_MAX] = {};
	int r;

	if (!argc)
		return usage_err(e, "which job file?");
	r = set_split(sets, copies, e);
	if (!r)
		r = files_expand(argc, argv, sets, e);
	for (size_t i = 0; i < set.n; i++)
		free(copies[i]);
	return r;
}

const struct cmd cmd_expand = {
	"expand", "[OPTION]... FILE...",
	"print the jobs that job files stand for",
	opts, run
};
