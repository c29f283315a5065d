/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fts.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>

#include "base/file.h"
#include "base/proc.h"
#include "kernel/cache.h"

#define KERNELS "kernels"

static int lock(int fd, int how, struct err *e)
{
	while (flock(fd, how) < 0)
		if (errno != EINTR)
			return err_sys(e, "locking");
	return 0;
}

/* 0 when the folder is whole, 1 when not. */
static int read_info(const struct cache_entry *x, struct record *info, struct err *e)
{
	_free_ char *path = path_join(x->folder, CACHE_INFO);

	if (access(path, F_OK) < 0)
		return errno == ENOENT ? 1 : err_sys(e, "%s", path);
	utimensat(AT_FDCWD, path, NULL, 0);	/* used last: now */
	return record_read(info, AT_FDCWD, path, e);
}

int cache_open(struct cache_entry *x, const char *cache, const char *key, struct record *info,
	       struct err *e)
{
	_free_ char *file = text_format("%s/" KERNELS "/%s.lock", cache, key);
	_free_ char *above = path_folder(file);
	int r;

	*x = (struct cache_entry){ .lock = -1,
				   .folder = text_format("%s/" KERNELS "/%s", cache, key) };
	if (dir_make(above, e) < 0)
		return -e->code;
	x->lock = open(file, O_RDWR | O_CREAT | O_CLOEXEC, 0644);
	if (x->lock < 0)
		return err_sys(e, "%s", file);
	if (lock(x->lock, LOCK_SH, e) < 0)
		return -e->code;
	r = read_info(x, info, e);
	if (r <= 0)
		return r;
	/* The shared lock is given up in between: someone may have been faster. */
	if (lock(x->lock, LOCK_EX, e) < 0)
		return -e->code;
	r = read_info(x, info, e);
	if (r < 0)
		return r;
	if (r == 0)
		return lock(x->lock, LOCK_SH, e);
	if (dir_remove(x->folder, e) < 0 || dir_make(x->folder, e) < 0)
		return -e->code;
	return 1;
}

int cache_done(struct cache_entry *x, const struct record *info, struct err *e)
{
	_free_ char *path = path_join(x->folder, CACHE_INFO);

	if (record_write(info, AT_FDCWD, path, e) < 0)
		return -e->code;
	return lock(x->lock, LOCK_SH, e);
}

struct whole {
	char *folder;
	struct timespec used;
	uint64_t bytes;
};

static uint64_t bytes_below(const char *folder)
{
	char *const paths[] = { (char *)folder, NULL };
	FTS *fts = fts_open(paths, FTS_PHYSICAL | FTS_NOCHDIR, NULL);
	uint64_t bytes = 0;
	FTSENT *f;

	while (fts && (f = fts_read(fts)))
		if (f->fts_info == FTS_F)
			bytes += (uint64_t)f->fts_statp->st_blocks * 512;
	if (fts)
		fts_close(fts);
	return bytes;
}

static int by_use(const void *a, const void *b)
{
	const struct timespec *x = &((const struct whole *)a)->used;
	const struct timespec *y = &((const struct whole *)b)->used;

	if (x->tv_sec != y->tv_sec)
		return x->tv_sec < y->tv_sec ? -1 : 1;
	return (x->tv_nsec > y->tv_nsec) - (x->tv_nsec < y->tv_nsec);
}

static int list_whole(const char *kernels, struct whole **v, size_t *n, struct err *e)
{
	DIR *list = opendir(kernels);
	struct dirent *d;

	if (!list)
		return errno == ENOENT ? 0 : err_sys(e, "%s", kernels);
	while ((d = readdir(list))) {
		_free_ char *folder = path_join(kernels, d->d_name);
		_free_ char *info = path_join(folder, CACHE_INFO);
		struct stat st;

		if (d->d_name[0] == '.' || stat(info, &st) < 0)
			continue;
		GROW(*v, *n);
		(*v)[*n] = (struct whole){ .bytes = bytes_below(folder), .used = st.st_mtim };
		(*v)[(*n)++].folder = steal(folder);
	}
	closedir(list);
	return 0;
}

/* False when it is in use. The record goes first: what is left then is not whole. */
static bool drop(const char *folder, struct err *e)
{
	_free_ char *file = text_format("%s.lock", folder), *info = path_join(folder, CACHE_INFO);
	_close_ int fd = open(file, O_RDWR | O_CREAT | O_CLOEXEC, 0644);

	if (fd < 0 || flock(fd, LOCK_EX | LOCK_NB) < 0)
		return false;
	return unlink(info) == 0 && dir_remove(folder, e) == 0;
}

int cache_trim(const char *cache, uint64_t max, struct err *e)
{
	_free_ char *kernels = path_join(cache, KERNELS);
	struct whole *v = NULL;
	uint64_t bytes = 0;
	size_t n = 0;
	int r = list_whole(kernels, &v, &n, e);

	if (n)
		qsort(v, n, sizeof(*v), by_use);
	for (size_t i = 0; i < n; i++)
		bytes += v[i].bytes;
	for (size_t i = 0; i < n; i++) {
		struct err ignored;	/* it is tried again the next time */

		if (bytes > max && drop(v[i].folder, &ignored))
			bytes -= v[i].bytes;
		free(v[i].folder);
	}
	free(v);
	return r;
}

void cache_entry_release(struct cache_entry *x)
{
	free(x->folder);
	closep(&x->lock);
	*x = (struct cache_entry)CACHE_ENTRY_NONE;
}

static int hash(struct proc *p, char **out, struct err *e)
{
	if (proc_ok(p, e) < 0)
		return -e->code;
	if (p->out.len < 40)
		return err_set(e, EIO, "git hash-object: '%s'", text_str(&p->out));
	*out = text_format("%.40s", p->out.p);
	return 0;
}

int cache_hash(const void *bytes, size_t n, char **out, struct err *e)
{
	_proc_ struct proc p = { .argv = ARGV("git", "hash-object", "--stdin"),
				 .in = bytes, .in_len = n };

	return hash(&p, out, e);
}

int cache_hash_file(const char *path, char **out, struct err *e)
{
	_proc_ struct proc p = { .argv = ARGV("git", "hash-object", "--no-filters", "--", path) };

	return hash(&p, out, e);
}
