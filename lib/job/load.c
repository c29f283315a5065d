/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * From libyaml's events to nodes. libyaml takes duplicate keys, leaves `<<` to
 * its caller and gives aliases by name, so all that makes a hostile file
 * dangerous is refused here: a key twice, an alias within its own anchor,
 * copies of copies until memory is gone, nesting without end.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <yaml.h>

#include "base/file.h"
#include "job/node.h"

#define FILE_MAX (1U << 20)
#define KEYS_MAX 1000	/* looked up one by one */

struct anchor {
	const char *name;
	const struct node *node;	/* NULL while it is being read */
};

struct loader {
	struct arena *a;
	const struct node_text *text;
	yaml_parser_t parser;
	struct anchor *anchor;
	size_t n_anchors;
	size_t nodes;
};

static struct place_at place(const struct loader *l, yaml_mark_t mark, unsigned *origin)
{
	struct place_at at = { l->text->file, (unsigned)mark.line + 1,
			       (unsigned)mark.column + 1 };
	size_t line = mark.line;

	if (origin)
		*origin = 0;
	if (l->text->lines && l->text->n_lines) {
		const struct line_origin *from;

		if (line >= l->text->n_lines)
			line = l->text->n_lines - 1;
		from = &l->text->lines[line];
		at.file = from->file;
		at.line = from->line;
		at.column = at.column > from->shift ? at.column - from->shift : 1;
		if (origin)
			*origin = from->origin;
	}
	return at;
}

static void event_done(yaml_event_t *ev)
{
	yaml_event_delete(ev);
}

#define _event_ _cleanup_(event_done)

/* The parser's words for it ("cannot start any token") help nobody. */
static bool tab_indents(const struct loader *l, size_t line)
{
	const char *s = l->text->bytes, *end = s + l->text->n;

	for (; line && s < end; line--) {
		s = memchr(s, '\n', (size_t)(end - s));
		if (!s)
			return false;
		s++;
	}
	while (s < end && *s == ' ')
		s++;
	return s < end && *s == '\t';
}

static int next(struct loader *l, yaml_event_t *ev, struct err *e)
{
	struct place_at at;
	const char *what;

	if (yaml_parser_parse(&l->parser, ev))
		return 0;
	what = l->parser.problem ? l->parser.problem : "not YAML";
	at = place(l, l->parser.problem_mark, NULL);
	if (tab_indents(l, l->parser.problem_mark.line))
		return node_err(&at, e, "a tab in the indentation; YAML wants spaces");
	return node_err(&at, e, "%s%s%s", what, l->parser.context ? " " : "",
			l->parser.context ? l->parser.context : "");
}

static int node_read(struct loader *l, const yaml_event_t *ev, unsigned depth, struct node **out,
		     struct err *e);

static int counted(struct loader *l, const struct place_at *at, size_t more, struct err *e)
{
	l->nodes += more;
	if (l->nodes <= NODE_COUNT_MAX)
		return 0;
	return node_err(at, e, "more than %d values (aliases count as what they stand for)",
			NODE_COUNT_MAX);
}

static size_t size_of(const struct node *n)
{
	size_t all = 1;

	for (size_t i = 0; i < n->n; i++)
		all += size_of(n->item[i].value);
	return all;
}

static int alias_read(struct loader *l, const yaml_event_t *ev, struct node **out, struct err *e)
{
	const char *name = (const char *)ev->data.alias.anchor;
	struct place_at at = place(l, ev->start_mark, NULL);

	for (size_t i = l->n_anchors; i-- > 0;) {
		const struct node *n = l->anchor[i].node;

		if (strcmp(l->anchor[i].name, name))
			continue;
		if (!n)
			return node_err(&at, e, "'*%s' stands within what it stands for", name);
		if (counted(l, &at, size_of(n), e) < 0)
			return -e->code;
		*out = node_copy(l->a, n);
		(*out)->at = at;
		return 0;
	}
	return node_err(&at, e, "no '&%s' before '*%s'", name, name);
}

