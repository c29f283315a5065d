/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

#include "base/file.h"

int file_read(int dir, const char *path, size_t max, struct text *out, struct err *e)
{
	_close_ int fd = openat(dir, path, O_RDONLY | O_CLOEXEC);
	size_t got = 0;
	char buf[65536];

	if (fd < 0)
		return err_sys(e, "%s", path);
	for (;;) {
		ssize_t n = read(fd, buf, sizeof(buf));

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return err_sys(e, "reading %s", path);
		if (!n)
			return 0;
		got += (size_t)n;
		if (got > max)
			return err_set(e, EFBIG, "%s: more than %zu bytes", path, max);
		text_put(out, buf, (size_t)n);
	}
}

static int write_all(int fd, const char *p, size_t n)
{
	while (n) {
		ssize_t w = write(fd, p, n);

		if (w < 0 && errno == EINTR)
			continue;
		if (w < 0)
			return -1;
		p += w;
		n -= (size_t)w;
	}
	return 0;
}

static int sync_folder(int dir, const char *path)
{
	_free_ char *folder = path_folder(path);
	_close_ int fd = openat(dir, folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	return fd < 0 ? -1 : fsync(fd);
}

int file_write(int dir, const char *path, const void *bytes, size_t n, struct err *e)
{
	_free_ char *tmp = text_format("%s.new-%d", path, (int)getpid());
	_close_ int fd = openat(dir, tmp, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);

	if (fd < 0)
		return err_sys(e, "%s", tmp);
	if (write_all(fd, bytes, n) < 0 || fsync(fd) < 0 ||
	    renameat(dir, tmp, dir, path) < 0 || sync_folder(dir, path) < 0) {
		err_sys(e, "writing %s", path);
		unlinkat(dir, tmp, 0);
		return -e->code;
	}
	return 0;
}

int dir_make(const char *path, struct err *e)
{
	_free_ char *p = text_copy(path);

	for (char *slash = p + 1; *p; slash++) {
		char c = *slash;

		if (c && c != '/')
			continue;
		*slash = '\0';
		if (mkdir(p, 0777) < 0 && errno != EEXIST)
			return err_sys(e, "folder %s", p);
		*slash = c;
		if (!c)
			break;
	}
	return 0;
}

static int remove_below(int dir, const char *name, dev_t dev)
{
	_close_ int fd = openat(dir, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	struct stat st;
	struct dirent *d;
	int again;
	DIR *list;

	if (fd < 0 && (errno == ENOTDIR || errno == ELOOP))
		return unlinkat(dir, name, 0);
	if (fd < 0)
		return errno == ENOENT ? 0 : -1;
	if (fstat(fd, &st) < 0)
		return -1;
	if (dev && st.st_dev != dev) {
		errno = EXDEV;
		return -1;
	}
	again = dup(fd);
	list = again < 0 ? NULL : fdopendir(again);
	if (!list)
		return -1;
	while ((d = readdir(list))) {
		if (!strcmp(d->d_name, ".") || !strcmp(d->d_name, ".."))
			continue;
		if (remove_below(fd, d->d_name, st.st_dev) < 0 && errno != ENOENT) {
			int code = errno;

			closedir(list);
			errno = code;
			return -1;
		}
	}
	closedir(list);
	return unlinkat(dir, name, AT_REMOVEDIR);
}

int dir_remove(const char *path, struct err *e)
{
	if (remove_below(AT_FDCWD, path, 0) < 0 && errno != ENOENT)
		return err_sys(e, "removing %s", path);
	return 0;
}

char *path_join(const char *a, const char *b)
{
	return *b == '/' ? text_copy(b) : text_format("%s/%s", a, b);
}

const char *path_base(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

char *path_folder(const char *path)
{
	const char *slash = strrchr(path, '/');

	if (!slash)
		return text_copy(".");
	if (slash == path)
		return text_copy("/");
	return text_format("%.*s", (int)(slash - path), path);
}
