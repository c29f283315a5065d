/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

#include "base/file.h"
#include "job/defaults.h"
#include "job/emit.h"
#include "job/revise.h"
#include "job/template.h"

#define DEFAULTS_MAX (256U << 10)

static void file_add(struct defaults *d, const char *key, const char *value, const char *path)
{
	struct stat st;

	if (stat(path, &st) < 0 || !S_ISREG(st.st_mode))
		return;
	for (size_t i = 0; i < d->n; i++)
		if (!strcmp(d->file[i].key, key) && !strcmp(d->file[i].value, value))
			return;		/* the first root wins */
	ARENA_GROW(d->a, d->file, d->n);
	d->file[d->n++] = (struct defaults_file){ .key = arena_text(d->a, key),
						  .value = arena_text(d->a, value),
						  .path = arena_text(d->a, path) };
}

static void folder_scan(struct defaults *d, const char *path, const char *key)
{
	DIR *dir = opendir(path);
	struct dirent *f;

	if (!dir) {
		file_add(d, key, key, path);
		return;
	}
	while ((f = readdir(dir))) {
		_free_ char *below = path_join(path, f->d_name);

		if (*f->d_name != '.')
			file_add(d, key, f->d_name, below);
	}
	closedir(dir);
}

/* include/KEY, include/KEY/VALUE; programs/KEY/include the same. */
static void root_scan(struct defaults *d, const char *root, const char *folder, const char *tail)
{
	_free_ char *top = path_join(root, folder);
	DIR *dir = opendir(top);
	struct dirent *f;

	if (!dir)
		return;
	while ((f = readdir(dir))) {
		_free_ char *path = text_format("%s/%s%s", top, f->d_name, tail);

		if (*f->d_name != '.' && access(path, F_OK) == 0)
			folder_scan(d, path, f->d_name);
	}
	closedir(dir);
}

int defaults_open(struct defaults *d, const struct job_roots *roots, struct err *e)
{
	for (size_t i = 0; i < roots->n; i++) {
		root_scan(d, roots->path[i], "include", "");
		root_scan(d, roots->path[i], "programs", "/include");
	}
	return 0;
}

struct bringing {
	struct defaults *d;
	const struct node *tree;	/* the job, lists under options left out */
	struct node *out;
	bool late;
};

static void mark(struct node *map)
{
	for (size_t i = 0; i < map->n; i++)
		map->item[i].origin = ORIGIN_DEFAULT;
}

static int file_load(struct bringing *b, struct defaults_file *f, const struct node *self,
		     const struct node **out, struct err *e)
{
	struct expr_scope scope = { .job = b->tree, .more = b->out, .host = b->d->host,
				    .self = self };
	_text_ struct text t = {}, plain = {};
	struct node_text text;
	struct node_docs docs;

	*out = f->loaded;
	if (*out)
		return 0;
	if (file_read(AT_FDCWD, f->path, DEFAULTS_MAX, &t, e) < 0)
		return -e->code;
	f->template = template_is(text_str(&t));
	if (f->template &&
	    template_fill(b->d->a, text_str(&t), f->path, &scope, &plain, e) < 0)
		return -e->code;
	text = f->template ? (struct node_text){ text_str(&plain), plain.len, f->path } :
			     (struct node_text){ text_str(&t), t.len, f->path };
	if (node_load(b->d->a, &text, &docs, e) < 0)
		return -e->code;
	*out = docs.n && docs.doc[0]->kind == NODE_MAP ? docs.doc[0] :
	       node_make(b->d->a, NODE_MAP, &(struct place_at){ f->path, 1, 1 });
	if (!f->template)
		f->loaded = *out;
	return 0;
}

/* 1 when there is include/KEY/VALUE; a file brings what it has once. */
static int bring(struct bringing *b, const char *key, const char *value,
		 const struct node *self, struct err *e)
{
	for (size_t i = 0; i < b->d->n; i++) {
		struct defaults_file *f = &b->d->file[i];
		const struct node *loaded;
		struct node *copy;

		if (strcmp(f->key, key) || strcmp(f->value, value))
			continue;
		if (f->round == b->d->round || (b->late && f->early == b->d->early))
			return 1;
		if (file_load(b, f, self, &loaded, e) < 0)
			return -e->code;
		f->round = b->d->round;
		f->early = b->late ? f->early : b->d->early + 1;
		copy = node_copy(b->d->a, loaded);
		mark(copy);
		return revise(b->d->a, b->out, copy, true, e) < 0 ? -e->code : 1;
	}
	return 0;
}

