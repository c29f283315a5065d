/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <string.h>

#include "kernel/plumb.h"

#define ARGS_MOST	200

/* Signing, hooks, pagers and monitors of the user have no place in a measurement. */
static const char *const before[] = {
	"git", "--no-pager", "--no-optional-locks", "--literal-pathspecs",
	"-c", "core.hooksPath=/dev/null", "-c", "core.fsmonitor=false",
	"-c", "commit.gpgSign=false", "-c", "core.quotePath=true", "-c", "gc.auto=0",
};

static const char *const refused[] = {
	"GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY", "GIT_NAMESPACE",
	"GIT_ALTERNATE_OBJECT_DIRECTORIES", "GIT_EXTERNAL_DIFF", "GIT_PREFIX", "GIT_COMMON_DIR",
	"GIT_CEILING_DIRECTORIES", "LC_ALL", "LANGUAGE", "GIT_TERMINAL_PROMPT",
};

extern char **environ;

static bool is_refused(const char *variable)
{
	size_t n = strcspn(variable, "=");

	for (size_t i = 0; i < COUNT(refused); i++)
		if (strlen(refused[i]) == n && !memcmp(refused[i], variable, n))
			return true;
	return false;
}

/* Ours without what bends git; @extra, if any, comes on top. Caller frees. */
static const char **environment(const char *const *extra)
{
	const char **env;
	size_t n = 0, k = 0;

	while (environ[n])
		n++;
	for (size_t i = 0; extra && extra[i]; i++)
		n++;
	env = mem_zero(n + 3, sizeof(*env));
	env[k++] = "LC_ALL=C";
	env[k++] = "GIT_TERMINAL_PROMPT=0";
	for (size_t i = 0; environ[i]; i++)
		if (!is_refused(environ[i]))
			env[k++] = environ[i];
	for (size_t i = 0; extra && extra[i]; i++)
		env[k++] = extra[i];
	return env;
}

static int call(struct proc *p, const char *tree, const char *const *args,
		int (*run)(struct proc *, struct err *), struct err *e)
{
	const char *argv[ARGS_MOST + COUNT(before) + 1] = {};
	const char *const *extra = p->env;
	_free_ const char **env = environment(extra);
	size_t n = 0;
	int r;

	for (size_t i = 0; i < COUNT(before); i++)
		argv[n++] = before[i];
	for (size_t i = 0; args[i]; i++) {
		if (i == ARGS_MOST)
			return err_set(e, E2BIG, "git %s: more than %d arguments", args[0], ARGS_MOST);
		argv[n++] = args[i];
	}
	p->argv = argv;
	p->env = env;
	p->cwd = tree;
	r = run(p, e);
	p->argv = NULL;
	p->env = extra;
	return r < 0 ? err_in(e, "git %s", args[0]) : r;
}

int plumb_run(struct proc *p, const char *tree, const char *const *args, struct err *e)
{
	return call(p, tree, args, proc_run, e);
}

int plumb_ok(struct proc *p, const char *tree, const char *const *args, struct err *e)
{
	return call(p, tree, args, proc_ok, e);
}

int plumb_commit(const char *tree, const char *name, char id[COMMIT_NAME_SIZE], struct err *e)
{
	_free_ char *spec = text_format("%s^{commit}", name);
	_text_ struct text shown = {};
	_proc_ struct proc p = {};
	size_t n;
	int r = plumb_run(&p, tree, ARGV("rev-parse", "--verify", "--quiet", "--end-of-options",
					 spec), e);

	if (r < 0)
		return r;
	n = strspn(text_str(&p.out), "0123456789abcdef");
	if (!p.status && n >= 40 && n < COMMIT_NAME_SIZE && p.out.p[n] == '\n') {
		memcpy(id, p.out.p, n);
		id[n] = '\0';
		return 0;
	}
	text_put_visible(&shown, name, strnlen(name, 100), true);
	return err_set(e, ENOENT, "'%s' is no commit of %s%s%s", text_str(&shown), tree,
		       p.errs.len ? ": " : "", p.errs.len ? "see git fsck" : "");
}
