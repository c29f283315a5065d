/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include "base/file.h"
#include "kernel/fill.h"
#include "kernel/image.h"
#include "kernel/module.h"

/* The first is the device, the second the port on it; each brings what it needs. */
static const char *const port_modules[] = { "virtio_pci", "virtio_console", NULL };

static int put(const char *folder, const char *name, const struct text *bytes,
	       struct record *info, const char *key, struct err *e)
{
	_free_ char *path = path_join(folder, name);

	record_add(info, key, name);
	return file_write(AT_FDCWD, path, text_str(bytes), bytes->len, e);
}

static int fill_image(const char *folder, const char *image, struct record *info, struct err *e)
{
	_text_ struct text file = {}, inside = {};
	_free_ char *release = NULL;
	struct err broken = {};
	bool better;

	if (file_read(AT_FDCWD, image, IMAGE_MAX_BYTES, &file, e) < 0)
		return -e->code;
	if (image_release(file.p, file.len, &release, e) < 0)
		return err_in(e, "%s", image);
	record_add(info, "release", release);
	/* What we cannot unpack the kernel's own code may: then it boots as it is. */
	better = image_extract(file.p, file.len, &inside, &broken) == 0 &&
		 image_is_pvh(inside.p, inside.len);
	return better ? put(folder, "vmlinux", &inside, info, "image", e) :
	       put(folder, "image", &file, info, "image", e);
}

int fill_boot(const char *folder, const char *image, const char *modules, struct record *info,
	      struct err *e)
{
	_module_list_ struct module_list l = {};

	if (fill_image(folder, image, info, e) < 0)
		return -e->code;
	if (modules && module_find(&l, modules, port_modules, e) < 0)
		return -e->code;
	for (size_t i = 0; i < l.n; i++) {
		_free_ char *name = text_format("%s.ko", l.v[i].name);

		if (put(folder, name, &l.v[i].bytes, info, "module", e) < 0)
			return -e->code;
	}
	return 0;
}

static char *get_path(const struct kernel *k, const char *name)
{
	return name ? path_join(k->entry.folder, name) : NULL;
}

int fill_kernel(struct kernel *k, const struct record *info, struct err *e)
{
	k->why = text_copy(record_get(info, "why"));
	k->log = get_path(k, record_get(info, "log"));
	if (!k->commit)
		k->commit = text_copy(record_get(info, "commit"));
	k->tree_hash = text_copy(record_get(info, "tree"));
	k->compiler = text_copy(record_get(info, "compiler"));
	k->config = get_path(k, record_get(info, "config"));
	k->release = text_copy(record_get(info, "release"));
	k->image = get_path(k, record_get(info, "image"));
	for (size_t i = 0; i < info->n; i++) {
		if (strcmp(info->line[i].key, "module") != 0)
			continue;
		GROW(k->module, k->n_modules);
		k->module[k->n_modules++] = get_path(k, info->line[i].value);
	}
	if (k->why)
		return KERNEL_NO_BUILD;
	if (!k->release || !k->image)
		return err_set(e, EINVAL, "%s/" CACHE_INFO ": no release or no image",
			       k->entry.folder);
	return KERNEL_READY;
}
