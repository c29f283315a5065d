/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The tree that a YAML text is, with the place of each node in the user's file.
 *
 * Plain scalars mean what YAML 1.1 says, as in LKP: `yes` is true, 010 is 8,
 * 1_000 is 1000, `~` is nothing. Aliases are copied and `<<: *anchor` is
 * merged at load, so that a tree is a tree: no cycles, no sharing.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "base/text.h"
#include "job/arena.h"

struct place_at {
	const char *file;
	unsigned line, column;	/* from 1 */
};

enum node_kind { NODE_NULL, NODE_TEXT, NODE_INT, NODE_FLOAT, NODE_BOOL, NODE_LIST, NODE_MAP };

struct node;
struct expr;

struct node_item {
	const char *key;	/* NULL in lists */
	struct node *value;	/* never NULL */
	struct place_at at;	/* of the key */
	unsigned origin;	/* which inclusion it came from */
};

struct node {
	enum node_kind kind;
	bool expression;	/* text with {{ }} */
	struct place_at at;
	const char *text;	/* scalars: the value as LKP prints it; NULL for NODE_NULL */
	struct node_item *item;
	size_t n;
	const struct expr *parsed;	/* of an expression, once it was needed */
};

/* Where the lines of a text come from: what was put together from several files. */
struct line_origin {
	const char *file;
	unsigned line;
	unsigned shift;		/* columns the line was moved to the right */
	unsigned origin;	/* number of the inclusion; 0: the file itself */
};

struct node_text {
	const char *bytes;
	size_t n;
	const char *file;		/* where @lines is NULL */
	const struct line_origin *lines;
	size_t n_lines;
};

struct node_docs {
	struct node **doc;	/* NULL nodes never; an empty document is a NODE_NULL */
	size_t n;
};

#define NODE_DEPTH_MAX 40
#define NODE_COUNT_MAX 20000

/* All documents of the text; the nodes live in @a. */
_must_check_ int node_load(struct arena *a, const struct node_text *text, struct node_docs *out,
			   struct err *e);

/* A file of one document: a description, a hosts file. */
_must_check_ int node_load_file(struct arena *a, const char *path, struct node **out,
				struct err *e);

/* "FILE:LINE:COLUMN: ..."; returns -EINVAL. */
int node_err(const struct place_at *at, struct err *e, const char *fmt, ...) _printf_(3, 4);

bool node_scalar(const struct node *n);

/* Nothing, or false: what LKP takes as not given. */
bool node_absent(const struct node *n);

/* NULL when @map is no map or has no such key. */
struct node *node_get(const struct node *map, const char *key);
struct node_item *node_find(const struct node *map, const char *key);

/* A scalar's text under @key, or NULL. */
const char *node_text_of(const struct node *map, const char *key);

void node_put(struct arena *a, struct node *map, const struct node_item *item);
void node_append(struct arena *a, struct node *list, struct node *value);
void node_remove(struct node *map, struct node_item *item);
struct node *node_make(struct arena *a, enum node_kind kind, const struct place_at *at);
struct node *node_copy(struct arena *a, const struct node *n);
bool node_equal(const struct node *a, const struct node *b);

/* A plain scalar's kind and text by the rules above. */
enum node_kind scalar_kind(const char *plain, struct text *out);

/* One-line YAML that loads as the same tree. */
void node_print(const struct node *n, struct text *out);

/* JSON, keys sorted, no blanks; scalars as strings. */
void node_print_json(const struct node *n, struct text *out);
void json_put_string(struct text *out, const char *s);
