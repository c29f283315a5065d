/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The main() of every parser. */
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>

#include "base/opt.h"
#include "parser/parse.h"

static int open_file(const char *path, bool folder, struct err *e)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct stat st;

	if (fd < 0 || fstat(fd, &st) < 0)
		return err_sys(e, "%s", path);
	if (S_ISDIR(st.st_mode) && !folder) {
		close(fd);
		return err_set(e, EISDIR, "%s: is a folder", path);
	}
	return fd;
}

static int parse_file(struct parse *p, const struct parser *k, struct err *e)
{
	_input_ struct input *in = NULL;
	_close_ int fd = -1;
	struct stat st;
	int r;

	if (p->file) {
		fd = open_file(p->file, k->folder, e);
		if (fd < 0)
			return fd;
		/* The parser looks into the folder by itself. */
		if (fstat(fd, &st) == 0 && S_ISDIR(st.st_mode)) {
			p->root = p->file;
			in = input_memory("", 0);
		}
	}
	if (!in)
		in = input_fd(fd >= 0 ? fd : STDIN_FILENO);
	r = parse_run(p, k, in, e);
	return r < 0 && p->file ? err_in(e, "%s", p->file) : r;
}

int main(int argc, char **argv)
{
	const struct parser *k = parser_this();
	_parse_ struct parse p = { .out_fd = STDOUT_FILENO, .root = getenv("RESULT_ROOT") };
	const struct opt opts[] = {
		{ 'l', "lkp", OPT_FLAG, &p.lkp, NULL,
		  "print what LKP's parser prints, to the byte" },
		{ 'u', "unknown", OPT_FLAG, &p.list_unknown, NULL,
		  "list on stderr the lines that are not known" },
		OPT_END
	};
	struct err e = {};
	char usage[200];
	int r;

	snprintf(usage, sizeof(usage), "%s [OPTION]... [FILE]   raw output in, metric lines out",
		 k->name);
	r = opt_parse(argc, argv, opts, usage, &e);
	if (r == OPT_HELP)
		return 0;
	if (r >= 0 && argc - r > 1)
		r = err_set(&e, EINVAL, "more than one file given");
	if (r >= 0) {
		p.file = argv[r];
		r = parse_file(&p, k, &e);
	}
	if (r < 0) {
		fprintf(stderr, "%s: %s\n", k->name, e.text);
		return 1;
	}
	return 0;
}
