/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include "base/file.h"
#include "kernel/applies.h"

#define LONG_NS	(600ULL * 1000000000)

enum { E_INDEX, E_OBJECTS, E_THEIRS, E_NAME, E_EMAIL, E_DATE, E_OURS, E_OUR_EMAIL, E_OUR_DATE,
       E_COUNT };

struct trial {
	const char *tree;
	char base[COMMIT_NAME_SIZE], on[COMMIT_NAME_SIZE];
	char *env[E_COUNT + 1];
};

static void trial_release(struct trial *t)
{
	for (size_t i = 0; i < E_COUNT; i++)
		free(t->env[i]);
}

static void env_set(struct trial *t, size_t i, char *value)
{
	free(t->env[i]);
	t->env[i] = value;
}

/* Runs git there; its first line of output, if it has one, goes to @id. */
static int git(struct trial *t, struct proc *p, const char *const *args, char id[COMMIT_NAME_SIZE],
	       struct err *e)
{
	int r;

	p->env = (const char *const *)t->env;
	p->timeout_ns = LONG_NS;
	r = plumb_run(p, t->tree, args, e);
	if (r == 0 && id)
		snprintf(id, COMMIT_NAME_SIZE, "%.*s", (int)strcspn(text_str(&p->out), "\n"),
			 text_str(&p->out));
	return r;
}

static int git_ok(struct trial *t, const char *const *args, char id[COMMIT_NAME_SIZE],
		  struct err *e)
{
	_proc_ struct proc p = {};
	_text_ struct text said = {};
	int r = git(t, &p, args, id, e);

	if (r < 0 || !p.status)
		return r;
	text_put_visible(&said, text_str(&p.errs), p.errs.len < 300 ? p.errs.len : 300, true);
	return err_set(e, EIO, "git %s: %s", args[0], text_str(&said));
}

static int objects_of(const char *tree, char **out, struct err *e)
{
	_proc_ struct proc p = {};
	int r = plumb_ok(&p, tree, ARGV("rev-parse", "--path-format=absolute", "--git-path",
					"objects"), e);

	if (r == 0)
		*out = text_format("%.*s", (int)strcspn(text_str(&p.out), "\n"), text_str(&p.out));
	return r;
}

/* The date is the base's, so that the same patches always give the same commit. */
static int date_of(struct trial *t, struct err *e)
{
	_proc_ struct proc p = {};
	int r = plumb_ok(&p, t->tree, ARGV("rev-list", "--no-commit-header", "--format=%ct", "-1",
					   t->base), e);
	unsigned long long at = strtoull(text_str(&p.out), NULL, 10);

	env_set(t, E_DATE, text_format("GIT_AUTHOR_DATE=@%llu +0000", at));
	env_set(t, E_OUR_DATE, text_format("GIT_COMMITTER_DATE=@%llu +0000", at));
	return r;
}

static int trial_make(struct trial *t, const char *tree, const char *base, const char *folder,
		      struct err *e)
{
	_free_ char *theirs = NULL, *full = realpath(folder, NULL), *objects = NULL;
	int r;

	*t = (struct trial){ .tree = tree };
	if (!full)
		return err_sys(e, "%s", folder);
	objects = path_join(full, "objects");
	r = plumb_commit(tree, base, t->base, e);
	if (r == 0)
		r = dir_make(objects, e);
	if (r == 0)
		r = objects_of(tree, &theirs, e);
	if (r < 0)
		return r;
	env_set(t, E_INDEX, text_format("GIT_INDEX_FILE=%s/index", full));
	env_set(t, E_OBJECTS, text_format("GIT_OBJECT_DIRECTORY=%s", objects));
	env_set(t, E_THEIRS, text_format("GIT_ALTERNATE_OBJECT_DIRECTORIES=%s", theirs));
	env_set(t, E_NAME, text_copy("GIT_AUTHOR_NAME=unknown"));
	env_set(t, E_EMAIL, text_copy("GIT_AUTHOR_EMAIL=unknown@localhost"));
	env_set(t, E_OURS, text_copy("GIT_COMMITTER_NAME=krobot"));
	env_set(t, E_OUR_EMAIL, text_copy("GIT_COMMITTER_EMAIL=krobot@localhost"));
	memcpy(t->on, t->base, sizeof(t->on));
	r = date_of(t, e);
	return r < 0 ? r : git_ok(t, ARGV("read-tree", t->base), NULL, e);
}

/* Whether it would come off again: then it is in already. */
static int is_in(struct trial *t, const char *diff, struct err *e)
{
	_proc_ struct proc p = { .in = diff, .in_len = strlen(diff) };
	int r = git(t, &p, ARGV("apply", "--cached", "--check", "--reverse", "-"), NULL, e);

	return r < 0 ? r : !p.status;
}

