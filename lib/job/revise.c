/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <string.h>

#include "job/revise.h"

#define LIST_MAX 4000

static bool accumulates(const char *key)
{
	static const char *const not[] = { "need_memory", "need_cpu", "need_modules" };
	static const char *const more[] = { "mail_to", "mail_cc", "constraints" };

	for (size_t i = 0; i < COUNT(more); i++)
		if (!strcmp(key, more[i]))
			return true;
	for (size_t i = 0; i < COUNT(not); i++)
		if (!strcmp(key, not[i]))
			return false;
	return text_starts(key, "need_");
}

static char last(const char *key)
{
	return *key ? key[strlen(key) - 1] : '\0';
}

/* "if role client" and paths are no keys with a meaning inside. */
static bool special(const char *key)
{
	if (strpbrk(key, " /"))
		return false;
	return last(key) == '+' || last(key) == '-' || strchr(key, '.');
}

static void map_set(struct arena *a, struct node *map, const char *key, struct node *v)
{
	struct node_item *item = node_find(map, key);

	if (item)
		item->value = v;
	else
		node_put(a, map, &(struct node_item){ .key = key, .value = v, .at = v->at });
}

/* A scalar as a key of its own. */
static void map_name(struct arena *a, struct node *map, const struct node *v)
{
	if (node_scalar(v) && v->text && !node_find(map, v->text))
		map_set(a, map, v->text, node_make(a, NODE_NULL, &v->at));
}

static struct node *list_of(struct arena *a, struct node *v)
{
	struct node *list = node_make(a, NODE_LIST, &v->at);

	node_append(a, list, v);
	return list;
}

/* What becomes of @to when @v is added to it. */
static struct node *added(struct arena *a, struct node *to, struct node *v)
{
	struct node *list;

	if (v->kind == NODE_NULL)
		return to;
	if (!to || to->kind == NODE_NULL)
		return v;
	if (to->kind == NODE_MAP) {
		for (size_t i = 0; v->kind == NODE_MAP && i < v->n; i++)
			map_set(a, to, v->item[i].key, v->item[i].value);
		map_name(a, to, v);
		return to;
	}
	if (to->kind != NODE_LIST && v->kind == NODE_MAP) {
		map_name(a, v, to);
		return v;
	}
	list = to->kind == NODE_LIST ? to : list_of(a, to);
	for (size_t i = 0; v->kind == NODE_LIST && i < v->n; i++)
		node_append(a, list, v->item[i].value);
	if (v->kind != NODE_LIST)
		node_append(a, list, v);
	return list;
}

static void unique(struct node *list)
{
	for (size_t i = 0; list->kind == NODE_LIST && i < list->n; i++)
		for (size_t k = list->n; k-- > i + 1;)
			if (node_equal(list->item[i].value, list->item[k].value))
				node_remove(list, &list->item[k]);
}

static void take_out(struct node *from, const struct node *v)
{
	if (v->kind == NODE_LIST || v->kind == NODE_MAP) {
		for (size_t i = 0; i < v->n; i++) {
			struct node name = { NODE_TEXT, .text = v->item[i].key };

			take_out(from, v->kind == NODE_MAP ? &name : v->item[i].value);
		}
		return;
	}
	for (size_t i = from->n; i-- > 0;) {
		const struct node_item *item = &from->item[i];

		if (from->kind == NODE_LIST ? node_equal(item->value, v) :
		    v->text && !strcmp(item->key, v->text))
			node_remove(from, &from->item[i]);
	}
}

struct spot {
	struct node *parent, *map;
	const char *parent_key, *key;
};

/*
 * The map that "a.b.c" leads to, and its last key. 0 when a map is missing on
 * the way and is not to be made.
 */
