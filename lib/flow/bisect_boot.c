/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <string.h>

#include "base/file.h"
#include "flow/bisect_boot.h"
#include "flow/sides.h"
#include "kernel/image.h"
#include "kernel/sameness.h"

#define IMAGE_MAX	(1U << 30)
#define REFUSALS_MAX	2	/* boots in a row that a kernel may fail: then it does not boot */

/* One kernel is ready at a time: that of the step. */
struct bench {
	struct boots *boots;
	struct kernel kernel;
	char commit[COMMIT_NAME_SIZE];	/* of it; "": none is ready */
	const char *metric;		/* as asked for; NULL: the headline */
	unsigned int refused;		/* in a row */
};

static void bench_release(struct bench *b)
{
	kernel_release(&b->kernel);
}

/* Of what is booted: the kernel inside the image, or the image as it is. */
static int name_build(const struct kernel *k, struct text *build, struct err *e)
{
	_text_ struct text image = {}, vmlinux = {}, normal = {};
	_free_ char *hash = NULL;
	int r = file_read(AT_FDCWD, k->image, IMAGE_MAX, &image, e);

	if (r < 0)
		return r;
	r = image_extract(image.p, image.len, &vmlinux, e);
	if (r < 0)
		return r;
	sameness_normalise(r ? image.p : vmlinux.p, r ? image.len : vmlinux.len, &normal);
	if ((r = cache_hash(normal.p, normal.len, &hash, e)) < 0)
		return r;
	text_puts(build, hash);
	for (size_t i = 0; i < k->n_modules; i++) {
		char id[SAMENESS_SIZE];

		if ((r = sameness_file(k->module[i], id, e)) < 0)
			return r;
		text_printf(build, " %s", id);
	}
	return 0;
}

static int ready(struct bench *b, const char *commit, struct measurement *m, struct err *e)
{
	int r;

	if (!strcmp(b->commit, commit))
		return MEASURE_DONE;
	kernel_release(&b->kernel);
	b->kernel = (struct kernel)KERNEL_NONE;
	b->commit[0] = '\0';
	b->refused = 0;
	if ((r = boots_prepare(b->boots, commit, &b->kernel, e)) < 0)
		return r;
	if (r == KERNEL_NO_BUILD) {
		text_put_visible(&m->why, b->kernel.why, strlen(b->kernel.why), true);
		return MEASURE_NO_BUILD;
	}
	snprintf(b->commit, sizeof(b->commit), "%s", commit);
	return MEASURE_DONE;
}

static int bench_prepare(void *arg, const char *commit, struct text *build,
			 struct measurement *m, struct err *e)
{
	struct bench *b = arg;
	int r = ready(b, commit, m, e);

	if (r != MEASURE_DONE)
		return r;
	r = name_build(&b->kernel, build, e);
	return r < 0 ? r : MEASURE_DONE;
}

static bool is_wanted(const struct store_metric_row *row, const char *wanted)
{
	size_t n = strlen(row->name), k = wanted ? strlen(wanted) : 0;

	if (!wanted)
		return row->headline;
	return !strcmp(row->name, wanted) ||
	       (n > k && row->name[n - k - 1] == '.' && text_ends(row->name, wanted));
}

/* The metric's value in the session's last boot. */
static int read_value(struct bench *b, struct measurement *m, struct err *e)
{
	const struct store_filter f = { .session = b->boots->items.session, .state = "ok" };
	_store_metrics_ struct store_metrics metrics = {};
	_store_rows_ struct store_rows rows = {};
	const struct store_metric_row *row;
	struct verdict_run run;
	enum metric_fold fold;
	struct verdict_metric v;
	struct side side = {};
	int r = store_metrics(b->boots->store, &f, &metrics, e);

	if (r < 0)
		return r;
	for (row = metrics.row; row < metrics.row + metrics.n && !is_wanted(row, b->metric); row++)
		;
	if (row == metrics.row + metrics.n)
		return err_set(e, ENOENT, "the job's runs have no metric '%s'",
			       b->metric ? b->metric : "of the headline");
	if ((r = store_samples(b->boots->store, &f, row->name, &rows, e)) < 0)
		return r;
	v = side_metric(row, &fold);
	m->direction = v.better == BETTER_HIGHER ? -1 : v.better == BETTER_LOWER ? 1 : 0;
	for (size_t i = rows.n; i-- > 0;) {
		if (rows.row[i].position != (int64_t)b->boots->attempts - 1)
			continue;
		side = (struct side){ &i, 1 };
		if (!side_values(&side, &rows, fold, &run).n_runs)
			break;
		m->value = run.value;
		return MEASURE_DONE;
	}
	text_puts(&m->why, "the run gave no value");
	return MEASURE_NO_BOOT;
}

static int bench_boot(void *arg, const char *commit, struct measurement *m, struct err *e)
{
	struct bench *b = arg;
	int r = ready(b, commit, m, e);

	if (r != MEASURE_DONE)
		return r;
	if (!b->boots->store && (r = boots_begin(b->boots, &b->kernel, e)) < 0)
		return r;
	r = boots_one(b->boots, &b->kernel, commit, e);
	if (r < 0)
		return r;
	if (r == BOOT_DONE)
		b->refused = 0;
	else
		text_puts(&m->why, r == BOOT_LOST ? "the machinery failed" : "it goes down");
	if (r == BOOT_REFUSED)
		return ++b->refused >= REFUSALS_MAX ? MEASURE_NO_BOOT : MEASURE_LOST;
	return r == BOOT_LOST ? MEASURE_LOST : read_value(b, m, e);
}

