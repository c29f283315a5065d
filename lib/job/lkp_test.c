/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * LKP's own job files against the names that LKP makes of them, where they are
 * at hand ($SHARED/lkp): every file must give exactly its names.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "base/check.h"
#include "base/file.h"
#include "job/job.h"

static const char *shared(void)
{
	static char path[4096];
	const char *s = getenv("SHARED");

	snprintf(path, sizeof(path), "%s/lkp", s ? s : "../shared");
	if (!s || access(path, R_OK) < 0)
		skip();
	return path;
}

static void file_put(const char *path, const char *text)
{
	_free_ char *folder = path_folder(path);
	_fclose_ FILE *f = NULL;
	struct err e = {};

	assert_int_equal(dir_make(folder, &e), 0);
	f = fopen(path, "w");	/* without file_write()'s fsync: there are hundreds */
	assert_true(f && fputs(text, f) >= 0);
	assert_int_equal(chmod(path, 0755), 0);
}

/* One line of programs.tsv as programs/NAME/KIND with its options at its head. */
static void program_put(const char *tree, char *line)
{
	char *name = strsep(&line, "\t"), *kind = strsep(&line, "\t");
	_free_ char *path = text_format("%s/programs/%s/%s", tree, name, kind);
	_text_ struct text t = {};
	char *option;

	text_puts(&t, "#!/bin/sh\n");
	while ((option = strsep(&line, " ")))
		if (*option)
			text_printf(&t, "# %c %s\n", *option == '=' ? '=' : '-',
				    option + (*option == '='));
	file_put(path, text_str(&t));
}

static void tree_put(const char *tree, const char *lkp)
{
	_free_ char *tsv = path_join(lkp, "programs.tsv");
	_text_ struct text t = {};
	struct err e = {};
	char *line, *rest;

	assert_int_equal(file_read(AT_FDCWD, tsv, 1 << 20, &t, &e), 0);
	for (rest = t.p; (line = strsep(&rest, "\n"));)
		if (*line && *line != '#')
			program_put(tree, line);
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static size_t unique(char **v, size_t n)
{
	size_t kept = 0;

	qsort(v, n, sizeof(*v), by_name);
	for (size_t i = 0; i < n; i++)
		if (!kept || strcmp(v[kept - 1], v[i]))
			v[kept++] = v[i];
	return kept;
}

static bool same(const char *file, char **want, size_t n_want, const struct job_list *list)
{
	char **got = mem_zero(list->n + 1, sizeof(*got));
	size_t n;
	bool ok;

	for (size_t i = 0; i < list->n; i++)
		got[i] = (char *)(uintptr_t)list->job[i]->name;
	n = unique(got, list->n);
	n_want = unique(want, n_want);
	ok = n == n_want;
	for (size_t i = 0; ok && i < n; i++) {
		ok = !strcmp(got[i], want[i]);
		if (!ok)
			print_message("%s: %s instead of %s\n", file, got[i], want[i]);
	}
	if (n != n_want)
		print_message("%s: %zu names instead of %zu\n", file, n, n_want);
	free(got);
	return ok;
}

/* Lines "FILE\tNAME.yaml" from *rest on that have the same FILE. */
static size_t names_take(char **rest, const char **file, char **names, size_t max)
{
	size_t n = 0;

	*file = NULL;
	while (*rest && **rest && n < max) {
		size_t len = strcspn(*rest, "\t");
		char *line;

		if (*file && (strlen(*file) != len || memcmp(*file, *rest, len)))
			break;
		line = strsep(rest, "\n");
		line[len] = '\0';
		*file = line;
		names[n] = line + len + 1;
		line[len + 1 + strlen(names[n]) - strlen(".yaml")] = '\0';
		n++;
	}
	return n;
}

TEST(every_job_file_of_lkp_gives_the_names_that_lkp_gives)
{
	const char *lkp = shared(), *file;
	char tree[] = "/tmp/krobot-lkp-XXXXXX", *names[2000], *rest;
	_free_ char *tsv = path_join(lkp, "expand.tsv");
	struct job_host host = { .nr_cpu = 96, .nr_node = 2, .memory = 128ULL << 30,
				 .memory_text = (char[]){ "128G" }, .arch = (char[]){ "x86_64" } };
	_job_roots_ struct job_roots roots = {};
	struct job_options o = { &roots, &host };
	_text_ struct text t = {};
	struct err e = {};
	int right = 0, all = 0;
	size_t n;

	assert_non_null(mkdtemp(tree));
	tree_put(tree, lkp);
	assert_int_equal(job_roots_open(&roots, tree, false, &e), 0);
	assert_int_equal(file_read(AT_FDCWD, tsv, 1 << 20, &t, &e), 0);
	rest = strchr(t.p, '\n') + 1;
	while ((n = names_take(&rest, &file, names, COUNT(names)))) {
		_free_ char *path = path_join(lkp, file);
		_job_list_ struct job_list list = {};
		struct err why = {};

		all++;
		if (job_expand(path, &o, &list, &why) < 0)
			print_message("%s\n", why.text);
		else
			right += same(file, names, n, &list);
	}
	print_message("# %d of %d job files\n", right, all);
	assert_int_equal(dir_remove(tree, &e), 0);
	assert_true(all > 100);
	assert_int_equal(right, all);
}
