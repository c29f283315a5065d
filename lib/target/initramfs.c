/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

#include "base/file.h"
#include "target/initramfs.h"

#define FILE_MAX	(512U << 20)

struct entry {
	const char *path;	/* absolute, or the trailer's name */
	mode_t mode;
	unsigned int links, major, minor;
	const void *bytes;
	size_t n;
};

static void pad(struct text *t)
{
	while (t->len % 4)
		text_putc(t, '\0');
}

static void put(struct initramfs *i, const struct entry *x)
{
	const char *name = *x->path == '/' ? x->path + 1 : x->path;

	text_printf(&i->bytes, "070701%08X%08X%08X%08X%08X%08X%08X%08X%08X%08X%08X%08X%08X",
		    x->links ? ++i->ino : 0, x->mode, 0, 0, x->links, 0, (unsigned int)x->n,
		    0, 0, x->major, x->minor, (unsigned int)strlen(name) + 1, 0);
	text_put(&i->bytes, name, strlen(name) + 1);
	pad(&i->bytes);
	text_put(&i->bytes, x->bytes, x->n);
	pad(&i->bytes);
}

static bool is_made(const struct initramfs *i, const char *path)
{
	for (size_t k = 0; k < i->n_folders; k++)
		if (!strcmp(i->folder[k], path))
			return true;
	return false;
}

void initramfs_folder(struct initramfs *i, const char *path)
{
	_free_ char *above = path_folder(path);

	if (!strcmp(path, "/") || is_made(i, path))
		return;
	initramfs_folder(i, above);
	put(i, &(struct entry){ .path = path, .mode = S_IFDIR | 0755, .links = 2 });
	GROW(i->folder, i->n_folders);
	i->folder[i->n_folders++] = text_copy(path);
}

static void put_below(struct initramfs *i, const struct entry *x)
{
	_free_ char *above = path_folder(x->path);

	assert(*x->path == '/' && !strstr(x->path, "//") && !strstr(x->path, "/../") &&
	       !text_ends(x->path, "/.."));
	initramfs_folder(i, above);
	put(i, x);
}

void initramfs_file(struct initramfs *i, const char *path, mode_t mode, const void *bytes,
		    size_t n)
{
	put_below(i, &(struct entry){ .path = path, .mode = S_IFREG | mode, .links = 1,
				      .bytes = bytes, .n = n });
}

void initramfs_link(struct initramfs *i, const char *path, const char *to)
{
	put_below(i, &(struct entry){ .path = path, .mode = S_IFLNK | 0777, .links = 1,
				      .bytes = to, .n = strlen(to) });
}

void initramfs_device(struct initramfs *i, const char *path, mode_t mode, unsigned int major,
		      unsigned int minor)
{
	put_below(i, &(struct entry){ .path = path, .mode = S_IFCHR | mode, .links = 1,
				      .major = major, .minor = minor });
}

int initramfs_copy(struct initramfs *i, const char *path, const char *from, struct err *e)
{
	_text_ struct text bytes = {};
	struct stat st;

	if (stat(from, &st) < 0)
		return err_sys(e, "%s", from);
	if (!S_ISREG(st.st_mode))
		return err_set(e, EINVAL, "%s: not a file", from);
	if (file_read(AT_FDCWD, from, FILE_MAX, &bytes, e) < 0)
		return -e->code;
	initramfs_file(i, path, st.st_mode & S_IXUSR ? 0755 : 0644, bytes.p, bytes.len);
	return 0;
}

void initramfs_end(struct initramfs *i)
{
	put(i, &(struct entry){ .path = "TRAILER!!!" });
}

void initramfs_release(struct initramfs *i)
{
	text_release(&i->bytes);
	for (size_t k = 0; k < i->n_folders; k++)
		free(i->folder[k]);
	free(i->folder);
}
