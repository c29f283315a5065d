/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <string.h>

#include "kernel/candidates.h"

#define MOST		100000U
#define PATHS_MOST	100
#define SUBJECT_MOST	300

/* Fields of a commit by rev-list, parted by NUL and ended by a newline. */
#define FORMAT	"--format=%H%x00%P%x00%an <%ae>%x00%ct%x00%s"
enum { F_ID, F_PARENTS, F_AUTHOR, F_TIME, F_SUBJECT, F_COUNT };

static char *visible(const char *s)
{
	_text_ struct text t = {};

	text_put_visible(&t, s, strnlen(s, SUBJECT_MOST), true);
	return text_steal(&t);
}

static unsigned int words_count(const char *s)
{
	unsigned int n = *s ? 1 : 0;

	for (; *s; s++)
		n += *s == ' ';
	return n;
}

static void add(struct candidates *c, const char *const f[F_COUNT])
{
	struct candidate *v;

	if (!c->n)
		snprintf(c->good, sizeof(c->good), "%.*s", (int)strcspn(f[F_PARENTS], " "),
			 f[F_PARENTS]);
	GROW(c->v, c->n);
	v = &c->v[c->n++];
	*v = (struct candidate){
		.subject = visible(f[F_SUBJECT]), .author = visible(f[F_AUTHOR]),
		.committed = strtoull(f[F_TIME], NULL, 10), .parents = words_count(f[F_PARENTS]),
	};
	snprintf(v->id, sizeof(v->id), "%s", f[F_ID]);
}

/* NULs part the fields, so the newline after the last cannot be one within. */
static int parse(struct candidates *c, const struct text *t, struct err *e)
{
	const char *p = text_str(t), *end = p + t->len;

	while (p < end) {
		_text_ struct text subject = {};
		const char *f[F_COUNT], *nl;

		for (int i = 0; i < F_SUBJECT; i++) {
			f[i] = p;
			p = memchr(p, '\0', (size_t)(end - p));
			if (!p++)
				return err_set(e, EPROTO, "git rev-list: a line is cut");
		}
		nl = memchr(p, '\n', (size_t)(end - p));
		if (!nl || strlen(f[F_ID]) >= COMMIT_NAME_SIZE)
			return err_set(e, EPROTO, "git rev-list: a line is cut");
		text_put(&subject, p, (size_t)(nl - p));
		f[F_SUBJECT] = text_str(&subject);
		add(c, f);
		p = nl + 1;
	}
	return 0;
}

static int line_list(struct candidates *c, const char *tree, const char *from, const char *to,
		     const char *const *paths, size_t max, struct err *e)
{
	_free_ char *without = text_format("^%s", from);
	_free_ char *most = text_format("--max-count=%zu", max + 1);
	const char *args[PATHS_MOST + 12] = {
		"rev-list", "--first-parent", "--reverse", "--no-commit-header", "--encoding=UTF-8",
		most, FORMAT, to, without, "--",
	};
	_proc_ struct proc p = { .out_max = 512U << 20, .timeout_ns = 600ULL * 1000000000 };
	size_t n = 10;
	int r;

	for (size_t i = 0; paths && paths[i]; i++) {
		if (i == PATHS_MOST)
			return err_set(e, E2BIG, "more than %d paths", PATHS_MOST);
		args[n++] = paths[i];
	}
	r = plumb_ok(&p, tree, args, e);
	if (r < 0)
		return r;
	r = parse(c, &p.out, e);
	if (r == 0 && c->n > max)
		return err_set(e, E2BIG, "more than %zu commits", max);
	return r;
}

/* The two have parted: say where. */
static int not_ancestor(const struct candidates_query *q, const struct candidates *c,
			struct err *e)
{
	_proc_ struct proc p = {};
	int r = plumb_run(&p, q->tree, ARGV("merge-base", c->good, c->bad), e);