/* 1 and ->why: it does not apply. */
static int apply(struct trial *t, struct applied *a, const struct patchmail_patch *p,
		 struct err *e)
{
	const char *diff = p->mail + p->diff;
	_proc_ struct proc run = { .in = diff, .in_len = strlen(diff) };
	_text_ struct text why = {};
	int r = git(t, &run, ARGV("apply", "--cached", "--whitespace=nowarn", "-"), NULL, e);

	if (r < 0 || !run.status)
		return r;
	r = is_in(t, diff, e);
	if (r < 0)
		return r;
	text_printf(&why, "%s: ", p->origin);
	if (r)
		text_printf(&why, "it is in %.12s already", t->on);
	else
		text_put_visible(&why, text_str(&run.errs), run.errs.len < 2000 ? run.errs.len : 2000,
				 false);
	while (why.len && why.p[why.len - 1] == '\n')
		why.p[--why.len] = '\0';
	a->why = text_steal(&why);
	return 1;
}

static int commit(struct trial *t, struct applied *a, const struct patchmail_patch *p,
		  struct err *e)
{
	const char *subject = p->subject && *p->subject ? p->subject : "a patch";
	int r;

	if (p->author && *p->author)
		env_set(t, E_NAME, text_format("GIT_AUTHOR_NAME=%s", p->author));
	if (p->email && *p->email)
		env_set(t, E_EMAIL, text_format("GIT_AUTHOR_EMAIL=%s", p->email));
	r = git_ok(t, ARGV("write-tree"), a->tree_hash, e);
	if (r == 0)
		r = git_ok(t, ARGV("commit-tree", "-p", t->on, "-m", subject, a->tree_hash), a->commit, e);
	memcpy(t->on, a->commit, sizeof(t->on));
	return r;
}

static int put_file(struct applied *a, const char *folder, const struct patchmail_patch *p,
		    struct err *e)
{
	const char *diff = p->mail + p->diff;
	char *path = text_format("%s/%04zu.patch", folder, a->n + 1);

	GROW(a->patch_file, a->n);
	a->patch_file[a->n++] = path;
	return file_write(AT_FDCWD, path, diff, strlen(diff), e);
}

static int try_all(struct trial *t, struct applied *a, const struct patchmail *m,
		   const char *folder, struct err *e)
{
	char before[COMMIT_NAME_SIZE];
	int r = git_ok(t, ARGV("write-tree"), before, e);

	for (size_t i = 0; r == 0 && i < m->n; i++) {
		a->failed = i;
		r = apply(t, a, &m->v[i], e);
		if (r == 0)
			r = commit(t, a, &m->v[i], e);
		if (r == 0)
			r = put_file(a, folder, &m->v[i], e);
	}
	if (r != 0)
		return r < 0 ? r : APPLIES_NOT;
	return strcmp(before, a->tree_hash) ? APPLIES_ALL : APPLIES_NOTHING_NEW;
}

int applies_try(struct applied *a, const char *tree, const char *base, const struct patchmail *m,
		const char *folder, struct err *e)
{
	_cleanup_(trial_release) struct trial t = {};
	int r = trial_make(&t, tree, base, folder, e);

	if (r == 0 && !m->n)
		return err_set(e, EINVAL, "no patch is given");
	return r < 0 ? r : try_all(&t, a, m, folder, e);
}

int applies_revert(const char *tree, const char *commit, struct patchmail *m, struct err *e)
{
	_free_ char *spec = text_format("%s^1", commit), *name = NULL;
	char id[COMMIT_NAME_SIZE], parent[COMMIT_NAME_SIZE];
	_proc_ struct proc p = { .timeout_ns = LONG_NS };
	int r = plumb_commit(tree, commit, id, e);

	if (r < 0)
		return r;
	if (plumb_commit(tree, spec, parent, e) < 0)
		return err_set(e, EINVAL, "%.12s has no parent to go back to", id);
	r = plumb_ok(&p, tree, ARGV("diff-tree", "-p", "--binary", "--full-index", "--no-ext-diff",
				    "--no-textconv", "--no-color", "--no-renames", id, parent), e);
	if (r < 0)
		return r;
	name = text_format("revert of %.12s", id);
	return patchmail_parse(m, text_str(&p.out), p.out.len, name, e);
}

void applied_release(struct applied *a)
{
	for (size_t i = 0; i < a->n; i++)
		free(a->patch_file[i]);
	free(a->patch_file);
	free(a->why);
	*a = (struct applied){};
}
