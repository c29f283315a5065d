/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <ctype.h>
#include <errno.h>
#include <glob.h>
#include <string.h>
#include <sys/stat.h>

#include "base/file.h"
#include "base/proc.h"
#include "kernel/fill.h"
#include "kernel/package.h"

#define PREFIX		"linux-image-"
#define MANY_MINUTES	(20ULL * 60 * 1000000000)

/* Debian's rule for names; so nothing in it can be an option or a path. */
static bool name_ok(const char *name)
{
	if (!isalnum((unsigned char)*name))
		return false;
	for (; *name; name++)
		if (!islower((unsigned char)*name) && !isdigit((unsigned char)*name) &&
		    !strchr("+-.", *name))
			return false;
	return true;
}

/* The image that a meta-package depends on; NULL if it depends on none. */
static char *image_of_meta(const char *name)
{
	static const char mark[] = " Depends: " PREFIX;
	_proc_ struct proc p = { .argv = ARGV("apt-cache", "depends", "--", name) };
	struct err ignored;
	const char *at;

	if (proc_ok(&p, &ignored) < 0 || !(at = strstr(text_str(&p.out), mark)))
		return NULL;
	at += strlen(mark) - strlen(PREFIX);
	return text_format("%.*s", (int)strcspn(at, " \n"), at);
}

/* "'URI' FILE SIZE HASH": the name of the file that the archive has now. */
static char *current_file(const char *name)
{
	_proc_ struct proc p = { .argv = ARGV("apt-get", "download", "--print-uris", "-q", "--",
					      name) };
	_free_ char *file = NULL;
	struct err ignored;

	if (proc_ok(&p, &ignored) < 0 ||
	    sscanf(text_str(&p.out), "'%*[^']' %ms", &file) != 1 || strchr(file, '/'))
		return NULL;
	return steal(file);
}

/* Any version of it that was got before: better than none without a network. */
static char *got_before(const char *folder, const char *name)
{
	_free_ char *pattern = text_format("%s/%s_*.deb", folder, name);
	char *path = NULL;
	glob_t g;

	if (glob(pattern, 0, NULL, &g) == 0) {
		path = text_copy(g.gl_pathv[g.gl_pathc - 1]);
		globfree(&g);
	}
	return path;
}

/* In a folder of its own and then renamed: two may do it at once, or be killed. */
static int download(const char *folder, const char *name, const char *file, struct err *e)
{
	_free_ char *tmp = text_format("%s/new-%d", folder, (int)getpid());
	_free_ char *from = path_join(tmp, file), *to = path_join(folder, file);
	_proc_ struct proc p = { .argv = ARGV("apt-get", "download", "-q", "--", name),
				 .cwd = tmp, .timeout_ns = MANY_MINUTES };
	struct err later;
	int r;

	if (dir_make(tmp, e) < 0)
		return -e->code;
	r = proc_ok(&p, e);
	if (r == 0 && rename(from, to) < 0)
		r = err_sys(e, "%s", to);
	return dir_remove(tmp, &later) < 0 && r == 0 ? (*e = later, -e->code) : r;
}

int package_get(const char *cache, const char *name, char **path, struct err *e)
{
	_free_ char *folder = path_join(cache, "debian"), *image = NULL, *file = NULL;

	if (!name_ok(name))
		return err_set(e, EINVAL, "'%s' is not a package's name", name);
	if (dir_make(folder, e) < 0)
		return -e->code;
	image = image_of_meta(name);
	if (image && name_ok(image))
		name = image;
	file = current_file(name);
	if (file) {
		_free_ char *there = path_join(folder, file);

		if (access(there, R_OK) < 0 && download(folder, name, file, e) < 0)
			return err_in(e, "package %s", name);
		*path = steal(there);
		return 0;
	}
	*path = got_before(folder, name);
	return *path ? 0 : err_set(e, ENOENT, "package %s: apt-get knows no such package", name);
}

static int find_image(const char *unpacked, char **image, char **modules, struct err *e)
{
	_free_ char *pattern = text_format("%s/boot/vmlinuz-*", unpacked);
	glob_t g;

	if (glob(pattern, 0, NULL, &g) != 0)
		return err_set(e, EINVAL, "no boot/vmlinuz-* in it");
	*image = text_copy(g.gl_pathv[0]);
	globfree(&g);
	*modules = text_format("%s/lib/modules/%s", unpacked,
			       strchr(path_base(*image), '-') + 1);
	return 0;
}

int package_fill(const char *folder, const char *deb, struct record *info, struct err *e)
{
	_free_ char *tmp = path_join(folder, "unpacked"), *image = NULL, *modules = NULL;
	_proc_ struct proc p = { .argv = ARGV("dpkg-deb", "-x", deb, tmp),
				 .timeout_ns = MANY_MINUTES };

	if (proc_ok(&p, e) < 0)
		return -e->code;
	if (find_image(tmp, &image, &modules, e) < 0)
		return err_in(e, "%s", deb);
	if (fill_boot(folder, image, access(modules, F_OK) == 0 ? modules : NULL, info, e) < 0)
		return -e->code;
	return dir_remove(tmp, e);
}
