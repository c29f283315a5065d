/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

#include "base/file.h"
#include "base/proc.h"
#include "job/index.h"
#include "job/node.h"

#define HEAD_MAX (64U << 10)
#define DESCRIPTION_MAX (256U << 10)
#define DESCRIBE_NS (10ULL * 1000 * 1000 * 1000)

static const char *const kinds[] = { "size", "time", "count", "number", "text", "list" };

static int word_check(const struct node *map, const char *key, const char *const *words,
		      size_t n, struct err *e)
{
	const struct node *v = node_get(map, key);

	if (!v || v->kind == NODE_NULL)
		return 0;
	for (size_t i = 0; node_scalar(v) && i < n; i++)
		if (!strcmp(v->text, words[i]))
			return 0;
	return node_err(&v->at, e, "not a value of '%s'", key);
}

static int parameters_read(struct arena *a, const struct node *map,
			   struct program_description *d, struct err *e)
{
	for (size_t i = 0; map && i < map->n; i++) {
		const struct node *v = map->item[i].value;

		if (map->kind != NODE_MAP || (v->kind != NODE_MAP && v->kind != NODE_NULL))
			return node_err(&v->at, e, "a parameter is '{ kind:, default:, help: }'");
		if (word_check(v, "kind", kinds, COUNT(kinds), e) < 0)
			return -e->code;
		ARENA_GROW(a, d->parameter, d->n_parameters);
		d->parameter[d->n_parameters++] = (struct program_parameter){
			.name = map->item[i].key,
			.help = node_text_of(v, "help"),
			.value = node_text_of(v, "default"),
			.kind = node_text_of(v, "kind"),
		};
	}
	return 0;
}

static int metrics_read(struct arena *a, const struct node *map,
			struct program_description *d, struct err *e)
{
	static const char *const betters[] = { "higher", "lower", "none" };

	for (size_t i = 0; map && i < map->n; i++) {
		const struct node *v = map->item[i].value, *head = node_get(v, "headline");

		if (map->kind != NODE_MAP || v->kind != NODE_MAP)
			return node_err(&v->at, e, "a metric is '{ unit:, better:, meaning: }'");
		if (word_check(v, "better", betters, COUNT(betters), e) < 0)
			return -e->code;
		ARENA_GROW(a, d->metric, d->n_metrics);
		d->metric[d->n_metrics++] = (struct program_metric){
			.name = map->item[i].key,
			.unit = node_text_of(v, "unit"),
			.better = node_text_of(v, "better"),
			.meaning = node_text_of(v, "meaning"),
			.headline = head && !node_absent(head),
		};
	}
	return 0;
}

static int needs_read(struct arena *a, const struct node *map, struct program_description *d,
		      struct err *e)
{
	const struct node *root = node_get(map, "root"), *kconfig = node_get(map, "kconfig");

	d->needs.memory = node_text_of(map, "memory");
	d->needs.cpus = node_text_of(map, "cpus");
	d->needs.nodes = node_text_of(map, "nodes");
	d->needs.root = root && !node_absent(root);
	for (size_t i = 0; kconfig && i < kconfig->n; i++) {
		const struct node *v = kconfig->item[i].value;

		if (kconfig->kind != NODE_LIST || !node_scalar(v) || !v->text)
			return node_err(&v->at, e, "kconfig is a list of options");
		ARENA_GROW(a, d->needs.kconfig, d->needs.n_kconfig);
		d->needs.kconfig[d->needs.n_kconfig++] = v->text;
	}
	return 0;
}

static int description_parse(struct arena *a, const char *name, const char *bytes, size_t n,
			     struct program_description *d, struct err *e)
{
	struct node_text text = { bytes, n, arena_text(a, name) };
	struct node_docs docs;
	const struct node *top;

	if (node_load(a, &text, &docs, e) < 0)
		return -e->code;
	if (docs.n != 1 || docs.doc[0]->kind != NODE_MAP)
		return err_set(e, EINVAL, "%s: a description is one map", name);
	top = docs.doc[0];
	d->text = arena_text_n(a, bytes, n);
	d->about = node_text_of(top, "about");
	if (parameters_read(a, node_get(top, "parameters"), d, e) < 0 ||
	    metrics_read(a, node_get(top, "metrics"), d, e) < 0)
		return -e->code;
	return needs_read(a, node_get(top, "needs"), d, e);
}

