/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include "base/file.h"
#include "base/proc.h"
#include "base/record.h"
#include "flow/describe.h"
#include "flow/origin.h"
#include "flow/parse.h"
#include "metric/line.h"

#define INVALID_NAME "krobot.invalid"

/*
 * The parser's environment: nothing of ours leaks in, so that the same bytes
 * give the same metrics on every machine and at every time.
 */
static int run_parser(const char *dir, const char *raw, const char *parser, const char *lkp_root,
		      struct proc *p, struct err *e)
{
	_free_ char *result_root = text_format("RESULT_ROOT=%s", dir);
	_free_ char *lkp_src = text_format("LKP_SRC=%s", lkp_root ? lkp_root : "");
	_free_ char *path = text_format("PATH=%s", getenv("PATH") ? getenv("PATH") : "/usr/bin:/bin");
	_free_ char *out = path_join(dir, raw);
	const char *env[] = { path, "LC_ALL=C", "LANG=C", "HOME=/", result_root,
			      lkp_root ? lkp_src : NULL, NULL };
	_close_ int fd = open(out, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return err_sys(e, "%s", out);
	p->argv = ARGV(parser);
	p->env = env;
	p->cwd = dir;
	p->in_fd = fd;
	p->timeout_ns = PARSE_SECONDS_MAX * 1000000000ULL;
	p->out_max = PARSE_BYTES_MAX;
	return proc_ok(p, e);
}

/* Full names: a parser or test leaves out its own, or prints it as LKP's do. */
static void put_full_name(struct text *t, const char *test, const char *name)
{
	if (strcmp(name, INVALID_NAME) &&
	    !(text_starts(name, test) && name[strlen(test)] == '.'))
		text_printf(t, "%s.", test);
	text_puts(t, name);
}

/*
 * A test that has a parser may say more than the parser knows, by metric lines
 * of metrics that it declares; what it says itself goes before what is read out
 * of its other lines.
 */
struct own {
	const struct description *declared;	/* NULL: take every line */
	bool only_declared;			/* else: only what is not declared */
};

static bool is_taken(const struct own *own, const char *full)
{
	struct store_metric m;

	return !own->declared ||
	       description_metric(own->declared, full, &m) == own->only_declared;
}

static size_t put_lines(const char *test, char *lines, const struct own *own, struct text *out)
{
	size_t n = 0;
	char *save = NULL;

	for (char *l = strtok_r(lines, "\n", &save); l; l = strtok_r(NULL, "\n", &save)) {
		_text_ struct text name = {};
		struct metric_line m;

		switch (metric_line_parse(l, &m)) {
		case METRIC_NONE:
			continue;
		case METRIC_SAMPLE:
			put_full_name(&name, test, m.name);
			if (!is_taken(own, text_str(&name)))
				continue;
			metric_put_sample(out, text_str(&name), m.value);
			break;
		case METRIC_NULL:
			put_full_name(&name, test, m.name);
			if (!is_taken(own, text_str(&name)))
				continue;
			metric_put_null(out, text_str(&name), m.reason);
			break;
		case METRIC_INVALID:
			text_printf(out, INVALID_NAME ": 1 %s\n", m.reason);
			break;
		}
		n++;
	}
	return n;
}

static int put_record(const char *dir, const char *state, const char *reason, const char *parser,
		      struct err *e)
{
	_free_ char *path = path_join(dir, "parse");
	_record_ struct record r = {};

	record_add(&r, "state", state);
	if (reason)
		record_add(&r, "reason", reason);
	if (parser)
		record_add(&r, "parser", parser);
	return record_write(&r, AT_FDCWD, path, e);
}

/* strtok_r() ends at a NUL; a program may well print one. */
static void blank_nul(struct text *t)
{
	for (size_t i = 0; i < t->len; i++)
		if (!t->p[i])
			t->p[i] = '?';
}

static int read_declared(const char *dir, struct description **out, struct err *e)
{
	_close_ int fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	return fd < 0 ? err_sys(e, "%s", dir) : description_read(out, fd, DESCRIBE_FILE, e);
}

int parse_folder(const char *dir, const char *test, const char *parser, const char *lkp_root,
		 struct err *e)
{
	_free_ char *metrics = path_join(dir, "metrics"), *raw = path_join(dir, "stdout");
	_description_ struct description *declared = NULL;
	_text_ struct text lines = {}, out = {};
	_proc_ struct proc p = {};
	struct own own = {};
	struct err why = {};
	size_t n = 0;

