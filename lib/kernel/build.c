/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>

#include "base/file.h"
#include "base/proc.h"
#include "kernel/build.h"
#include "kernel/config.h"
#include "kernel/fill.h"
#include "kernel/git.h"
#include "kernel/make.h"

#define BZIMAGE		"arch/x86/boot/bzImage"
#define DOT_CONFIG	".config"
#define TRIAL_CONFIG	".config.krobot"
#define CONFIG_MAX	(4U << 20)
#define PATCHES_MAX	64

struct build {
	const struct kernel_source *from;
	struct kernel *k;
	struct git git;
	struct config config;
	const char *compiler;		/* program */
	char *version;			/* and what it says it is */
	char *folder, *src, *obj, *index;
	int lock;
	struct make make;
};

static char *first_line(const struct proc *p)
{
	return text_format("%.*s", (int)strcspn(text_str(&p->out), "\n"), text_str(&p->out));
}

static int compiler_find(struct build *b, struct err *e)
{
	const char *given = getenv("CC");
	_proc_ struct proc p = {}, ccache = { .argv = ARGV("ccache", "--version") };
	struct err ignored;

	b->compiler = given && *given && !strchr(given, ' ') ? given : "gcc";
	p.argv = ARGV(b->compiler, "--version");
	if (proc_ok(&p, e) < 0)
		return err_in(e, "the compiler");
	b->version = first_line(&p);
	b->make.ccache = proc_ok(&ccache, &ignored) == 0;
	return 0;
}

/* "REV+a.patch+b.patch": the tree's hash with the patches in it. 1: one does not apply. */
static int tree_find(struct build *b, char **why, struct err *e)
{
	_free_ char *name = text_copy(b->from->name), *index = text_format("%s/index", b->git.own);
	char *save, *rev = strtok_r(name, "+", &save), *patch;

	if (!rev)
		return err_set(e, ENOENT, "no such commit");
	if (git_commit(&b->git, rev, &b->k->commit, e) < 0 ||
	    git_tree(&b->git, b->k->commit, &b->k->tree_hash, e) < 0)
		return -e->code;
	while ((patch = strtok_r(NULL, "+", &save))) {
		char *tree;
		int r = git_apply(&b->git, b->k->tree_hash, patch, index, &tree, why, e);

		if (r)
			return r;
		free(b->k->tree_hash);
		b->k->tree_hash = tree;
	}
	unlink(index);
	return 0;
}

/* What all builds in one folder share; with the tree it is the key of the result. */
static void describe(const struct build *b, struct text *t)
{
	text_printf(t, "compiler %s\nbase %s\n", b->version,
		    b->config.base_target ? b->config.base_target : "");
	text_put(t, b->config.base_text.p, b->config.base_text.len);
	config_print(&b->config, t);
}

static int keys_make(struct build *b, struct err *e)
{
	_free_ char *shared = NULL;
	_text_ struct text t = {};

	describe(b, &t);
	if (cache_hash(t.p, t.len, &shared, e) < 0)
		return -e->code;
	text_printf(&t, "tree %s\n", b->k->tree_hash);
	if (cache_hash(t.p, t.len, &b->k->id, e) < 0)
		return -e->code;
	b->folder = text_format("%s/build/%s", b->from->cache, shared);
	b->src = path_join(b->folder, "src");
	b->obj = path_join(b->folder, "obj");
	b->index = path_join(b->folder, "index");
	return 0;
}

static int folder_lock(struct build *b, struct err *e)
{
	_free_ char *path = path_join(b->folder, "lock");

	if (dir_make(b->obj, e) < 0)
		return -e->code;
	b->lock = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0644);
	if (b->lock < 0)
		return err_sys(e, "%s", path);
	while (flock(b->lock, LOCK_EX) < 0)
		if (errno != EINTR)
			return err_sys(e, "%s", path);
	return 0;
}

static int append(const char *path, const struct text *bytes, struct err *e)
{
	_close_ int fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);

	if (fd < 0 || write(fd, text_str(bytes), bytes->len) != (ssize_t)bytes->len)
		return err_sys(e, "%s", path);
	return 0;
}

static bool same_file(const char *a, const struct text *bytes)
{
	_text_ struct text t = {};
	struct err ignored;

	return file_read(AT_FDCWD, a, CONFIG_MAX, &t, &ignored) == 0 && t.len == bytes->len &&
	       !memcmp(t.p, bytes->p, t.len);
}

/*
 * The configuration is made beside the one in use and replaces it only where it
 * differs, or make would think that everything changed.
 */