static int scalar_read(struct loader *l, const yaml_event_t *ev, struct node *n, struct err *e)
{
	const char *s = (const char *)ev->data.scalar.value, *open;
	_text_ struct text t = {};

	if (strlen(s) != ev->data.scalar.length)
		return node_err(&n->at, e, "a NUL character");
	if (ev->data.scalar.style != YAML_PLAIN_SCALAR_STYLE) {
		n->kind = NODE_TEXT;
		n->text = arena_text_n(l->a, s, ev->data.scalar.length);
	} else {
		n->kind = scalar_kind(s, &t);
		n->text = n->kind == NODE_NULL ? NULL : arena_text_n(l->a, text_str(&t), t.len);
	}
	n->expression = n->kind == NODE_TEXT && (open = strstr(n->text, "{{")) &&
			strstr(open, "}}");
	return 0;
}

static int list_read(struct loader *l, struct node *n, unsigned depth, struct err *e)
{
	for (;;) {
		_event_ yaml_event_t ev = {};
		struct node *value;

		if (next(l, &ev, e) < 0)
			return -e->code;
		if (ev.type == YAML_SEQUENCE_END_EVENT)
			return 0;
		if (node_read(l, &ev, depth + 1, &value, e) < 0)
			return -e->code;
		node_append(l->a, n, value);
	}
}

/* `<<: *anchor`: keys that the map itself has are not touched. */
static int merge(struct loader *l, struct node *map, const struct node *from,
		 const struct place_at *at, struct err *e)
{
	if (from->kind == NODE_LIST) {
		for (size_t i = 0; i < from->n; i++)
			if (merge(l, map, from->item[i].value, at, e) < 0)
				return -e->code;
		return 0;
	}
	if (from->kind != NODE_MAP)
		return node_err(at, e, "'<<' takes a map or a file's name");
	for (size_t i = 0; i < from->n; i++)
		if (!node_find(map, from->item[i].key))
			node_put(l->a, map, &from->item[i]);
	return 0;
}

static int key_read(struct loader *l, const yaml_event_t *ev, struct node_item *item,
		    struct err *e)
{
	item->at = place(l, ev->start_mark, &item->origin);
	if (ev->type == YAML_ALIAS_EVENT || ev->type != YAML_SCALAR_EVENT)
		return node_err(&item->at, e, "a key must be a word");
	if (strlen((const char *)ev->data.scalar.value) != ev->data.scalar.length)
		return node_err(&item->at, e, "a NUL character");
	item->key = arena_text(l->a, (const char *)ev->data.scalar.value);
	return 0;
}

/*
 * A key twice in one file is a mistake; from another file by an include it
 * replaces the value and keeps the place.
 */
static int item_add(struct loader *l, struct node *map, const struct node_item *item,
		    struct err *e)
{
	struct node_item *old = node_find(map, item->key);

	if (!old) {
		if (map->n >= KEYS_MAX)
			return node_err(&item->at, e, "more than %d keys in one map", KEYS_MAX);
		node_put(l->a, map, item);
		return 0;
	}
	if (old->origin == item->origin)
		return node_err(&item->at, e, "the key '%s' stands in line %u already",
				item->key, old->at.line);
	*old = *item;
	return 0;
}

static int map_read(struct loader *l, struct node *n, unsigned depth, struct err *e)
{
	struct node merged = { .kind = NODE_LIST };

	for (;;) {
		_event_ yaml_event_t key = {};
		_event_ yaml_event_t value = {};
		struct node_item item = {};

		if (next(l, &key, e) < 0)
			return -e->code;
		if (key.type == YAML_MAPPING_END_EVENT)
			break;
		if (key_read(l, &key, &item, e) < 0 || next(l, &value, e) < 0 ||
		    node_read(l, &value, depth + 1, &item.value, e) < 0)
			return -e->code;
		if (!strcmp(item.key, "<<"))
			node_append(l->a, &merged, item.value);
		else if (item_add(l, n, &item, e) < 0)
			return -e->code;
	}
	return merge(l, n, &merged, &n->at, e);
}

static const char *anchor_of(const yaml_event_t *ev)
{
	switch (ev->type) {
	case YAML_SCALAR_EVENT:
		return (const char *)ev->data.scalar.anchor;
	case YAML_SEQUENCE_START_EVENT:
		return (const char *)ev->data.sequence_start.anchor;
	case YAML_MAPPING_START_EVENT:
		return (const char *)ev->data.mapping_start.anchor;
	default:
		return NULL;
	}
}

static int node_read(struct loader *l, const yaml_event_t *ev, unsigned depth, struct node **out,
		     struct err *e)
{
	struct place_at at = place(l, ev->start_mark, NULL);
	const char *name = anchor_of(ev);
	size_t slot = l->n_anchors;
	struct node *n;
	int r = 0;