/* The culprit against its parent on fresh boots: the same as `krobot test` does. */
static int confirm(const struct place *place, const struct bisect_boot_opts *o,
		   const struct bisection *b, struct err *e)
{
	static const char *const words[] = {
		[SANDWICH_SAME] = "not confirmed: on fresh boots nothing is worse than its parent",
		[SANDWICH_WORSE] = "confirmed on fresh boots against its parent",
		[SANDWICH_UNTESTABLE] = "not confirmed: it and its parent cannot both be tested",
	};
	const struct sandwich_opts s = { .boot = o->boot, .kernel = { b->parent, b->first } };
	int r = sandwich_run(place, &s, e);

	if (r < 0)
		return err_in(e, "confirming %.12s", b->first);
	fprintf(o->search.out, "%.12s: %s\n", b->first, words[r]);
	return 0;
}

static int tell(const struct place *place, const struct bisect_boot_opts *o, int answer,
		const struct bisection *b, const char *mode, struct err *e)
{
	FILE *out = o->search.out;

	fprintf(out, "%u boots, %u lost, mode %s\n", b->boots, b->lost, mode);
	switch (answer) {
	case BISECTION_CULPRIT:
		fprintf(out, "culprit %s, confidence %.3f\n", b->first, b->confidence);
		if (!o->no_confirm && (answer = confirm(place, o, b, e)) < 0)
			return answer;
		return BISECT_BOOT_FOUND;
	case BISECTION_SET:
		fprintf(out, "one of %s .. %s, which cannot be told apart, confidence %.3f\n",
			b->first, b->last, b->confidence);
		return BISECT_BOOT_FOUND;
	case BISECTION_NOT_REPRODUCED:
		fputs("not reproduced: good and bad do not differ\n", out);
		return BISECT_BOOT_NONE;
	case BISECTION_BUDGET:
		fputs("the budget does not reach; --resume with a larger one goes on\n", out);
		return BISECT_BOOT_UNTESTABLE;
	default:
		fputs("good or bad cannot be tested\n", out);
		return BISECT_BOOT_UNTESTABLE;
	}
}

/* 1: no job can run. */
static int open_one(struct boots *boots, const struct place *place, const struct boot_opts *o,
		    struct err *e)
{
	int r = boots_open(boots, place, o, e);

	if (r)
		return r;
	if (boots->items.n != 1)
		return err_set(e, EINVAL, "a bisection is of one job; these are %zu",
			       boots->items.n);
	return 0;
}

int bisect_boot_run(const struct place *place, struct bisect_boot_opts *o, struct err *e)
{
	_boots_ struct boots boots = {};
	_cleanup_(bench_release) struct bench bench = { .boots = &boots, .kernel = KERNEL_NONE };
	const struct bisect_measure measure = { bench_prepare, bench_boot, &bench };
	_free_ char *tree = realpath(o->boot.tree ? o->boot.tree : ".", NULL);
	_store_ struct store *store = NULL;
	struct bisection b;
	int r;

	if (!tree)
		return err_sys(e, "%s", o->boot.tree ? o->boot.tree : ".");
	if ((r = open_one(&boots, place, &o->boot, e)) != 0)
		return r < 0 ? r : BISECT_BOOT_UNTESTABLE;
	if ((r = store_open(&store, place->db, e)) < 0)
		return r;
	o->search.tree = tree;
	o->search.params = boots.items.item[0].job->canonical;
	o->search.exact = o->boot.mode && !strcmp(o->boot.mode, "tcg-icount");
	bench.metric = o->search.metric;
	r = bisection_run(store, &o->search, &measure, &b, e);
	if (r < 0)
		return r;
	return tell(place, o, r, &b, boots.store ? qemu_mode_name(boots.vm.mode) : "none", e);
}

static int find_good(const char *tree, char id[COMMIT_NAME_SIZE], struct err *e)
{
	_proc_ struct proc p = {};
	int r = plumb_ok(&p, tree, ARGV("for-each-ref", "--count=1", "--sort=committerdate",
					"--format=%(objectname)", "refs/bisect/good-*"), e);

	if (r < 0)
		return r;
	snprintf(id, COMMIT_NAME_SIZE, "%.*s", (int)strcspn(text_str(&p.out), "\n"),
		 text_str(&p.out));
	return *id ? 0 : err_set(e, ENOENT, "no good commit is known: `git bisect good` or --good");
}

int bisect_step_run(const struct place *place, const struct sandwich_opts *o, struct err *e)
{
	const char *tree = o->boot.tree ? o->boot.tree : ".";
	char good[COMMIT_NAME_SIZE], head[COMMIT_NAME_SIZE];
	struct sandwich_opts s = *o;
	int r = o->kernel[0] ? plumb_commit(tree, o->kernel[0], good, e) : find_good(tree, good, e);

	if (r < 0 || (r = plumb_commit(tree, "HEAD", head, e)) < 0)
		return r;
	s.kernel[0] = good;
	s.kernel[1] = head;
	return sandwich_run(place, &s, e);
}
