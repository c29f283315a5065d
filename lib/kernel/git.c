/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <ctype.h>
#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "base/file.h"
#include "base/proc.h"
#include "kernel/git.h"

#define MANY_MINUTES	(30ULL * 60 * 1000000000)
#define ARGS_MAX	24

/* Nothing of the user's settings may run or rewrite what is laid out. */
static const char *const quiet[] = {
	"-c", "core.hooksPath=/dev/null", "-c", "core.fsmonitor=false", "-c", "core.autocrlf=false",
	"-c", "advice.detachedHead=false",
};

/* git with @args, on the repository, with an index and a folder of ours (or NULL). */
static int git_run(const struct git *g, const char *index, const char *to, struct proc *p,
		   const char *const *args, struct err *e)
{
	_free_ char *dir = text_format("GIT_DIR=%s", g->dir);
	_free_ char *objects = text_format("GIT_ALTERNATE_OBJECT_DIRECTORIES=%s", g->objects);
	_free_ char *own = text_format("GIT_OBJECT_DIRECTORY=%s", g->own);
	_free_ char *file = text_format("GIT_INDEX_FILE=%s", index ? index : "/dev/null");
	_free_ char *work = text_format("GIT_WORK_TREE=%s", to ? to : "/");
	const char *argv[ARGS_MAX + COUNT(quiet) + 10] = { "env", dir, objects, own, file, work,
							   "GIT_CONFIG_NOSYSTEM=1", "git" };
	size_t n = 8;

	for (size_t i = 0; i < COUNT(quiet); i++)
		argv[n++] = quiet[i];
	for (size_t i = 0; args[i] && i < ARGS_MAX; i++)
		argv[n++] = args[i];
	p->argv = argv;
	p->cwd = to ? to : "/";	/* paths are those of the tree */
	p->timeout_ns = MANY_MINUTES;
	return proc_run(p, e);
}

static int failed(const struct proc *p, const char *what, struct err *e)
{
	_text_ struct text seen = {};
	size_t n = p->errs.len;

	while (n && p->errs.p[n - 1] == '\n')
		n--;
	text_put_visible(&seen, text_str(&p->errs), n < 300 ? n : 300, true);
	return err_set(e, EIO, "git %s: %s", what, text_str(&seen));
}

static char *word(const struct proc *p)
{
	return text_format("%.*s", (int)strcspn(text_str(&p->out), "\n"), text_str(&p->out));
}

int git_open(struct git *g, const char *tree, const char *own, struct err *e)
{
	_proc_ struct proc p = { .argv = ARGV("git", "-C", tree, "rev-parse", "--path-format=absolute",
					      "--git-dir", "--git-path", "objects") };
	char *nl;

	*g = (struct git)GIT_NONE;
	if (proc_run(&p, e) < 0)
		return -e->code;
	nl = strchr(text_str(&p.out), '\n');
	if (p.status || !nl)
		return err_set(e, ENOENT, "%s is in no git tree", tree);
	g->dir = word(&p);
	g->objects = text_format("%.*s", (int)strcspn(nl + 1, "\n"), nl + 1);
	g->own = text_copy(own);
	return dir_make(own, e);
}

/* Hashes only: whatever git prints, it is safe as an argument afterwards. */
static int take_hash(const struct proc *p, char **out)
{
	size_t n = 0;
	const char *s = text_str(&p->out);

	while (isxdigit((unsigned char)s[n]))
		n++;
	if (p->status || (n != 40 && n != 64) || s[n] != '\n')
		return -1;
	*out = text_format("%.*s", (int)n, s);
	return 0;
}

int git_commit(const struct git *g, const char *rev, char **commit, struct err *e)
{
	_free_ char *name = text_format("%s^{commit}", rev);
	_proc_ struct proc p = {};

	if (git_run(g, NULL, NULL, &p, ARGV("rev-parse", "--verify", "--quiet", "--end-of-options",
					    name), e) < 0)
		return -e->code;
	return take_hash(&p, commit) < 0 ? err_set(e, ENOENT, "no such commit") : 0;
}

int git_tree(const struct git *g, const char *commit, char **tree, struct err *e)
{
	_free_ char *name = text_format("%s^{tree}", commit);
	_proc_ struct proc p = {};

	if (git_run(g, NULL, NULL, &p, ARGV("rev-parse", "--verify", "--quiet", "--end-of-options",
					    name), e) < 0)
		return -e->code;
	return take_hash(&p, tree) < 0 ? failed(&p, "rev-parse", e) : 0;
}

int git_apply(const struct git *g, const char *tree, const char *patch, const char *index,
	      char **out, char **why, struct err *e)
{
	_proc_ struct proc read = {}, apply = {}, write = {};
	_free_ char *path = realpath(patch, NULL);

	*out = *why = NULL;
	if (!path)
		return err_sys(e, "patch %s", patch);
	unlink(index);
	if (git_run(g, index, NULL, &read, ARGV("read-tree", tree), e) < 0)
		return -e->code;
	if (read.status)
		return failed(&read, "read-tree", e);
	if (git_run(g, index, NULL, &apply, ARGV("apply", "--cached", "--whitespace=nowarn", "--",
						 path), e) < 0)
		return -e->code;
	if (apply.status) {
		struct err said = {};

		failed(&apply, "apply", &said);
		*why = text_format("patch %s: %s", patch, said.text);
		return 1;
	}
	if (git_run(g, index, NULL, &write, ARGV("write-tree"), e) < 0)
		return -e->code;
	return take_hash(&write, out) < 0 ? failed(&write, "write-tree", e) : 0;
}

int git_lay_out(const struct git *g, const char *tree, const char *index, const char *to,
		struct err *e)
{
	_free_ char *lock = text_format("%s.lock", index);
	_proc_ struct proc refresh = {}, read = {};

	if (dir_make(to, e) < 0)
		return -e->code;
	unlink(lock);	/* of a git that was killed; the folder is ours alone */
	if (access(index, F_OK) == 0 &&
	    git_run(g, index, to, &refresh, ARGV("update-index", "-q", "--refresh"), e) < 0)
		return -e->code;
	if (git_run(g, index, to, &read, ARGV("read-tree", "--reset", "-u", tree), e) < 0)
		return -e->code;
	return read.status ? failed(&read, "read-tree", e) : 0;
}

void git_release(struct git *g)
{
	free(g->dir);
	free(g->objects);
	free(g->own);
	*g = (struct git)GIT_NONE;
}
