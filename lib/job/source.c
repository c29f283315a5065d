/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <fcntl.h>
#include <fts.h>
#include <string.h>
#include <sys/stat.h>

#include "base/file.h"
#include "job/braces.h"
#include "job/source.h"

#define INCLUDE_DEPTH_MAX 16
#define INCLUDES_MAX 200
#define BYTES_MAX (4U << 20)

struct line {
	const char *s;
	size_t n;
	struct line_origin from;
};

struct lines {
	struct line *v;
	size_t n;
};

struct reader {
	struct arena *a;
	const struct job_roots *roots;
	char *own_root;		/* of the job file */
	const char *open[INCLUDE_DEPTH_MAX + 1];	/* real paths, outermost first */
	unsigned depth, includes;
	size_t bytes;
};

struct include {
	const char *file;
	const struct node *map;		/* of `{file: F, key: value}`, or NULL */
	size_t prefix;			/* characters before `<<` */
};

char *source_root(const char *path)
{
	const char *at = NULL;

	for (const char *p = path; (p = strstr(p, "/jobs/")); p++)
		at = p;
	if (!at)
		return path_folder(path);
	return at == path ? text_copy("/") : text_format("%.*s", (int)(at - path), path);
}

static bool below(const char *path, const char *folder)
{
	size_t n = strlen(folder);

	return !strcmp(folder, "/") || (!strncmp(path, folder, n) && path[n] == '/');
}

static bool allowed(const struct reader *r, const char *path)
{
	if (below(path, r->own_root))
		return true;
	for (size_t i = 0; i < r->roots->n; i++)
		if (below(path, r->roots->path[i]))
			return true;
	return false;
}

static int fts_by_name(const FTSENT **a, const FTSENT **b)
{
	return strcmp((*a)->fts_name, (*b)->fts_name);
}

/* A file below @root/jobs whose path ends in "/NAME"; caller frees. */
static char *found_below(const char *root, const char *name)
{
	_free_ char *folder = path_join(root, "jobs"), *tail = text_format("/%s", name);
	char *const start[] = { folder, NULL };
	FTS *walk = fts_open(start, FTS_PHYSICAL | FTS_NOCHDIR, fts_by_name);
	char *found = NULL;
	FTSENT *f;

	if (!walk)
		return NULL;
	while (!found && (f = fts_read(walk))) {
		if (f->fts_level > 8)
			fts_set(walk, f, FTS_SKIP);
		else if ((f->fts_info == FTS_F || f->fts_info == FTS_SL) &&
			 text_ends(f->fts_path, tail))
			found = text_copy(f->fts_path);
	}
	fts_close(walk);
	return found;
}

static char *tried(const char *folder, const char *name)
{
	_free_ char *path = path_join(folder, name);

	return access(path, F_OK) == 0 ? steal(path) : NULL;
}

static char *include_search(const struct reader *r, const char *from, const char *name)
{
	_free_ char *folder = path_folder(from);
	char *found = tried(folder, name);

	if (found || *name == '/' || text_starts(name, "./") || text_starts(name, "../"))
		return found;
	found = tried(r->own_root, name);
	for (size_t i = 0; !found && i < r->roots->n; i++)
		found = tried(r->roots->path[i], name);
	if (!found)
		found = found_below(r->own_root, name);
	for (size_t i = 0; !found && i < r->roots->n; i++)
		found = found_below(r->roots->path[i], name);
	return found;
}

/*
 * Whether the line is `<<: FILE` and not YAML's own `<<: *anchor`. What stands
 * before may only place it: blanks, "- ", "key: ".
 */
static int include_line(struct reader *r, const struct line *l, struct include *out,
			struct err *e)
{
	_text_ struct text line = {};
	struct node_docs docs;
	struct node_text text;
	const char *at, *p;

	if (!memmem(l->s, l->n, "<<", 2))
		return 0;
	text_put(&line, l->s, l->n);
	at = strstr(text_str(&line), "<<");
	for (p = text_str(&line); p < at; p++)
		if (strchr("#'\"{[|&*", *p))
			return 0;
	for (p = at + 2; *p == ' '; p++)
		;
	if (*p++ != ':' || *p != ' ')
		return 0;
	p += strspn(p, " ");
	if (!*p || *p == '*' || *p == '[' || *p == '#')
		return 0;
	text = (struct node_text){ p, strlen(p), NULL, &l->from, 1 };
	if (node_load(r->a, &text, &docs, e) < 0)
		return -e->code;
	*out = (struct include){ .prefix = (size_t)(at - text_str(&line)) };
	if (docs.n == 1 && docs.doc[0]->kind == NODE_TEXT)
		out->file = docs.doc[0]->text;
	else if (docs.n == 1)
		out->file = node_text_of(docs.doc[0], "file");
	if (out->file && docs.doc[0]->kind == NODE_MAP)
		out->map = docs.doc[0];
	return out->file != NULL;
}