	if (r < 0)
		return r;
	if (p.status || p.out.len < 40)
		return err_set(e, EINVAL, "good %.12s and bad %.12s have no common history", c->good,
			       c->bad);
	return err_set(e, EINVAL, "good %.12s is not an ancestor of bad %.12s; they parted at %.12s, "
		       "which is the good to try", c->good, c->bad, p.out.p);
}

static int ancestry_check(const struct candidates_query *q, const struct candidates *c,
			  struct err *e)
{
	_proc_ struct proc p = {};
	int r;

	if (!strcmp(c->good, c->bad))
		return err_set(e, EINVAL, "good and bad are the same commit %.12s", c->good);
	r = plumb_run(&p, q->tree, ARGV("merge-base", "--is-ancestor", c->good, c->bad), e);
	if (r < 0)
		return r;
	if (p.status > 1)
		return err_set(e, EIO, "git merge-base: status %d", p.status);
	return p.status ? not_ancestor(q, c, e) : 0;
}

int candidates_list(struct candidates *c, const struct candidates_query *q, struct err *e)
{
	int r = plumb_commit(q->tree, q->good, c->good, e);

	if (r == 0)
		r = plumb_commit(q->tree, q->bad, c->bad, e);
	if (r == 0)
		r = ancestry_check(q, c, e);
	if (r == 0)
		r = line_list(c, q->tree, c->good, c->bad, q->paths, q->max ? q->max : MOST, e);
	if (r == 0 && !c->n)
		return err_set(e, EINVAL, "no commit between %.12s and %.12s touches these paths",
			       c->good, c->bad);
	return r;
}

int candidates_inside(struct candidates *c, const char *tree, const char *id,
		      unsigned int parent, struct err *e)
{
	_free_ char *first = text_format("%s^1", id);
	_free_ char *other = text_format("%s^%u", id, parent);
	char onto[COMMIT_NAME_SIZE], tip[COMMIT_NAME_SIZE], merge[COMMIT_NAME_SIZE];
	char good[COMMIT_NAME_SIZE];
	_free_ char *alone = NULL;
	int r = plumb_commit(tree, id, merge, e);

	if (r < 0)
		return r;
	if (parent < 2 || plumb_commit(tree, other, tip, e) < 0)
		return err_set(e, EINVAL, "%.12s has no merged parent %u", merge, parent);
	r = plumb_commit(tree, first, onto, e);
	if (r == 0)
		r = line_list(c, tree, onto, tip, NULL, MOST, e);
	if (r < 0)
		return r;
	memcpy(good, c->n ? c->good : onto, sizeof(good));
	alone = text_format("%s^1", merge);
	r = line_list(c, tree, alone, merge, NULL, MOST, e);
	memcpy(c->good, good, sizeof(good));
	memcpy(c->bad, merge, sizeof(merge));
	return r;
}

void candidates_release(struct candidates *c)
{
	for (size_t i = 0; i < c->n; i++) {
		free(c->v[i].subject);
		free(c->v[i].author);
	}
	free(c->v);
	*c = (struct candidates){};
}

int candidate_patch_id(const char *tree, const char *id, char out[COMMIT_NAME_SIZE], struct err *e)
{
	char commit[COMMIT_NAME_SIZE];
	_proc_ struct proc diff = { .out_max = 256U << 20 }, hash = {};
	size_t n;
	int r = plumb_commit(tree, id, commit, e);

	*out = '\0';
	if (r == 0)
		r = plumb_ok(&diff, tree, ARGV("diff-tree", "-p", "--root", "--no-ext-diff",
					       "--no-textconv", "--no-color", commit), e);
	if (r < 0 || !diff.out.len)
		return r;
	hash.in = diff.out.p;
	hash.in_len = diff.out.len;
	r = plumb_ok(&hash, tree, ARGV("patch-id", "--stable"), e);
	n = strspn(text_str(&hash.out), "0123456789abcdef");
	if (r == 0 && n >= 40 && n < COMMIT_NAME_SIZE) {
		memcpy(out, hash.out.p, n);
		out[n] = '\0';
	}
	return r;
}