static int configure(struct build *b, char **why, struct err *e)
{
	_free_ char *trial = path_join(b->obj, TRIAL_CONFIG), *used = path_join(b->obj, DOT_CONFIG);
	_free_ char *in = text_format("KCONFIG_CONFIG=%s", trial);
	_text_ struct text asked = {}, got = {};
	int r = 0;

	unlink(trial);
	if (b->config.base_target)
		r = make_run(&b->make, ARGV(in, b->config.base_target), why, e);
	else
		text_put(&asked, b->config.base_text.p, b->config.base_text.len);
	if (r)
		return r;
	text_putc(&asked, '\n');
	config_print(&b->config, &asked);
	if (append(trial, &asked, e) < 0)
		return -e->code;
	r = make_run(&b->make, ARGV(in, "olddefconfig"), why, e);
	if (r)
		return r;
	if (file_read(AT_FDCWD, trial, CONFIG_MAX, &got, e) < 0)
		return -e->code;
	*why = config_missing(&b->config, text_str(&got));
	if (*why)
		return 1;
	return same_file(used, &got) ? 0 : file_write(AT_FDCWD, used, got.p, got.len, e);
}

static bool has_modules(const struct build *b)
{
	_free_ char *path = path_join(b->obj, DOT_CONFIG);
	_text_ struct text t = {};
	struct err ignored;

	return file_read(AT_FDCWD, path, CONFIG_MAX, &t, &ignored) == 0 &&
	       strstr(text_str(&t), "\nCONFIG_MODULES=y\n");
}

/* 1: it does not build, and @why says why. */
static int compile(struct build *b, char **why, struct err *e)
{
	_free_ char *before = path_join(b->folder, "lines");
	_free_ char *count = NULL;
	_text_ struct text lines = {};
	struct err ignored;
	int r;

	if (git_lay_out(&b->git, b->k->tree_hash, b->index, b->src, e) < 0)
		return -e->code;
	r = configure(b, why, e);
	if (r)
		return r;
	if (file_read(AT_FDCWD, before, 64, &lines, &ignored) == 0)
		b->make.expected = (unsigned int)strtoul(text_str(&lines), NULL, 10);
	b->make.progress = b->from->progress;
	r = make_run(&b->make, has_modules(b) ? ARGV("bzImage", "modules") : ARGV("bzImage"), why, e);
	if (r)
		return r;
	count = text_format("%u\n", make_lines(b->make.log));
	return b->make.expected ? 0 : file_write(AT_FDCWD, before, count, strlen(count), e);
}

static int keep(const char *folder, const char *name, const char *from, struct err *e)
{
	_free_ char *to = path_join(folder, name);
	_text_ struct text t = {};

	if (file_read(AT_FDCWD, from, CONFIG_MAX, &t, e) < 0)
		return -e->code;
	return file_write(AT_FDCWD, to, text_str(&t), t.len, e);
}

static int fill(struct build *b, struct record *info, struct err *e)
{
	_free_ char *image = path_join(b->obj, BZIMAGE), *config = path_join(b->obj, DOT_CONFIG);
	_free_ char *log = path_join(b->k->entry.folder, "log"), *why = NULL;
	int r;

	b->make.src = b->src;
	b->make.obj = b->obj;
	b->make.log = log;
	b->make.compiler = b->compiler;
	b->make.jobs = b->from->jobs ? b->from->jobs : (unsigned int)sysconf(_SC_NPROCESSORS_ONLN);
	if (folder_lock(b, e) < 0)
		return -e->code;
	r = compile(b, &why, e);
	if (r < 0)
		return r;
	record_add(info, "commit", b->k->commit);
	record_add(info, "tree", b->k->tree_hash);
	record_add(info, "compiler", b->version);
	record_add(info, "log", "log");
	if (r > 0) {
		record_add(info, "why", why);
		return 0;
	}
	record_add(info, "config", "config");
	if (keep(b->k->entry.folder, "config", config, e) < 0)
		return -e->code;
	return fill_boot(b->k->entry.folder, image, has_modules(b) ? b->obj : NULL, info, e);
}

static int from_cache_or_made(struct build *b, struct err *e)
{
	_record_ struct record info = {};
	int r = cache_open(&b->k->entry, b->from->cache, b->k->id, &info, e);

	if (r > 0) {
		r = fill(b, &info, e);
		if (r == 0)
			r = cache_done(&b->k->entry, &info, e);
	}
	if (r < 0)
		return r;
	/* Another commit may have had the same tree: this name's own is told. */
	free(b->k->tree_hash);
	b->k->tree_hash = NULL;
	return fill_kernel(b->k, &info, e);
}

static void build_release(struct build *b)
{
	git_release(&b->git);
	config_release(&b->config);
	free(b->version);
	free(b->folder);
	free(b->src);
	free(b->obj);
	free(b->index);
	closep(&b->lock);
}

int build_prepare(struct kernel *k, const struct kernel_source *from, struct err *e)
{
	_cleanup_(build_release) struct build b = { .from = from, .k = k, .lock = -1 };
	_free_ char *own = path_join(from->cache, "objects");
	int r;

	if (git_open(&b.git, from->tree ? from->tree : ".", own, e) < 0)
		return -e->code;
	r = tree_find(&b, &k->why, e);
	if (r)
		return r < 0 ? r : KERNEL_NO_BUILD;
	if (config_read(&b.config, from->configs, from->n_configs, e) < 0 ||
	    compiler_find(&b, e) < 0 || keys_make(&b, e) < 0)
		return -e->code;
	return from_cache_or_made(&b, e);
}