	if (depth > NODE_DEPTH_MAX)
		return node_err(&at, e, "nested deeper than %d", NODE_DEPTH_MAX);
	if (ev->type == YAML_ALIAS_EVENT)
		return alias_read(l, ev, out, e);
	if (counted(l, &at, 1, e) < 0)
		return -e->code;
	if (name) {
		ARENA_GROW(l->a, l->anchor, l->n_anchors);
		l->anchor[l->n_anchors++] = (struct anchor){ arena_text(l->a, name), NULL };
	}
	n = node_make(l->a, NODE_NULL, &at);
	if (ev->type == YAML_SCALAR_EVENT) {
		r = scalar_read(l, ev, n, e);
	} else if (ev->type == YAML_SEQUENCE_START_EVENT) {
		n->kind = NODE_LIST;
		r = list_read(l, n, depth, e);
	} else {
		n->kind = NODE_MAP;
		r = map_read(l, n, depth, e);
	}
	if (name)
		l->anchor[slot].node = n;
	*out = n;
	return r;
}

static int docs_read(struct loader *l, struct node_docs *out, struct err *e)
{
	for (;;) {
		_event_ yaml_event_t ev = {};
		struct node *n;

		if (next(l, &ev, e) < 0)
			return -e->code;
		switch (ev.type) {
		case YAML_STREAM_END_EVENT:
			return 0;
		case YAML_STREAM_START_EVENT:
		case YAML_DOCUMENT_START_EVENT:
		case YAML_DOCUMENT_END_EVENT:
			l->n_anchors = 0;
			break;
		default:
			if (node_read(l, &ev, 0, &n, e) < 0)
				return -e->code;
			ARENA_GROW(l->a, out->doc, out->n);
			out->doc[out->n++] = n;
		}
	}
}

/* libyaml's own words for bad bytes name an offset; people want a line. */
static int bytes_check(const struct loader *l, struct err *e)
{
	const unsigned char *s = (const unsigned char *)l->text->bytes;
	yaml_mark_t mark = {};

	for (size_t i = 0; i < l->text->n; mark.column++) {
		unsigned char c = s[i];
		size_t len = c < 0x80 ? 1 : c >= 0xc2 && c < 0xe0 ? 2 : (c & 0xf0) == 0xe0 ? 3 :
			     c >= 0xf0 && c < 0xf5 ? 4 : 0;
		struct place_at at = place(l, mark, NULL);

		for (size_t k = 1; k < len; k++)
			if (i + k >= l->text->n || (s[i + k] & 0xc0) != 0x80)
				len = 0;
		if (!len)
			return node_err(&at, e, "the byte 0x%02x is not UTF-8", c);
		if (c < 0x20 && c != '\t' && c != '\n' && c != '\r')
			return node_err(&at, e, "the control character 0x%02x", c);
		i += len;
		if (c == '\n') {
			mark.line++;
			mark.column = (size_t)-1;
		}
	}
	return 0;
}

int node_load(struct arena *a, const struct node_text *text, struct node_docs *out,
	      struct err *e)
{
	struct loader l = { .a = a, .text = text };
	int r;

	*out = (struct node_docs){};
	if (bytes_check(&l, e) < 0)
		return -e->code;
	if (!yaml_parser_initialize(&l.parser))
		abort();
	yaml_parser_set_encoding(&l.parser, YAML_UTF8_ENCODING);
	yaml_parser_set_input_string(&l.parser, (const unsigned char *)text->bytes, text->n);
	r = docs_read(&l, out, e);
	yaml_parser_delete(&l.parser);
	return r;
}

int node_load_file(struct arena *a, const char *path, struct node **out, struct err *e)
{
	_text_ struct text t = {};
	struct node_docs docs;
	struct node_text text;

	if (file_read(AT_FDCWD, path, FILE_MAX, &t, e) < 0)
		return -e->code;
	text = (struct node_text){ text_str(&t), t.len, arena_text(a, path) };
	if (node_load(a, &text, &docs, e) < 0)
		return -e->code;
	if (docs.n > 1)
		return node_err(&docs.doc[1]->at, e, "a second document");
	*out = docs.n ? docs.doc[0] :
		node_make(a, NODE_NULL, &(struct place_at){ text.file, 1, 1 });
	return 0;
}