/* For "vm-snb-4G": vm, vm-snb, vm-snb-4G in turn; OTHERS if none is there; ALL. */
static int bring_by_value(struct bringing *b, const char *key, const struct node *v,
			  struct err *e)
{
	int hit = 0;

	for (const char *p = v->text; *p && hit >= 0;) {
		_free_ char *prefix = NULL;

		p += strcspn(p, ":-");
		prefix = text_format("%.*s", (int)(p - v->text), v->text);
		hit = bring(b, key, prefix, v, e);
		p += *p != '\0';
	}
	if (hit == 0)
		hit = bring(b, key, "OTHERS", v, e);
	return hit < 0 ? hit : bring(b, key, "ALL", v, e);
}

/* LKP writes disks and arrays in one word; each stands for an option of the set-up. */
static int bring_by_word(struct bringing *b, const char *key, const struct node *v,
			 struct err *e)
{
	static const struct {
		const char *key, *word, *option;
	} words[] = {
		{ "disk", "HDD", "nr_hdd" }, { "disk", "SSD", "nr_ssd" },
		{ "disk", "BRD", "nr_brd" }, { "disk", "SRD", "nr_srd" },
		{ "disk", "PMEM", "nr_pmem" }, { "md", "RAID", "raid_level" },
	};

	for (size_t i = 0; i < COUNT(words); i++)
		if (!strcmp(words[i].key, key) && strstr(v->text, words[i].word) &&
		    bring(b, key, words[i].option, v, e) < 0)
			return -e->code;
	return 0;
}

static int bring_for_program(struct bringing *b, const struct node_item *item, struct err *e)
{
	int r = bring(b, item->key, item->key, item->value, e);

	for (size_t i = 0; r >= 0 && item->value->kind == NODE_MAP && i < item->value->n; i++)
		r = bring(b, item->key, item->value->item[i].key, item->value->item[i].value, e);
	return r;
}

bool defaults_has(const struct defaults *d, const char *key)
{
	for (size_t i = 0; i < d->n; i++)
		if (!strcmp(d->file[i].key, key))
			return true;
	return false;
}

static int bring_all(struct bringing *b, const struct node *map, struct err *e)
{
	for (size_t i = 0; i < map->n; i++) {
		const struct node_item *item = &map->item[i];
		bool known = defaults_has(b->d, item->key);

		if (known && name_of(b->d->names, item->key)->program &&
		    bring_for_program(b, item, e) < 0)
			return -e->code;
		if (known && item->value->kind == NODE_TEXT && !item->value->expression &&
		    (bring_by_value(b, item->key, item->value, e) < 0 ||
		     bring_by_word(b, item->key, item->value, e) < 0))
			return -e->code;
		if (item->value->kind == NODE_MAP && bring_all(b, item->value, e) < 0)
			return -e->code;
	}
	return 0;
}

static void lists_leave_out(struct defaults *d, struct node *map)
{
	for (size_t i = map->n; i-- > 0;) {
		struct node *v = map->item[i].value;
		const struct name *n = name_of(d->names, map->item[i].key);

		if (v->kind == NODE_LIST && name_axis(d->names, n))
			node_remove(map, &map->item[i]);
		else if (v->kind == NODE_MAP)
			lists_leave_out(d, v);
	}
}

int defaults_of(struct defaults *d, const struct node *tree, bool late, struct node **out,
		struct err *e)
{
	struct node *seen = node_copy(d->a, tree);
	struct bringing b = { d, seen, node_make(d->a, NODE_MAP, &tree->at), late };
	int r;

	d->round++;
	lists_leave_out(d, seen);
	*out = b.out;
	r = bring_all(&b, seen, e);
	d->early += !late;	/* from here on, what this document has is known */
	return r;
}