	if (read_declared(dir, &declared, e) < 0)
		return -e->code;
	if (file_read(AT_FDCWD, raw, PARSE_BYTES_MAX, &lines, &why) < 0 ||
	    (parser && run_parser(dir, "stdout", parser, lkp_root, &p, &why) < 0)) {
		unlink(metrics);
		return put_record(dir, "failed", why.text, parser, e);
	}
	if (parser && declared->lines.n)
		own = (struct own){ declared, true };
	blank_nul(&lines);
	if (lines.len && (!parser || own.declared))
		n = put_lines(test, lines.p, &own, &out);
	own.only_declared = false;
	blank_nul(&p.out);
	if (p.out.len)
		n += put_lines(test, p.out.p, &own, &out);
	if (file_write(AT_FDCWD, metrics, text_str(&out), out.len, e) < 0)
		return -e->code;
	return put_record(dir, n ? "ok" : "empty", n ? NULL : "no metric was recognised", parser, e);
}

static int parse_monitor(const char *dir, const char *name, struct job_roots *roots,
			 struct text *metrics, struct record *note, struct err *e)
{
	_free_ char *raw = path_join("monitors", name);
	const struct program *parser = NULL;
	const struct own all = {};
	_proc_ struct proc p = {};
	struct err why = {};
	int r = program_find(roots, PROGRAM_PARSER, name, &parser, e);

	if (r < 0)
		return r;
	if (!r) {
		record_addf(note, "monitor", "%s: no parser of that name", name);
		return 0;
	}
	if (run_parser(dir, raw, parser->path, roots->path[parser->root], &p, &why) < 0) {
		record_addf(note, "monitor", "%s: %s", name, why.text);
		return 0;
	}
	blank_nul(&p.out);
	if (p.out.len)
		put_lines(name, p.out.p, &all, metrics);
	return 0;
}

int parse_monitors(const char *dir, struct job_roots *roots, struct err *e)
{
	_free_ char *folder = path_join(dir, "monitors"), *metrics = path_join(dir, "metrics"),
		    *path = path_join(dir, "parse");
	_record_ struct record note = {};
	_text_ struct text all = {};
	struct dirent **list;
	int n = scandir(folder, &list, NULL, alphasort), r = 0;

	if (n < 0 && errno == ENOENT)
		return 0;
	if (n < 0)
		return err_sys(e, "%s", folder);
	if (access(metrics, F_OK) == 0)
		r = file_read(AT_FDCWD, metrics, PARSE_BYTES_MAX * 2, &all, e);
	if (r == 0)
		r = record_read(&note, AT_FDCWD, path, e);
	for (int i = 0; i < n; i++) {
		/* NAME.log and NAME.data are what a program among them said besides. */
		if (r == 0 && !strchr(list[i]->d_name, '.'))
			r = parse_monitor(dir, list[i]->d_name, roots, &all, &note, e);
		free(list[i]);
	}
	free(list);
	if (r < 0 || (r = file_write(AT_FDCWD, metrics, text_str(&all), all.len, e)) < 0)
		return r;
	return record_write(&note, AT_FDCWD, path, e);
}

static void add_line(struct parsed *p, char *line)
{
	struct metric_line m;
	enum metric_kind kind = metric_line_parse(line, &m);

	if (kind == METRIC_NONE || p->n >= PARSE_SAMPLES_MAX)
		return;
	if (kind == METRIC_INVALID) {
		free(p->invalid);
		p->invalid = text_copy(*m.reason ? m.reason : "the test says so");
		return;
	}
	GROW(p->sample, p->n);
	p->sample[p->n++] = (struct store_sample){
		.metric = m.name, .value = m.value, .reason = kind == METRIC_NULL ? m.reason : NULL,
	};
}

int parsed_read(struct parsed *p, const char *dir, struct err *e)
{
	_free_ char *metrics = path_join(dir, "metrics"), *path = path_join(dir, "parse");
	_record_ struct record r = {};
	const char *state;
	char *save = NULL;
	int k;

	*p = (struct parsed){};
	if (access(path, F_OK) < 0) {
		p->failed = text_copy("not parsed yet");
		return 0;
	}
	if ((k = record_read(&r, AT_FDCWD, path, e)) < 0)
		return k;
	state = record_get(&r, "state");
	if (!state || strcmp(state, "ok")) {
		const char *reason = record_get(&r, "reason");

		p->failed = text_copy(reason ? reason : "no reason given");
		return 0;
	}
	if ((k = file_read(AT_FDCWD, metrics, PARSE_BYTES_MAX * 2, &p->text, e)) < 0)
		return k;
	blank_nul(&p->text);
	if (p->text.len)
		for (char *l = strtok_r(p->text.p, "\n", &save); l; l = strtok_r(NULL, "\n", &save))
			add_line(p, l);
	return 0;
}

void parsed_release(struct parsed *p)
{
	free(p->sample);
	free(p->invalid);
	free(p->failed);
	text_release(&p->text);
	*p = (struct parsed){};
}
