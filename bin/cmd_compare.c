/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <string.h>

#include "cmd.h"
#include "compare_matrix.h"
#include "flow/compare.h"

static uint64_t warmup;
static struct compare_opts o;
static bool matrix;
static const char *rule, *format;
static struct compare_matrix_opts m;

static const struct opt opts[] = {
	{ 'b', "by", OPT_TEXT, &o.by, "PARAMETER", "compare its values; arguments: jobs" },
	{ 'j', "job", OPT_TEXT, &o.job, "JOB", "only this job, test, or glob" },
	{ 'm', "metric", OPT_TEXT, &o.metric, "NAME", "only this metric" },
	{ 'x', "explain", OPT_TEXT, &o.explain, "METRIC", "tell step by step how it was judged" },
	{ 'w', "warmup", OPT_COUNT, &warmup, "N", "drop the first N runs of each boot" },
	{ 'a', "all", OPT_FLAG, &o.all, NULL, "show rows that did not change, too" },
	{ 0, "machine", OPT_TEXT, &o.machine, "NAME", "only runs on this machine" },
	{ 0, "session", OPT_TEXT, &o.session, "ID", "only runs of this session" },
	{ 0, "force", OPT_FLAG, &o.force, NULL, "also compare different builds of a test" },
	{ 0, "json", OPT_FLAG, &o.json, NULL, "print JSON with every figure" },
	{ 0, "format", OPT_TEXT, &format, "WORD", "text, json, csv, markdown, html or lkp" },
	{ 0, "matrix", OPT_FLAG, &matrix, NULL, "arguments: LKP's COMMIT.matrix.json files, no store" },
	{ 0, "axes", OPT_TEXT, &m.axes, "FILE", "with --matrix: YAML with the axes that they share" },
	{ 0, "rule", OPT_TEXT, &rule, "WORD", "krobot (its own), or lkp: LKP's, in LKP's table" },
	{ 0, "more", OPT_FLAG, &m.more, NULL, "with --rule lkp: what LKP leaves out, too" },
	OPT_END
};

/* LKP's rule and table go together. */
static int run_matrix(int argc, char **argv, struct err *e)
{
	_text_ struct text out = {};
	int r;

	m.lkp = (rule && !strcmp(rule, "lkp")) || (format && !strcmp(format, "lkp"));
	if (rule && !m.lkp && strcmp(rule, "krobot"))
		return usage_err(e, "--rule %s: neither krobot nor lkp", rule);
	m.format = o.json ? TABLE_JSON : format && !m.lkp ? table_format_find(format) : TABLE_TEXT;
	if (m.format == TABLE_FORMATS)
		return usage_err(e, "--format %s: no such format", format);
	if (!argc)
		return usage_err(e, "which matrix files?");
	m.file = (const char *const *)argv;
	m.n = (size_t)argc;
	m.all = o.all;
	r = compare_matrix(&m, &out, e);
	fputs(text_str(&out), stdout);
	return r;
}

static int run(int argc, char **argv, struct err *e)
{
	static const int status[] = {
		[COMPARE_SAME] = EXIT_SAME, [COMPARE_WORSE] = EXIT_WORSE,
		[COMPARE_NOTHING] = EXIT_UNTESTABLE,
	};
	_place_ struct place place = {};
	_text_ struct text out = {};
	int r;

	if (matrix)
		return run_matrix(argc, argv, e);
	if (m.axes || m.more)
		return usage_err(e, "--axes and --more go with --matrix");
	o.lkp = (rule && !strcmp(rule, "lkp")) || (format && !strcmp(format, "lkp"));
	if (rule && !o.lkp && strcmp(rule, "krobot"))
		return usage_err(e, "--rule %s: neither krobot nor lkp", rule);
	if (format && !o.lkp) {
		o.format = table_format_find(format);
		if (o.format == TABLE_FORMATS)
			return usage_err(e, "--format %s: no such format here", format);
		o.json |= o.format == TABLE_JSON;
	}
	if (o.by && argc > 1)
		return usage_err(e, "with --by, one job (a name, a test or a glob) or none");
	if (o.by && argc == 1)
		o.job = argv[0];
	if (!o.by && argc < 2)
		return usage_err(e, "two labels or kernels, the first is the base");
	if (!o.by) {
		o.column = (const char *const *)argv;
		o.n_columns = (size_t)argc;
	}
	for (size_t i = 1; i < o.n_columns; i++)
		for (size_t k = 0; k < i; k++)
			if (!strcmp(o.column[i], o.column[k]))
				return usage_err(e, "'%s' is named twice", o.column[i]);
	if (warmup > 1000)
		return usage_err(e, "--warmup: more than 1000");
	o.warmup = (unsigned int)warmup;
	if ((r = place_find(&place, e)) < 0 || (r = compare_stored(&place, &o, &out, e)) < 0)
		return r;
	fputs(text_str(&out), r == COMPARE_NOTHING ? stderr : stdout);
	if (r == COMPARE_NOTHING && o.json)
		puts("[]");
	return status[r];
}

const struct cmd cmd_compare = {
	"compare", "BASE HEAD... | --by PARAMETER [JOB] | --matrix FILE...",
	 "judge labels, kernels or a parameter's values by what is stored",
	opts, run,
};
