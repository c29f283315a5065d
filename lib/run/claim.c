/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <sys/file.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/record.h"
#include "run/claim.h"
#include "run/result.h"
#include "run/setup.h"
#include "run/tree.h"

#define RUNNING "running"
#define SETTINGS "settings"

/* Processes and settings do not outlive a boot; folders do. */
static void boot_id(struct text *out)
{
	struct err ignored;

	if (file_read(AT_FDCWD, "/proc/sys/kernel/random/boot_id", 4096, out, &ignored) < 0)
		text_puts(out, "unknown");
	while (out->len && out->p[out->len - 1] == '\n')
		out->p[--out->len] = '\0';
}

static int write_note(const struct claim *c, struct err *e)
{
	_text_ struct text boot = {}, t = {};

	boot_id(&boot);
	record_put_line(&t, "boot", text_str(&boot));
	record_put_line(&t, "result", c->result);
	if (c->cgroup)
		record_put_line(&t, "cgroup", c->cgroup);
	if (write(c->fd, t.p, t.len) != (ssize_t)t.len || fsync(c->fd) < 0)
		return err_sys(e, "%s", c->path);
	return 0;
}

/* The lock is taken under another name, so that no sweep can come between. */
int claim_make(struct claim *c, const char *state, const char *result, struct err *e)
{
	_free_ char *folder = path_join(state, RUNNING), *name = NULL, *hidden = NULL;

	*c = (struct claim)CLAIM_NONE;
	if (dir_make(folder, e) < 0)
		return -e->code;
	name = text_format("%d-%" PRIx64, (int)getpid(), clock_wall_ns());
	hidden = text_format("%s/.%s", folder, name);
	c->fd = open(hidden, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
	if (c->fd < 0 || flock(c->fd, LOCK_EX | LOCK_NB) < 0)
		return err_sys(e, "%s", hidden);
	c->state = text_copy(state);
	c->result = text_copy(result);
	c->cgroup = cgroup_make();
	c->path = path_join(folder, name);
	c->settings = text_format("%s/" SETTINGS "/%s", state, name);
	if (write_note(c, e) < 0)
		goto failed;
	if (rename(hidden, c->path) < 0) {
		err_sys(e, "%s", c->path);
		goto failed;
	}
	return 0;
failed:
	unlink(hidden);
	cgroup_remove(c->cgroup);
	return -e->code;
}

static int put_back(const struct claim *c, struct err *e)
{
	_close_ int root = open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	_setup_ struct setup s = { .root = root, .snapshot = c->settings, .lock = -1 };

	if (c->rebooted)
		return unlink(c->settings) < 0 && errno != ENOENT ? err_sys(e, "%s", c->settings) : 0;
	return setup_put_back(&s, e);
}

int claim_close(struct claim *c, struct err *e)
{
	_free_ char *work = path_join(c->result, RESULT_WORK);

	cgroup_remove(c->cgroup);
	if (put_back(c, e) < 0 || dir_remove(work, e) < 0)
		return -e->code;
	if (unlink(c->path) < 0 && errno != ENOENT)
		return err_sys(e, "%s", c->path);
	return 0;
}

int claim_settle(struct claim *c, struct err *e)
{
	_free_ char *mark = text_format("RESULT_ROOT=%s", c->result);

	cgroup_kill(c->cgroup);
	tree_kill_marked(mark);
	return claim_close(c, e);
}

/* 1 if it is held by someone, or is no longer there. */
static int claim_read(struct claim *c, const char *state, const char *path, struct err *e)
{
	_record_ struct record r = {};
	_text_ struct text now = {};
	const char *boot;

	*c = (struct claim)CLAIM_NONE;
	c->fd = open(path, O_RDWR | O_CLOEXEC);
	if (c->fd < 0)
		return errno == ENOENT ? 1 : err_sys(e, "%s", path);
	if (flock(c->fd, LOCK_EX | LOCK_NB) < 0)
		return errno == EWOULDBLOCK ? 1 : err_sys(e, "%s", path);
	if (record_read(&r, AT_FDCWD, path, e) < 0)
		return e->code == ENOENT ? 1 : -e->code;
	boot = record_get(&r, "boot");
	c->result = text_copy(record_get(&r, "result"));
	if (!boot || !c->result || *c->result != '/')
		return err_set(e, EINVAL, "%s: not the note of a run", path);
	boot_id(&now);
	c->rebooted = strcmp(boot, text_str(&now)) != 0;
	if (!c->rebooted)
		c->cgroup = text_copy(record_get(&r, "cgroup"));
	c->settings = text_format("%s/" SETTINGS "/%s", state, path_base(path));
	c->state = text_copy(state);
	c->path = text_copy(path);
	return 0;
}

int claim_sweep(const char *state, struct err *e)
{
	_free_ char *folder = path_join(state, RUNNING);
	DIR *list = opendir(folder);
	struct dirent *d;
	int r = 0;

	if (!list)
		return errno == ENOENT ? 0 : err_sys(e, "%s", folder);
	while ((d = readdir(list))) {
		_free_ char *path = path_join(folder, d->d_name);
		_claim_ struct claim c = CLAIM_NONE;
		struct err mine = {};
		int k;

		if (*d->d_name == '.')
			continue;
		k = claim_read(&c, state, path, &mine);
		if (k == 0)
			k = claim_settle(&c, &mine);
		if (k < 0 && r == 0) {
			*e = mine;
			r = k;
		}
	}
	closedir(list);
	return r;
}

void claim_release(struct claim *c)
{
	free(c->state);
	free(c->path);
	free(c->result);
	free(c->cgroup);
	free(c->settings);
	closep(&c->fd);
	*c = (struct claim)CLAIM_NONE;
}
