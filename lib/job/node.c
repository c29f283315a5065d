/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <string.h>

#include "job/node.h"

int node_err(const struct place_at *at, struct err *e, const char *fmt, ...)
{
	_text_ struct text t = {};
	_text_ struct text seen = {};
	va_list ap;

	va_start(ap, fmt);
	text_vprintf(&t, fmt, ap);
	va_end(ap);
	text_put_visible(&seen, text_str(&t), t.len, true);
	return err_set(e, EINVAL, "%s:%u:%u: %s", at->file, at->line, at->column,
		       text_str(&seen));
}

bool node_scalar(const struct node *n)
{
	return n->kind != NODE_LIST && n->kind != NODE_MAP;
}

bool node_absent(const struct node *n)
{
	return n->kind == NODE_NULL || (n->kind == NODE_BOOL && !strcmp(n->text, "false"));
}

struct node_item *node_find(const struct node *map, const char *key)
{
	if (!map || map->kind != NODE_MAP)
		return NULL;
	for (size_t i = 0; i < map->n; i++)
		if (!strcmp(map->item[i].key, key))
			return &map->item[i];
	return NULL;
}

struct node *node_get(const struct node *map, const char *key)
{
	struct node_item *item = node_find(map, key);

	return item ? item->value : NULL;
}

const char *node_text_of(const struct node *map, const char *key)
{
	const struct node *n = node_get(map, key);

	return n && node_scalar(n) ? n->text : NULL;
}

struct node *node_make(struct arena *a, enum node_kind kind, const struct place_at *at)
{
	struct node *n = arena_get(a, sizeof(*n));

	n->kind = kind;
	n->at = *at;
	return n;
}

void node_put(struct arena *a, struct node *map, const struct node_item *item)
{
	ARENA_GROW(a, map->item, map->n);
	map->item[map->n++] = *item;
}

void node_append(struct arena *a, struct node *list, struct node *value)
{
	node_put(a, list, &(struct node_item){ .value = value, .at = value->at });
}

void node_remove(struct node *map, struct node_item *item)
{
	size_t i = (size_t)(item - map->item);

	memmove(item, item + 1, (map->n - i - 1) * sizeof(*item));
	map->n--;
}

struct node *node_copy(struct arena *a, const struct node *n)
{
	struct node *c = arena_get(a, sizeof(*c));

	*c = *n;
	c->item = NULL;
	c->n = 0;
	for (size_t i = 0; i < n->n; i++) {
		struct node_item item = n->item[i];

		item.value = node_copy(a, item.value);
		node_put(a, c, &item);
	}
	return c;
}

bool node_equal(const struct node *a, const struct node *b)
{
	if (a->kind != b->kind || a->n != b->n)
		return false;
	if (node_scalar(a))
		return a->kind == NODE_NULL || !strcmp(a->text, b->text);
	for (size_t i = 0; i < a->n; i++) {
		const struct node *other = a->kind == NODE_LIST ? b->item[i].value :
					   node_get(b, a->item[i].key);

		if (!other || !node_equal(a->item[i].value, other))
			return false;
	}
	return true;
}

void json_put_string(struct text *out, const char *s)
{
	const char *from = s;

	text_putc(out, '"');
	for (; *s; s++) {
		unsigned char c = (unsigned char)*s;

		if (c >= 0x20 && c != '"' && c != '\\' && c != 0x7f)
			continue;
		text_put(out, from, (size_t)(s - from));
		from = s + 1;
		if (c == '"' || c == '\\')
			text_printf(out, "\\%c", c);
		else
			text_printf(out, "\\u%04x", c);
	}
	text_put(out, from, (size_t)(s - from));
	text_putc(out, '"');
}

/* Flow style; JSON's strings are YAML's double-quoted ones. */
void node_print(const struct node *n, struct text *out)
{
	bool map = n->kind == NODE_MAP;

	if (n->kind == NODE_NULL) {
		text_puts(out, "~");
	} else if (n->kind == NODE_TEXT) {
		json_put_string(out, n->text);
	} else if (node_scalar(n)) {
		text_puts(out, n->text);
	} else {
		text_putc(out, map ? '{' : '[');
		for (size_t i = 0; i < n->n; i++) {
			if (i)
				text_puts(out, ", ");
			if (map) {
				json_put_string(out, n->item[i].key);
				text_puts(out, ": ");
			}
			node_print(n->item[i].value, out);
		}
		text_putc(out, map ? '}' : ']');
	}
}

static int by_key(const void *a, const void *b)
{
	const struct node_item *const *x = a, *const *y = b;

	return strcmp((*x)->key, (*y)->key);
}

void node_print_json(const struct node *n, struct text *out)
{
	_free_ const struct node_item **sorted = NULL;

	if (n->kind == NODE_NULL) {
		text_puts(out, "null");
		return;
	}
	if (node_scalar(n)) {
		json_put_string(out, n->text);
		return;
	}
	sorted = mem_zero(n->n + 1, sizeof(*sorted));
	for (size_t i = 0; i < n->n; i++)
		sorted[i] = &n->item[i];
	if (n->kind == NODE_MAP)
		qsort(sorted, n->n, sizeof(*sorted), by_key);
	text_putc(out, n->kind == NODE_MAP ? '{' : '[');
	for (size_t i = 0; i < n->n; i++) {
		if (i)
			text_putc(out, ',');
		if (n->kind == NODE_MAP) {
			json_put_string(out, sorted[i]->key);
			text_putc(out, ':');
		}
		node_print_json(sorted[i]->value, out);
	}
	text_putc(out, n->kind == NODE_MAP ? '}' : ']');
}
