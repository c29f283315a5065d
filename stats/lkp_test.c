/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Every parser in --lkp mode against the pairs of raw text and expected lines
 * that are kept outside of the project (SHARED/lkp/stats/PARSER/CASE and
 * CASE.expected; a CASE that is a folder is a result root).  TAP, one test a
 * parser, with its passed of total.  Skipped where the folder is absent; no
 * case found although it is there is a failure.
 */
#include <dirent.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

#include "all.h"
#include "base/file.h"

static const char *only;	/* argv[1]: PARSER, to see the differences of one */

/* A last newline more or less is the fixture's, not the parser's. */
static void one_end(struct text *t)
{
	while (t->len && t->p[t->len - 1] == '\n')
		t->p[--t->len] = '\0';
}

static void show_difference(const char *path, const struct text *want, const struct text *got)
{
	const char *w = text_str(want), *g = text_str(got);
	size_t line = 1;

	while (*w && *g) {
		size_t nw = strcspn(w, "\n"), ng = strcspn(g, "\n");

		if (nw != ng || memcmp(w, g, nw))
			break;
		w += nw + (w[nw] == '\n');
		g += ng + (g[ng] == '\n');
		line++;
	}
	fprintf(stderr, "# %s: line %zu\n#   expected: %.*s\n#   got:      %.*s\n", path, line,
		(int)strcspn(w, "\n"), w, (int)strcspn(g, "\n"), g);
	if (only)
		fprintf(stderr, "--- all that was got\n%s\n---\n", text_str(got));
}

static bool run_case(const struct parser *k, const char *dir, const char *name)
{
	_free_ char *path = text_format("%s/%s", dir, name);
	_free_ char *expected = text_format("%s.expected", path);
	_parse_ struct parse p = { .out_fd = -1, .lkp = true, .file = path };
	_input_ struct input *in = NULL;
	_text_ struct text raw = {}, want = {};
	struct err e = {};
	struct stat st;

	if (stat(path, &st) == 0 && S_ISDIR(st.st_mode))
		p.root = path;
	else if (file_read(AT_FDCWD, path, 64U << 20, &raw, &e) < 0)
		goto bad;
	if (!strcmp(k->name, "kmsg"))
		p.root = "/boot/1/vm-";
	if (file_read(AT_FDCWD, expected, 64U << 20, &want, &e) < 0)
		goto bad;
	in = input_memory(text_str(&raw), raw.len);
	if (parse_run(&p, k, in, &e) < 0)
		goto bad;
	one_end(&want);
	one_end(&p.out);
	if (!strcmp(text_str(&want), text_str(&p.out)))
		return true;
	show_difference(path, &want, &p.out);
	return false;
bad:
	fprintf(stderr, "# %s: %s\n", path, e.text);
	return false;
}

static int is_expected(const struct dirent *d)
{
	return text_ends(d->d_name, ".expected");
}

/* Prints the parser's line; adds to the counts. False if it has no cases. */
static bool run_parser(const struct parser *k, const char *stats, int *n, int *bad)
{
	_free_ char *dir = text_format("%s/%s", stats, k->name);
	struct dirent **list;
	int total = scandir(dir, &list, is_expected, alphasort), passed = 0;

	if (total < 0)
		return false;
	for (int i = 0; i < total; i++) {
		_free_ char *name = text_copy(list[i]->d_name);

		name[strlen(name) - strlen(".expected")] = '\0';
		passed += run_case(k, dir, name);
		free(list[i]);
	}
	free(list);
	printf("%s %d - %s: %d of %d\n", passed == total && total ? "ok" : "not ok", ++*n, k->name,
	       passed, total);
	*bad += passed != total || !total;
	return true;
}

int main(int argc, char **argv)
{
	const char *shared = getenv("SHARED");
	_free_ char *stats = text_format("%s/lkp/stats", shared ? shared : "../shared");
	int n = 0, bad = 0;

	only = argv[1];
	printf("TAP version 13\n");
	if (access(stats, R_OK) < 0) {
		printf("1..0 # SKIP no %s\n", stats);
		return 0;
	}
	for (size_t i = 0; i < COUNT(all_parsers); i++)
		if (!only || !strcmp(only, all_parsers[i]->name))
			run_parser(all_parsers[i], stats, &n, &bad);
	if (!n)
		printf("not ok %d - no case found in %s\n", ++n, stats);
	printf("1..%d\n", n);
	return bad || !n;
}