/* "# - name" or "# = name" in the lines before the first empty one. */
static void head_read(struct arena *a, const char *s, struct program_description *d)
{
	while (*s && *s != '\n') {
		size_t n = strcspn(s, "\n"), len;

		if (n > 4 && s[0] == '#' && s[1] == ' ' && strchr("-=", s[2]) && s[3] == ' ') {
			len = strspn(s + 4, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
					    "0123456789_.-");
			if (len && 4 + len == n) {
				ARENA_GROW(a, d->parameter, d->n_parameters);
				d->parameter[d->n_parameters++] = (struct program_parameter){
					.name = arena_text_n(a, s + 4, len),
					.named = s[2] == '=',
				};
			}
		}
		s += n + (s[n] == '\n');
	}
}

static int file_head(const char *path, struct text *out, struct err *e)
{
	_close_ int fd = open(path, O_RDONLY | O_CLOEXEC);
	char buf[4096];
	ssize_t n = 0;

	if (fd < 0)
		return err_sys(e, "%s", path);
	while (out->len < HEAD_MAX && (n = read(fd, buf, sizeof(buf))) > 0) {
		const char *nul = memchr(buf, '\0', (size_t)n);

		text_put(out, buf, nul ? (size_t)(nul - buf) : (size_t)n);
		if (nul || strstr(text_str(out), "\n\n"))
			break;
	}
	return n < 0 ? err_sys(e, "reading %s", path) : 0;
}

/* Only ours know the question; whatever else happens, it has no description. */
static int binary_describe(struct arena *a, const struct program *p,
			   struct program_description *d, struct err *e)
{
	static const char *const env[] = { "PATH=/usr/bin:/bin", "LC_ALL=C", NULL };
	_proc_ struct proc run = {
		.argv = ARGV(p->path, "--describe"), .env = env,
		.timeout_ns = DESCRIBE_NS, .out_max = DESCRIPTION_MAX,
	};
	struct err none = {};

	if (proc_run(&run, &none) < 0 || run.status != 0 || !run.out.len)
		return 0;
	return description_parse(a, p->path, text_str(&run.out), run.out.len, d, e);
}

static int description_read(struct arena *a, const struct program *p, bool trusted,
			    struct program_description *d, struct err *e)
{
	_free_ char *beside = text_format("%s.yaml", p->path);
	_text_ struct text t = {};

	if (access(beside, F_OK) == 0) {
		if (file_read(AT_FDCWD, beside, DESCRIPTION_MAX, &t, e) < 0)
			return -e->code;
		return description_parse(a, beside, text_str(&t), t.len, d, e);
	}
	if (file_head(p->path, &t, e) < 0)
		return -e->code;
	if (!strncmp(text_str(&t), "\177ELF", 4))
		return trusted ? binary_describe(a, p, d, e) : 0;
	head_read(a, text_str(&t), d);
	return 0;
}

int program_describe(struct job_roots *r, const struct program *p,
		     const struct program_description **out, struct err *e)
{
	struct index_entry *f = (struct index_entry *)(uintptr_t)p;
	struct program_description *d;
	struct stat st;

	if (stat(p->path, &st) < 0)
		return err_sys(e, "%s", p->path);
	if (!f->description || f->inode != st.st_ino || f->mtime.tv_sec != st.st_mtim.tv_sec ||
	    f->mtime.tv_nsec != st.st_mtim.tv_nsec) {
		d = arena_get(&r->index->arena, sizeof(*d));
		d->name = p->name;
		d->text = "";
		if (description_read(&r->index->arena, p, p->root < r->trusted, d, e) < 0)
			return err_in(e, "%s", p->name);
		f->description = d;
		f->inode = st.st_ino;
		f->mtime = st.st_mtim;
	}
	*out = f->description;
	return 0;
}
