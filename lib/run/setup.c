/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <time.h>

#include "base/file.h"
#include "run/setting.h"
#include "run/setup.h"

#define LOCKED "proc/sys"	/* a folder that every root has */
#define PATIENCE_MS 10000

static int lock(struct setup *s, struct err *e)
{
	unsigned int left = s->patience_ms ? s->patience_ms : PATIENCE_MS;
	struct timespec pause = { .tv_nsec = 1000000 };

	if (s->lock >= 0)
		return 0;
	s->lock = openat(s->root, LOCKED, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (s->lock < 0)
		return err_sys(e, LOCKED);
	for (; flock(s->lock, LOCK_EX | LOCK_NB) < 0; left--) {
		if (errno != EWOULDBLOCK || !left)
			return err_set(e, EBUSY, "another run holds the machine's settings");
		nanosleep(&pause, NULL);
	}
	return 0;
}

static void unlock(struct setup *s)
{
	closep(&s->lock);
	s->lock = -1;
}

/* "PATH=VALUE", where neither is empty: a snapshot may have been edited. */
static bool split(const char *pair, char **path, char **value)
{
	const char *equals = strchr(pair, '=');

	*path = *value = NULL;
	if (!equals || equals == pair || !setting_path_is_safe(pair, (size_t)(equals - pair)))
		return false;
	*path = text_format("%.*s", (int)(equals - pair), pair);
	*value = text_copy(equals + 1);
	return true;
}

/* One change that is to be made. */
struct change {
	struct setting at;
	char *value;
};

struct changes {
	struct change *v;
	size_t n;
};

static void changes_release(struct changes *c)
{
	for (size_t i = 0; i < c->n; i++) {
		setting_release(&c->v[i].at);
		free(c->v[i].value);
	}
	free(c->v);
}

/* Which files a KEY=VALUE means, and what goes into each. */
static int resolve(struct setup *s, struct changes *all, const char *pair, struct err *e)
{
	const char *value = strchr(pair, '=') + 1;
	_free_ char *key = text_format("%.*s", (int)(value - 1 - pair), pair);
	struct setting *found = NULL;
	int n = setting_find(s->root, key, &found, e);

	if (n < 0)
		return n;
	if (n == 0)
		record_add(&s->told, SETUP_UNAVAILABLE, pair);
	for (int i = 0; i < n; i++) {
		GROW(all->v, all->n);
		all->v[all->n++] = (struct change){ found[i], setting_value(&found[i], value) };
	}
	free(found);
	return 0;
}

/* The old values, on disk: from here on they can be put back by anyone. */
static int snapshot(struct setup *s, const struct changes *all, struct err *e)
{
	_free_ char *folder = path_folder(s->snapshot);
	_record_ struct record r = {};

	for (size_t i = 0; i < all->n; i++) {
		_free_ char *path = NULL, *was = NULL;

		if (setting_read_active(s->root, &all->v[i].at, &path, &was, e) < 0)
			return -e->code;
		record_addf(&r, SETUP_WAS, "%s=%s", path, was);
		record_addf(&s->told, SETUP_WAS, "%s=%s", path, was);
	}
	if (dir_make(folder, e) < 0)
		return -e->code;
	return record_write(&r, AT_FDCWD, s->snapshot, e);
}

static int set_all(struct setup *s, const struct changes *all, struct err *e)
{
	for (size_t i = 0; i < all->n; i++) {
		const struct change *c = &all->v[i];

		if (setting_write(s->root, c->at.path, c->value, e) < 0)
			return -e->code;
		record_addf(&s->told, SETUP_SET, "%s=%s", c->at.path, c->value);
	}
	return 0;
}

int setup_apply(struct setup *s, const struct plan_list *set, struct err *e)
{
	_cleanup_(changes_release) struct changes all = {};
	struct err back = {};

	if (!set->n)
		return 0;
	if (lock(s, e) < 0)
		return -e->code;
	if (access(s->snapshot, F_OK) == 0)
		return err_set(e, EBUSY, "%s: an older snapshot is still there", s->snapshot);
	for (size_t i = 0; i < set->n; i++)
		if (resolve(s, &all, set->v[i], e) < 0)
			return -e->code;
	if (!all.n)
		return 0;
	if (snapshot(s, &all, e) < 0)
		return -e->code;
	if (set_all(s, &all, e) == 0)
		return 0;
	if (setup_put_back(s, &back) < 0)
		err_in(e, "%s", back.text);
	return -e->code;
}

/* -errno of the first that failed; a setting that is gone has not failed. */
static int put_back_all(struct setup *s, const struct record *r, struct err *e)
{
	int first = 0;

	for (size_t i = r->n; i-- > 0;) {
		_free_ char *path = NULL, *value = NULL;
		struct err one = {};

		if (strcmp(r->line[i].key, SETUP_WAS) || !split(r->line[i].value, &path, &value))
			err_set(&one, EINVAL, "%s: '%s' is not a setting", s->snapshot,
				r->line[i].value);
		else if (setting_write(s->root, path, value, &one) < 0 && one.code == ENOENT)
			continue;
		if (one.code && !first) {
			first = -one.code;
			*e = one;
		}
	}
	return first;
}

int setup_put_back(struct setup *s, struct err *e)
{
	_record_ struct record r = {};

	if (access(s->snapshot, F_OK) < 0 && errno == ENOENT) {
		unlock(s);
		return 0;
	}
	if (lock(s, e) < 0 || record_read(&r, AT_FDCWD, s->snapshot, e) < 0 ||
	    put_back_all(s, &r, e) < 0)
		return err_in(e, "putting back the machine's settings");
	if (unlink(s->snapshot) < 0)
		return err_sys(e, "%s", s->snapshot);
	unlock(s);
	return 0;
}

void setup_release(struct setup *s)
{
	record_release(&s->told);
	unlock(s);
}
