/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>

#include "base/file.h"
#include "job/index.h"

static const char *const kind_names[PROGRAM_KINDS] = {
	[PROGRAM_TEST] = "test", [PROGRAM_SETUP] = "setup", [PROGRAM_DAEMON] = "daemon",
	[PROGRAM_MONITOR] = "monitor", [PROGRAM_PARSER] = "parser",
};

/* Folders whose files are programs. */
static const struct {
	const char *folder;
	enum program_kind kind;
	int depth;
} flat[] = {
	{ "tests", PROGRAM_TEST, 3 }, { "stats", PROGRAM_PARSER, 1 },
	{ "setup", PROGRAM_SETUP, 3 }, { "daemon", PROGRAM_DAEMON, 3 },
	{ "monitors", PROGRAM_MONITOR, 3 },
};

/* Files of programs/NAME/. */
static const struct {
	const char *file;
	enum program_kind kind;
} parts[] = {
	{ "run", PROGRAM_TEST }, { "parse", PROGRAM_PARSER }, { "setup", PROGRAM_SETUP },
	{ "daemon", PROGRAM_DAEMON }, { "monitor", PROGRAM_MONITOR },
	{ "no-stdout-monitor", PROGRAM_MONITOR }, { "one-shot-monitor", PROGRAM_MONITOR },
	{ "plain-monitor", PROGRAM_MONITOR },
};

const char *program_kind_name(enum program_kind kind)
{
	return kind_names[kind];
}

static uint32_t hash(const char *s)
{
	uint32_t h = 2166136261U;	/* FNV-1a */

	for (; *s; s++)
		h = (h ^ (unsigned char)*s) * 16777619U;
	return h % INDEX_SLOTS;
}

static struct index_entry *entry_find(struct program_index *x, enum program_kind kind,
				      const char *name)
{
	for (struct index_entry *f = x->slot[hash(name)]; f; f = f->next)
		if (f->program.kind == kind && !strcmp(f->program.name, name))
			return f;
	return NULL;
}

static void entry_add(struct program_index *x, enum program_kind kind, const char *name,
		      const char *path, size_t root)
{
	struct index_entry *f;

	if (entry_find(x, kind, name))
		return;		/* the first root that has it wins */
	f = arena_get(&x->arena, sizeof(*f));
	f->program = (struct program){ arena_text(&x->arena, name), arena_text(&x->arena, path),
				       kind, root };
	f->next = x->slot[hash(name)];
	x->slot[hash(name)] = f;
}

/*
 * Sources, descriptions and pages lie beside programs; what has a dot in its
 * name is a program only if it may be executed.
 */
static bool is_program(const char *name, const struct stat *st)
{
	if (!S_ISREG(st->st_mode) || !strcmp(name, "wrapper") || text_ends(name, ".yaml"))
		return false;
	return (st->st_mode & 0111) || !strchr(name, '.');
}

static void flat_scan(struct program_index *x, const char *folder, enum program_kind kind,
		      int depth, size_t root)
{
	DIR *d = opendir(folder);
	struct dirent *f;

	if (!d)
		return;
	while ((f = readdir(d))) {
		_free_ char *path = path_join(folder, f->d_name);
		struct stat st;

		if (*f->d_name == '.' || stat(path, &st) < 0)
			continue;
		if (S_ISDIR(st.st_mode) && depth > 1 && !text_ends(f->d_name, ".p"))
			flat_scan(x, path, kind, depth - 1, root);
		else if (is_program(f->d_name, &st))
			entry_add(x, kind, f->d_name, path, root);
	}
	closedir(d);
}

static void parts_scan(struct program_index *x, const char *folder, size_t root)
{
	DIR *d = opendir(folder);
	struct dirent *f;

	if (!d)
		return;
	while ((f = readdir(d))) {
		if (*f->d_name == '.')
			continue;
		for (size_t i = 0; i < COUNT(parts); i++) {
			_free_ char *path = text_format("%s/%s/%s", folder, f->d_name,
							parts[i].file);
			struct stat st;

			if (stat(path, &st) == 0 && S_ISREG(st.st_mode))
				entry_add(x, parts[i].kind, f->d_name, path, root);
		}
	}
	closedir(d);
}