static int spot_find(struct arena *a, struct node *top, const struct node_item *of,
		     const char *path, bool make, struct spot *out, struct err *e)
{
	unsigned depth = 0;

	*out = (struct spot){ .map = top };
	for (;;) {
		size_t n = strcspn(path, ".");
		const char *key = arena_text_n(a, path, n);
		struct node *v = node_get(out->map, key);

		out->key = key;
		if (++depth > NODE_DEPTH_MAX)
			return node_err(&of->at, e, "nested deeper than %d", NODE_DEPTH_MAX);
		if (!path[n])
			return 1;
		path += n + 1;
		if ((!v || v->kind == NODE_NULL) && !make)
			return 0;
		if (!v || v->kind == NODE_NULL) {
			v = node_make(a, NODE_MAP, &of->at);
			map_set(a, out->map, key, v);
		}
		if (v->kind != NODE_MAP)
			return node_err(&of->at, e, "'%s': '%s' holds a value, not a map",
					of->key, key);
		out->parent = out->map;
		out->parent_key = key;
		out->map = v;
	}
}

/* Values are compared one by one with each other. */
static int size_check(const struct node_item *of, const struct node *v, struct err *e)
{
	if (v->n + of->value->n <= LIST_MAX)
		return 0;
	return node_err(&of->at, e, "'%s': more than %d values", of->key, LIST_MAX);
}

static int remove_carry(struct arena *a, struct node *map, const struct node_item *of,
			struct err *e)
{
	const char *path = arena_text_n(a, of->key, strlen(of->key) - 1);
	struct node_item *item;
	struct spot s;
	int r = spot_find(a, map, of, path, false, &s, e);

	if (r <= 0)
		return r;
	item = node_find(s.map, s.key);
	if (!item)
		return 0;
	if (size_check(of, item->value, e) < 0)
		return -e->code;
	if (!node_absent(of->value)) {
		take_out(item->value, of->value);
		if (!node_scalar(item->value) && !item->value->n)
			item->value = node_make(a, NODE_NULL, &item->at);
		return 0;
	}
	node_remove(s.map, item);
	if (!s.map->n && s.parent)
		map_set(a, s.parent, s.parent_key, node_make(a, NODE_NULL, &of->at));
	return 0;
}

static int add_carry(struct arena *a, struct node *map, const struct node_item *of,
		     struct err *e)
{
	const char *path = arena_text_n(a, of->key, strlen(of->key) - 1);
	struct node *v;
	struct spot s;

	if (spot_find(a, map, of, path, true, &s, e) < 0)
		return -e->code;
	v = node_get(s.map, s.key);
	if (v && size_check(of, v, e) < 0)
		return -e->code;
	v = added(a, v ? v : node_make(a, NODE_NULL, &of->at), of->value);
	unique(v);
	map_set(a, s.map, s.key, v);
	return 0;
}

static int special_carry(struct arena *a, struct node *map, const struct node_item *of,
			 struct err *e)
{
	struct spot s;

	if (last(of->key) == '-')
		return remove_carry(a, map, of, e);
	if (last(of->key) == '+')
		return add_carry(a, map, of, e);
	if (spot_find(a, map, of, of->key, true, &s, e) < 0)
		return -e->code;
	map_set(a, s.map, s.key, of->value);
	return 0;
}

int revise(struct arena *a, struct node *map, const struct node *over, bool replace,
	   struct err *e)
{
	for (size_t i = 0; over && i < over->n; i++) {
		struct node_item item = over->item[i], *old = node_find(map, item.key);

		item.value = node_copy(a, item.value);
		if (!old)
			node_put(a, map, &item);
		else if (last(item.key) == '+' || last(item.key) == '-' || accumulates(item.key))
			old->value = added(a, old->value, item.value);
		else if (replace)
			*old = item;
	}
	for (size_t i = 0; i < map->n;) {
		struct node_item item = map->item[i];

		if (!special(item.key)) {
			i++;
			continue;
		}
		node_remove(map, &map->item[i]);
		if (special_carry(a, map, &item, e) < 0)
			return -e->code;
		i = 0;	/* what was carried out may have moved things */
	}
	return 0;
}