/* ERB would run programs; in job files nothing of it is known. */
static int template_refuse(const struct line *l, struct err *e)
{
	const char *open = memmem(l->s, l->n, "<%", 2);
	struct place_at at = { l->from.file, l->from.line, 1 };

	if (!open && !(l->n > 1 && *l->s == '%'))
		return 0;
	if (l->s[strspn(l->s, " ")] == '#')
		return 0;
	at.column = open ? (unsigned)(open - l->s) + 1 : 1;
	return node_err(&at, e, "'%.2s': templates are known below include/ only",
			open ? open : l->s);
}

/* The key at the start of a line without indentation, or 0. */
static size_t top_key(const struct line *l)
{
	const char *colon = memchr(l->s, ':', l->n);
	size_t n = colon ? (size_t)(colon - l->s) : 0;

	if (!n || strchr(" -#%", *l->s) || (n + 1 < l->n && !strchr(" \r", colon[1])))
		return 0;
	while (n && l->s[n - 1] == ' ')
		n--;
	return n;
}

static bool is_key(const struct line *l, const char *key)
{
	size_t n = top_key(l);

	return n && strlen(key) == n && !memcmp(l->s, key, n);
}

static bool separator(const struct line *l)
{
	return l->n >= 3 && !memcmp(l->s, "---", 3) && (l->n == 3 || strchr(" \r", l->s[3]));
}

/* A line that belongs to the key above it. */
static bool continues(const struct line *l)
{
	return !l->n || *l->s == ' ' || (*l->s == '-' && !separator(l));
}

static void line_add(struct reader *r, struct lines *to, const struct line *l)
{
	ARENA_GROW(r->a, to->v, to->n);
	to->v[to->n++] = *l;
}

static size_t key_skip(const struct lines *from, size_t i)
{
	for (i++; i < from->n && continues(&from->v[i]); i++)
		;
	return i;
}

static void key_drop(struct reader *r, struct lines *in, const char *key)
{
	struct lines out = {};

	for (size_t i = 0; i < in->n;) {
		if (is_key(&in->v[i], key)) {
			i = key_skip(in, i);
			continue;
		}
		line_add(r, &out, &in->v[i++]);
	}
	*in = out;
}

/* In every document: the key's lines become the new one, or it is added at the end. */
static void key_override(struct reader *r, struct lines *in, const char *key,
			 const struct node *value, const struct line_origin *from)
{
	_text_ struct text t = {};
	struct line l = { .from = *from };
	struct lines out = {};
	bool done = false, content = false;

	text_printf(&t, "%s: ", key);
	node_print(value, &t);
	l.s = arena_text_n(r->a, text_str(&t), t.len);
	l.n = t.len;
	for (size_t i = 0; i < in->n;) {
		if (is_key(&in->v[i], key)) {
			line_add(r, &out, &l);
			i = key_skip(in, i);
			done = true;
			continue;
		}
		if (separator(&in->v[i])) {
			if (!done && content)
				line_add(r, &out, &l);
			done = content = false;
		} else if (in->v[i].n && *in->v[i].s != '#') {
			content = true;
		}
		line_add(r, &out, &in->v[i++]);
	}
	if (!done && content)
		line_add(r, &out, &l);
	*in = out;
}

static void include_options(struct reader *r, const struct include *inc,
			    const struct line_origin *from, struct lines *lines)
{
	for (size_t i = 0; inc->map && i < inc->map->n; i++) {
		const char *key = inc->map->item[i].key;
		const struct node *v = inc->map->item[i].value;

		if (!strcmp(key, "file"))
			continue;
		if (strcmp(key, "ignore"))
			key_override(r, lines, key, v, from);
		else if (node_scalar(v) && v->text)
			key_drop(r, lines, v->text);
		for (size_t k = 0; !strcmp(key, "ignore") && k < v->n; k++)
			if (node_scalar(v->item[k].value) && v->item[k].value->text)
				key_drop(r, lines, v->item[k].value->text);
	}
}

static int file_lines(struct reader *r, const char *path, const struct line_origin *by,
		      struct lines *out, struct err *e);

static int include_put(struct reader *r, const struct line *at, const struct include *inc,
		       struct lines *out, struct err *e)
{
	struct place_at here = { at->from.file, at->from.line, (unsigned)inc->prefix + 1 };
	_free_ char *found = include_search(r, r->open[r->depth - 1], inc->file);
	struct lines lines = {};
	struct line head = { at->s, inc->prefix, at->from };

