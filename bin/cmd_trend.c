/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <math.h>
#include <string.h>

#include "base/file.h"
#include "cmd.h"
#include "flow/along.h"
#include "judge/csv.h"
#include "judge/trend.h"
#include "report/table_trend.h"

#define PLOT_WIDTH	80
#define PLOT_HEIGHT	14

static const char *csv_file, *branch, *better, *machine;
static bool json, plot, svg;

static const struct opt opts[] = {
	{ 0, "csv", OPT_TEXT, &csv_file, "FILE", "read the series from a file (- is stdin), a column per metric" },
	{ 0, "branch", OPT_TEXT, &branch, "NAME", "rows of this branch, where the file has several" },
	{ 0, "better", OPT_TEXT, &better, "WHICH", "lower or higher: which change is worse" },
	{ 'm', "machine", OPT_TEXT, &machine, "NAME", "stored runs on this machine alone" },
	{ 'p', "plot", OPT_FLAG, &plot, NULL, "plot each series in ASCII" },
	{ 0, "svg", OPT_FLAG, &svg, NULL, "print a picture of one metric instead" },
	{ 'j', "json", OPT_FLAG, &json, NULL, "print everything as JSON" },
	OPT_END
};

/* One metric's rows, and a label for each place along the branch. */
struct series {
	const char *metric;
	struct trend_row *row;
	size_t n;
	const char **label;
	size_t n_labels;
	enum metric_better better;
};

static int better_read(enum metric_better *out, struct err *e)
{
	if (!better)
		return 0;
	if (!strcmp(better, "lower"))
		*out = BETTER_LOWER;
	else if (!strcmp(better, "higher"))
		*out = BETTER_HIGHER;
	else
		return usage_err(e, "--better %s: neither lower nor higher", better);
	return 0;
}

static void show(const struct trend_view *v, json_t *all)
{
	_text_ struct text t = {};

	if (json) {
		json_array_append_new(all, trend_json(v));
		return;
	}
	if (svg) {
		trend_put_svg(v, &t);
	} else {
		trend_put_text(v, &t);
		if (plot)
			trend_put_plot(v, PLOT_WIDTH, PLOT_HEIGHT, &t);
	}
	fputs(text_str(&t), stdout);
}

/* Sets *@worse if the last change is one for the worse. */
static int judge_series(const struct series *s, json_t *all, bool *worse, struct err *e)
{
	struct trend_options o = { .better = s->better };
	_trend_ struct trend t = {};
	struct trend_view v = { s->metric, &t, s->label, s->n_labels };

	if (trend_find(&t, s->row, s->n, &o, e) < 0)
		return err_in(e, "%s", s->metric);
	show(&v, all);
	if (t.n_changes && t.change[t.n_changes - 1].worse)
		*worse = true;
	return 0;
}

static int judge_column(const struct csv *c, size_t m, json_t *all, bool *worse, struct err *e)
{
	_free_ struct trend_row *row = mem_zero(c->n_rows, sizeof(*row));
	_free_ const char **label = mem_zero(c->n_rows, sizeof(*label));
	struct series s = { .metric = c->metric[m], .row = row, .label = label };
	int r = better_read(&s.better, e);

	for (size_t i = 0; i < c->n_rows; i++) {
		const struct csv_row *from = &c->row[i];

		label[from->place] = from->commit ? from->commit : from->time;
		s.n_labels = from->place + 1;
		if (!isnan(from->value[m]))
			row[s.n++] = (struct trend_row){ from->value[m], from->place };
	}
	return r < 0 ? r : judge_series(&s, all, worse, e);
}

static int file_text(struct text *t, struct err *e)
{
	if (strcmp(csv_file, "-"))
		return file_read(AT_FDCWD, csv_file, CSV_MAX_BYTES, t, e);
	return file_read(AT_FDCWD, "/dev/stdin", CSV_MAX_BYTES, t, e);
}

static bool wanted(const char *metric, int argc, char **argv)
{
	for (int i = 0; i < argc; i++)
		if (!strcmp(metric, argv[i]))
			return true;
	return !argc;
}

static int from_csv(int argc, char **argv, json_t *all, bool *worse, struct err *e)
{
	_text_ struct text t = {};
	_csv_ struct csv c = {};
	int seen = 0;

	if (file_text(&t, e) < 0)
		return -e->code;
	if (csv_read(&c, text_str(&t), t.len, branch, e) < 0)
		return err_in(e, "%s", csv_file);
	for (size_t m = 0; m < c.n_metrics; m++)
		seen += wanted(c.metric[m], argc, argv);
	if (!seen || seen < argc)
		return err_set(e, ENOENT, "%s: %s a column of that name", csv_file,
			       argc > 1 ? "not for each" : "no");
	if (svg && seen > 1)
		return usage_err(e, "--svg shows one metric, and %s has %d", csv_file, seen);
	for (size_t m = 0; m < c.n_metrics; m++)
		if (wanted(c.metric[m], argc, argv) &&
		    judge_column(&c, m, all, worse, e) < 0)
			return -e->code;
	return 0;
}

static int from_store(char **argv, json_t *all, bool *worse, struct err *e)
{
	struct along_opts o = { .job = argv[0], .machine = machine, .metric = argv[1] };
	_along_series_ struct along_series a = {};
	_place_ struct place place = {};
	_text_ struct text out = {};
	struct series s = { .metric = argv[1] };
	int r;

	if ((r = place_find(&place, e)) < 0 || (r = along_series(&place, &o, &a, &out, e)) < 0)
		return r;
	fputs(text_str(&out), stderr);
	if (r == ALONG_NOTHING)
		return EXIT_UNTESTABLE;
	s.row = a.row;
	s.n = a.n;
	s.label = (const char **)a.label;
	s.n_labels = a.n_labels;
	s.better = a.better;
	r = better_read(&s.better, e);
	return r < 0 ? r : judge_series(&s, all, worse, e);
}

static int run(int argc, char **argv, struct err *e)
{
	json_t *all = json_array();
	bool worse = false;
	int r;

	if (csv_file)
		r = from_csv(argc, argv, all, &worse, e);
	else if (argc == 2)
		r = from_store(argv, all, &worse, e);
	else
		r = usage_err(e, "a job and a metric, or --csv FILE");
	if (!r && json) {
		json_dumpf(all, stdout, JSON_INDENT(2));
		putchar('\n');
	}
	json_decref(all);
	return r ? r : worse ? EXIT_WORSE : EXIT_SAME;
}

const struct cmd cmd_trend = {
	"trend", "[OPTION]... JOB METRIC | --csv FILE [METRIC]...",
	"find where along a branch a metric changed its level",
	opts, run
};