static struct program_index *index_of(struct job_roots *r)
{
	struct program_index *x = r->index;

	if (!x)
		x = r->index = mem_zero(1, sizeof(*x));
	for (; x->roots < r->n; x->roots++) {
		const char *root = r->path[x->roots];
		_free_ char *programs = path_join(root, "programs");

		parts_scan(x, programs, x->roots);
		for (size_t i = 0; i < COUNT(flat); i++) {
			_free_ char *folder = path_join(root, flat[i].folder);

			flat_scan(x, folder, flat[i].kind, flat[i].depth, x->roots);
		}
	}
	return x;
}

int program_find(struct job_roots *r, enum program_kind kind, const char *name,
		 const struct program **out, struct err *e)
{
	struct index_entry *f = entry_find(index_of(r), kind, name);

	*out = f ? &f->program : NULL;
	return f != NULL;
}

int program_find_any(struct job_roots *r, const char *name, const struct program **out,
		     struct err *e)
{
	static const enum program_kind order[] = {
		PROGRAM_DAEMON, PROGRAM_TEST, PROGRAM_SETUP, PROGRAM_MONITOR,
	};
	struct program_index *x = index_of(r);

	for (size_t i = 0; i < COUNT(order); i++) {
		struct index_entry *f = entry_find(x, order[i], name);

		*out = f ? &f->program : NULL;
		if (f)
			return 1;
	}
	return 0;
}

int job_roots_add(struct job_roots *r, const char *path, struct err *e)
{
	_free_ char *real = realpath(path, NULL);

	if (!real)
		return err_sys(e, "%s", path);
	for (size_t i = 0; i < r->n; i++)
		if (!strcmp(r->path[i], real))
			return 0;
	GROW(r->path, r->n);
	r->path[r->n++] = steal(real);
	return 0;
}

static bool has_folder(const char *path, const char *name)
{
	_free_ char *folder = path_join(path, name);
	struct stat st;

	return stat(folder, &st) == 0 && S_ISDIR(st.st_mode);
}

/*
 * A build folder has the binaries and the source the scripts and jobs; an
 * installed krobot has all in its data folder.
 */
static int own_add(struct job_roots *r, struct err *e)
{
	char exe[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", exe, sizeof(exe) - 1);
	_free_ char *bin = NULL, *up = NULL;

	if (n < 0)
		return err_sys(e, "/proc/self/exe");
	exe[n] = '\0';
	bin = path_folder(exe);
	up = path_folder(bin);
	if (text_starts(exe, KROBOT_BUILD "/"))
		return job_roots_add(r, KROBOT_BUILD, e) < 0 ||
		       job_roots_add(r, KROBOT_SOURCE, e) < 0 ? -e->code : 0;
	if (has_folder(up, "tests") && job_roots_add(r, up, e) < 0)
		return -e->code;
	return has_folder(KROBOT_DATA, "tests") ? job_roots_add(r, KROBOT_DATA, e) : 0;
}

int job_roots_open(struct job_roots *r, const char *list, bool own, struct err *e)
{
	*r = (struct job_roots){};
	while (list && *list) {
		size_t n = strcspn(list, ":");
		_free_ char *path = text_format("%.*s", (int)n, list);

		if (n && job_roots_add(r, path, e) < 0)
			return err_in(e, "KROBOT_PATH");
		list += n + (list[n] == ':');
	}
	if (own && own_add(r, e) < 0)
		return -e->code;
	r->trusted = r->n;
	return 0;
}

void job_roots_release(struct job_roots *r)
{
	for (size_t i = 0; i < r->n; i++)
		free(r->path[i]);
	free(r->path);
	if (r->index)
		arena_release(&r->index->arena);
	free(r->index);
	*r = (struct job_roots){};
}