	if (!found)
		return node_err(&here, e, "no file '%s' to include", inc->file);
	if (file_lines(r, found, &(struct line_origin){ at->from.file, at->from.line,
							(unsigned)inc->prefix }, &lines, e) < 0)
		return -e->code;
	include_options(r, inc, &at->from, &lines);
	if (strspn(at->s, " ") < inc->prefix)
		line_add(r, out, &head);
	for (size_t i = 0; i < lines.n; i++) {
		struct line l = lines.v[i];
		char *moved = arena_chars(r->a, l.n + inc->prefix + 1);

		memset(moved, ' ', inc->prefix);
		memcpy(moved + inc->prefix, l.s, l.n);
		l.s = moved;
		l.n += l.n ? inc->prefix : 0;
		l.from.shift += (unsigned)inc->prefix;
		r->bytes += l.n;
		line_add(r, out, &l);
	}
	if (r->bytes > BYTES_MAX)
		return node_err(&here, e, "the includes make more than %u bytes", BYTES_MAX);
	return 0;
}

static int lines_split(struct reader *r, const char *path, const char *s, struct lines *out,
		       struct err *e)
{
	unsigned origin = r->includes;

	for (unsigned number = 1; *s; number++) {
		size_t n = strcspn(s, "\n");
		struct line l = { s, n, { path, number, 0, origin } };
		struct include inc = {};
		int is;

		if (n && s[n - 1] == '\r')
			l.n--;
		is = template_refuse(&l, e) < 0 ? -e->code : include_line(r, &l, &inc, e);
		if (is < 0)
			return is;
		if (!is)
			line_add(r, out, &l);
		else if (include_put(r, &l, &inc, out, e) < 0)
			return -e->code;
		s += n + (s[n] == '\n');
	}
	return 0;
}

/* The checks that keep an include from going in circles or elsewhere. */
static int include_check(struct reader *r, const char *path, const char *real,
			 const struct line_origin *by, struct err *e)
{
	struct place_at at = {}, start = { path, 1, 1 };
	struct stat st;

	if (stat(real, &st) < 0)
		return err_sys(e, "%s", real);
	if (!S_ISREG(st.st_mode))
		return err_set(e, EINVAL, "%s: not a file", path);
	if (st.st_size > SOURCE_MAX)
		return node_err(&start, e, "more than %u bytes", SOURCE_MAX);
	if (!by)
		return 0;
	at = (struct place_at){ by->file, by->line, by->shift + 1 };
	if (!allowed(r, real))
		return node_err(&at, e, "'%s' lies outside the trees that may be included", real);
	for (unsigned i = 0; i < r->depth; i++)
		if (!strcmp(r->open[i], real))
			return node_err(&at, e, "'%s' includes itself", real);
	if (r->depth >= INCLUDE_DEPTH_MAX || ++r->includes > INCLUDES_MAX)
		return node_err(&at, e, "too many includes");
	return 0;
}

static int nul_refuse(const char *path, const struct text *t, struct err *e)
{
	const char *nul = memchr(text_str(t), '\0', t->len);
	struct place_at at = { path, 1, 1 };

	for (const char *p = text_str(t); nul && p < nul; p++) {
		at.line += *p == '\n';
		at.column = *p == '\n' ? 1 : at.column + 1;
	}
	return nul ? node_err(&at, e, "a NUL character; not a text") : 0;
}

static int file_lines(struct reader *r, const char *path, const struct line_origin *by,
		      struct lines *out, struct err *e)
{
	_free_ char *real = realpath(path, NULL);
	_text_ struct text t = {};
	int n;

	if (!real)
		return err_sys(e, "%s", path);
	if (include_check(r, path, real, by, e) < 0)
		return -e->code;
	if (file_read(AT_FDCWD, path, SOURCE_MAX, &t, e) < 0)
		return -e->code;
	if (nul_refuse(path, &t, e) < 0)
		return -e->code;
	r->open[r->depth++] = real;
	n = lines_split(r, arena_text(r->a, path), arena_text_n(r->a, text_str(&t), t.len), out, e);
	r->depth--;
	return n;
}

static void lines_join(const struct lines *from, struct source *out)
{
	out->lines = mem_zero(from->n + 1, sizeof(*out->lines));
	out->n_lines = from->n;
	for (size_t i = 0; i < from->n; i++) {
		text_put(&out->bytes, from->v[i].s, from->v[i].n);
		text_putc(&out->bytes, '\n');
		out->lines[i] = from->v[i].from;
	}
}

int source_read(struct arena *a, const struct job_roots *roots, const char *path,
		struct source *out, struct err *e)
{
	_free_ char *real = realpath(path, NULL);
	_free_ char *root = real ? source_root(real) : NULL;
	struct reader r = { .a = a, .roots = roots, .own_root = root };
	struct lines lines = {};

	*out = (struct source){};
	if (!real)
		return err_sys(e, "%s", path);
	if (file_lines(&r, path, NULL, &lines, e) < 0)
		return -e->code;
	lines_join(&lines, out);
	return braces_quote(out, e);
}

void source_release(struct source *s)
{
	text_release(&s->bytes);
	free(s->lines);
	*s = (struct source){};
}
