/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Temporary git repositories for tests. */
#pragma once

#include <fcntl.h>
#include <sys/stat.h>

#include "base/check.h"
#include "base/file.h"
#include "kernel/plumb.h"

struct repo {
	char path[64];
};

/* stdout; a failure fails the test. Caller frees. */
static inline char *repo_git(const struct repo *r, const char *const *args)
{
	static const char *const env[] = {
		"GIT_AUTHOR_NAME=An Author", "GIT_AUTHOR_EMAIL=author@example.org",
		"GIT_COMMITTER_NAME=A Committer", "GIT_COMMITTER_EMAIL=committer@example.org",
		"GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null", NULL,
	};
	_proc_ struct proc p = { .env = env };
	struct err e = {};

	if (plumb_ok(&p, r->path, args, &e) < 0)
		fail_msg("%s", e.text);
	return text_steal(&p.out);
}

static inline struct repo repo_make(void)
{
	struct repo r;

	snprintf(r.path, sizeof(r.path), "/tmp/krobot-repo-XXXXXX");
	assert_non_null(mkdtemp(r.path));
	free(repo_git(&r, ARGV("init", "-q", "-b", "main")));
	return r;
}

static inline void repo_write(const struct repo *r, const char *name, const char *content)
{
	_free_ char *path = path_join(r->path, name);
	struct err e = {};

	if (file_write(AT_FDCWD, path, content, strlen(content), &e) < 0)
		fail_msg("%s", e.text);
}

/* Writes @subject into file @name and commits it under that subject. */
static inline void repo_commit(const struct repo *r, const char *name, const char *subject)
{
	_free_ char *line = text_format("%s\n", subject);

	repo_write(r, name, line);
	free(repo_git(r, ARGV("add", "--", name)));
	free(repo_git(r, ARGV("commit", "-q", "--allow-empty", "-m", subject)));
}

static inline void repo_remove(struct repo *r)
{
	struct err e = {};

	if (dir_remove(r->path, &e) < 0)
		fail_msg("%s", e.text);
}
#define _repo_ _cleanup_(repo_remove)
