/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <fcntl.h>
#include <fts.h>
#include <string.h>

#include "base/file.h"
#include "kernel/sections.h"
#include "kernel/module.h"
#include "kernel/unpack.h"

#define MODULE_MAX	(64U << 20)
#define DEPTH_MAX	32

struct found {
	char *name, *path;
};

struct search {
	struct found *v;
	size_t n;
	struct module_list *to;
};

/* "virtio_ring" of "virtio-ring.ko.xz"; NULL if it is no module file. Caller frees. */
static char *module_name(const char *file)
{
	static const char *const ends[] = { ".ko", ".ko.xz", ".ko.zst", ".ko.gz" };

	for (size_t i = 0; i < COUNT(ends); i++) {
		char *name;

		if (!text_ends(file, ends[i]))
			continue;
		name = text_format("%.*s", (int)(strlen(file) - strlen(ends[i])), file);
		for (char *c = name; *c; c++)
			if (*c == '-')
				*c = '_';
		return name;
	}
	return NULL;
}

static int list_files(struct search *s, const char *folder, struct err *e)
{
	char *const paths[] = { (char *)folder, NULL };
	FTS *fts = fts_open(paths, FTS_PHYSICAL | FTS_NOSTAT | FTS_NOCHDIR, NULL);
	FTSENT *f;

	if (!fts)
		return err_sys(e, "%s", folder);
	while ((f = fts_read(fts))) {
		char *name = f->fts_info == FTS_F || f->fts_info == FTS_NSOK ?
			     module_name(f->fts_name) : NULL;

		if (!name)
			continue;
		GROW(s->v, s->n);
		s->v[s->n++] = (struct found){ name, text_copy(f->fts_path) };
	}
	fts_close(fts);
	return 0;
}

static int load(const char *path, struct text *out, struct err *e)
{
	_text_ struct text file = {};
	int r;

	if (file_read(AT_FDCWD, path, MODULE_MAX, &file, e) < 0)
		return -e->code;
	r = unpack(file.p, file.len, MODULE_MAX, out, e);
	if (r < 0)
		return err_in(e, "%s", path);
	if (r > 0) {
		*out = file;
		file = (struct text){};
	}
	return elf_is_64(out->p, out->len) ? 0 : err_set(e, EBADMSG, "%s: not a module", path);
}

/* What follows "depends=": names with commas between. Caller frees; "" if it needs none. */
static char *needs_of(const struct text *bytes)
{
	static const char key[] = "depends=";
	size_t n, len;
	const char *p = elf_section(bytes->p, bytes->len, ".modinfo", &n);

	for (; p && n; p += len + 1, n -= len + 1) {
		len = strnlen(p, n);
		if (len == n)
			break;
		if (text_starts(p, key))
			return text_copy(p + strlen(key));
	}
	return text_copy("");
}

static bool is_listed(const struct module_list *l, const char *name)
{
	for (size_t i = 0; i < l->n; i++)
		if (!strcmp(l->v[i].name, name))
			return true;
	return false;
}

static int add(struct search *s, const char *name, int depth, struct err *e);

static int add_file(struct search *s, const struct found *f, int depth, struct err *e)
{
	struct module m = { .name = text_copy(f->name) };
	_free_ char *needs = NULL;
	int r = load(f->path, &m.bytes, e);

	if (r == 0)
		needs = needs_of(&m.bytes);
	for (char *save, *need = r ? NULL : strtok_r(needs, ",", &save); need && r == 0;
	     need = strtok_r(NULL, ",", &save))
		r = add(s, need, depth + 1, e);
	if (r < 0 || is_listed(s->to, f->name)) {
		free(m.name);
		text_release(&m.bytes);
		return r;
	}
	GROW(s->to->v, s->to->n);
	s->to->v[s->to->n++] = m;
	return 0;
}

static int add(struct search *s, const char *wanted, int depth, struct err *e)
{
	_free_ char *file = text_format("%s.ko", wanted), *name = module_name(file);

	if (depth > DEPTH_MAX)
		return err_set(e, EBADMSG, "module %s: its needs go round in a circle", wanted);
	if (is_listed(s->to, name))
		return 0;
	for (size_t i = 0; i < s->n; i++)
		if (!strcmp(s->v[i].name, name))
			return add_file(s, &s->v[i], depth, e);
	return 0;
}

static void search_release(struct search *s)
{
	for (size_t i = 0; i < s->n; i++) {
		free(s->v[i].name);
		free(s->v[i].path);
	}
	free(s->v);
}

int module_find(struct module_list *l, const char *folder, const char *const *names,
		struct err *e)
{
	_cleanup_(search_release) struct search s = { .to = l };

	if (list_files(&s, folder, e) < 0)
		return -e->code;
	for (; *names; names++)
		if (add(&s, *names, 0, e) < 0)
			return -e->code;
	return 0;
}

void module_list_release(struct module_list *l)
{
	for (size_t i = 0; i < l->n; i++) {
		free(l->v[i].name);
		text_release(&l->v[i].bytes);
	}
	free(l->v);
	*l = (struct module_list){};
}
