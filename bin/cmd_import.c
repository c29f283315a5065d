/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cmd.h"
#include "flow/import.h"
#include "flow/place.h"

/* Both commands walk result folders; they differ in what is parsed anew. */
static int walk(int argc, char **argv, enum import_parse parse, const char *done, struct err *e)
{
	_job_roots_ struct job_roots roots = {};
	_place_ struct place place = {};
	_store_ struct store *s = NULL;
	struct imported all = {};
	int r;

	if ((r = place_find(&place, e)) < 0 || (r = store_open(&s, place.db, e)) < 0 ||
	    (r = job_roots_open(&roots, getenv("KROBOT_PATH"), true, e)) < 0)
		return r;
	for (int i = 0; i < argc || (!argc && !i); i++) {
		struct imported n;

		if ((r = import_tree(s, &roots, argc ? argv[i] : place.results, parse, &n, e)) < 0)
			return r;
		all.runs += n.runs;
		all.lost += n.lost;
		all.bad += n.bad;
	}
	printf("%u runs %s, %u of them lost; %u folders could not be read\n", all.runs, done,
	       all.lost, all.bad);
	return all.bad ? EXIT_TROUBLE : EXIT_SAME;
}

static int import(int argc, char **argv, struct err *e)
{
	return walk(argc, argv, IMPORT_PARSE_PENDING, "imported", e);
}

static int parse(int argc, char **argv, struct err *e)
{
	return walk(argc, argv, IMPORT_PARSE_AGAIN, "parsed again", e);
}

const struct cmd cmd_import = {
	"import", "[DIR...]", "rebuild the database from result folders, also foreign ones", NULL,
	import,
};

const struct cmd cmd_parse = {
	"parse", "[DIR...]", "parse the raw output of result folders again", NULL, parse,
};
