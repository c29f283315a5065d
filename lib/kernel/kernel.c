/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>

#include "base/file.h"
#include "kernel/build.h"
#include "kernel/fill.h"
#include "kernel/kernel.h"
#include "kernel/package.h"

#define DEBIAN		"debian:"
#define CACHE_MAX	(20ULL << 30)

/* An image beside whose release there are modules has these from the running system. */
static int fill_file(const char *folder, const char *path, struct record *info, struct err *e)
{
	_free_ char *modules = NULL;

	if (text_ends(path, ".deb"))
		return package_fill(folder, path, info, e);
	if (text_starts(path_base(path), "vmlinuz-"))
		modules = path_join("/lib/modules", path_base(path) + strlen("vmlinuz-"));
	return fill_boot(folder, path, modules && access(modules, F_OK) == 0 ? modules : NULL,
			 info, e);
}

static int prepare_file(struct kernel *k, const struct kernel_source *from, const char *path,
			struct err *e)
{
	_record_ struct record info = {};
	int r;

	if (cache_hash_file(path, &k->id, e) < 0)
		return -e->code;
	r = cache_open(&k->entry, from->cache, k->id, &info, e);
	if (r > 0) {
		r = fill_file(k->entry.folder, path, &info, e);
		if (r == 0)
			r = cache_done(&k->entry, &info, e);
	}
	return r < 0 ? r : fill_kernel(k, &info, e);
}

static int prepare(struct kernel *k, const struct kernel_source *from, struct err *e)
{
	_free_ char *path = NULL;
	struct stat st;

	if (text_starts(from->name, DEBIAN)) {
		if (package_get(from->cache, from->name + strlen(DEBIAN), &path, e) < 0)
			return -e->code;
		return prepare_file(k, from, path, e);
	}
	if (stat(from->name, &st) == 0 && S_ISREG(st.st_mode))
		return prepare_file(k, from, from->name, e);
	return build_prepare(k, from, e);
}

int kernel_prepare(struct kernel *k, const struct kernel_source *from, struct err *e)
{
	int r = prepare(k, from, e);

	if (r < 0)
		return err_in(e, "kernel %s", from->name);
	if (cache_trim(from->cache, from->cache_max ? from->cache_max : CACHE_MAX, e) < 0)
		return -e->code;
	return r;
}

void kernel_release(struct kernel *k)
{
	free(k->id);
	free(k->release);
	free(k->image);
	for (size_t i = 0; i < k->n_modules; i++)
		free(k->module[i]);
	free(k->module);
	free(k->why);
	free(k->log);
	free(k->commit);
	free(k->tree_hash);
	free(k->config);
	free(k->compiler);
	cache_entry_release(&k->entry);
	*k = (struct kernel)KERNEL_NONE;
}
