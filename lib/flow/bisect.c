/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "base/record.h"
#include "flow/bisect.h"
#include "judge/forecast.h"
#include "kernel/candidates.h"
#include "store/bisection.h"

#define LOST_MAX	8	/* boots in a row that the machinery may lose */
#define SPREAD_EXACT	1e-5	/* of values that differ by the clock's last digits alone */
#define ENDS_MIN	3	/* boots of each end */

struct search {
	struct store *store;
	const struct bisection_opts *o;
	const struct bisect_measure *measure;
	int64_t id;			/* in the store */
	struct candidates c;
	struct bisect_state s;
	char **path;			/* of a resumed one; ends in NULL */
	size_t n_paths;
	char **build;			/* names of builds: the n-th has the number n + 1 */
	size_t n_builds;
	char good[COMMIT_NAME_SIZE], bad[COMMIT_NAME_SIZE];
	char merge[COMMIT_NAME_SIZE];	/* second stage: inside this one; else "" */
	double merge_confidence;
	bool end_fails;			/* a kernel at an end cannot be tested */
	unsigned int lost, lost_in_a_row;
};

static void search_release(struct search *x)
{
	candidates_release(&x->c);
	bisect_state_release(&x->s);
	for (size_t i = 0; i < x->n_paths; i++)
		free(x->path[i]);
	for (size_t i = 0; i < x->n_builds; i++)
		free(x->build[i]);
	free(x->path);
	free(x->build);
}

/* ---- What is remembered ---- */

static void memory_print(const struct search *x, struct text *out)
{
	_record_ struct record r = {};
	_text_ struct text state = {};

	record_add(&r, "version", "1");
	record_addf(&r, "merge", "%.17g %s", x->merge_confidence, x->merge);
	record_add_u64(&r, "lost", x->lost);
	for (size_t i = 0; i < x->n_paths; i++)
		record_add(&r, "path", x->path[i]);
	for (size_t i = 0; i < x->n_builds; i++)
		record_add(&r, "build", x->build[i]);
	bisect_print(&x->s.b, &state);
	record_add(&r, "state", text_str(&state));
	record_print(&r, out);
}

static void name_add(char ***v, size_t *n, const char *name)
{
	GROW(*v, *n);
	(*v)[(*n)++] = text_copy(name);
}

static int memory_read(struct search *x, const char *text, struct err *e)
{
	_record_ struct record r = {};
	const char *state, *merge;
	uint64_t lost = 0;
	int n = 0;
	int k = record_parse(&r, text, strlen(text), "bisection", e);

	if (k < 0)
		return k;
	state = record_get(&r, "state");
	merge = record_get(&r, "merge");
	if (!state || !merge || sscanf(merge, "%lf %64[0-9a-f]%n", &x->merge_confidence, x->merge,
				       &n) < 1)
		return err_set(e, EINVAL, "bisection: its memory is damaged");
	for (size_t i = 0; i < r.n; i++) {
		if (!strcmp(r.line[i].key, "path"))
			name_add(&x->path, &x->n_paths, r.line[i].value);
		if (!strcmp(r.line[i].key, "build"))
			name_add(&x->build, &x->n_builds, r.line[i].value);
	}
	if ((k = record_get_u64(&r, "lost", &lost, e)) < 0)
		return k;
	x->lost = (unsigned int)lost;
	return bisect_read(&x->s, state, strlen(state), "bisection", e);
}

static int remember(struct search *x, const char *commit, const char *what, double value,
		    const char *detail, struct err *e)
{
	const struct store_bisection_step step = {
		.at_ns = (int64_t)clock_wall_ns(), .commit = commit, .what = what,
		.value = value, .detail = detail,
	};
	_text_ struct text memory = {};

	memory_print(x, &memory);
	return store_bisection_add(x->store, x->id, &step, text_str(&memory), e);
}

/* ---- Beginning ---- */

static int list(struct search *x, struct err *e)
{
	const char **paths = mem_zero(x->n_paths + 1, sizeof(*paths));
	struct candidates_query q = { .tree = x->o->tree, .good = x->good, .bad = x->bad };
	int r;

	for (size_t i = 0; i < x->n_paths; i++)
		paths[i] = x->path[i];
	q.paths = x->n_paths ? paths : NULL;
	candidates_release(&x->c);
	x->c = (struct candidates){};
	r = *x->merge ? candidates_inside(&x->c, x->o->tree, x->merge, 2, e) :
			candidates_list(&x->c, &q, e);
	free(paths);
	return r;
}

/* A fresh state over the commits that are listed. */
static void state_begin(struct search *x)
{
	x->s.commit = mem_zero(x->c.n, sizeof(*x->s.commit));
	for (size_t i = 0; i < x->c.n; i++)
		x->s.commit[i].weight = 1;
	x->s.b.commit = x->s.commit;
	x->s.b.n = x->c.n;
}

static void use_options(struct search *x)
{
	struct bisect_options *o = &x->s.b.options;

	o->confidence = x->o->confidence;
	o->ends_min = ENDS_MIN;
	o->boots_max = (unsigned int)x->o->budget;
	if (x->o->exact) {
		x->s.b.s0 = SPREAD_EXACT;
		x->s.b.a0 = 20;
	}
}

static int begin(struct search *x, struct err *e)
{
	_text_ struct text memory = {};
	struct store_bisection b = {
		.repository = x->o->tree, .params = x->o->params,
		.metric = x->o->metric ? x->o->metric : "", .state = "open",
		.confidence = NAN, .opened_ns = (int64_t)clock_wall_ns(),
	};
	int r;

	if ((r = plumb_commit(x->o->tree, x->o->good, x->good, e)) < 0 ||
	    (r = plumb_commit(x->o->tree, x->o->bad, x->bad, e)) < 0)
		return r;
	for (size_t i = 0; x->o->paths && x->o->paths[i]; i++)
		name_add(&x->path, &x->n_paths, x->o->paths[i]);
	if ((r = list(x, e)) < 0)
		return r;
	state_begin(x);
	use_options(x);
	memory_print(x, &memory);
	b.good = x->good;
	b.bad = x->bad;
	b.memory = text_str(&memory);
	return store_bisection_open(x->store, &b, &x->id, e);
}

static int go_on(struct search *x, struct err *e)
{
	_store_bisections_ struct store_bisections open = {};
	const struct store_bisection *b;
	int r = store_bisections(x->store, 0, "open", &open, e);

	if (r < 0)
		return r;
	for (b = open.row; b < open.row + open.n; b++)
		if (!strcmp(b->repository, x->o->tree) && !strcmp(b->params, x->o->params))
			break;
	if (b == open.row + open.n)
		return err_set(e, ENOENT, "no bisection of this job in this tree is open");
	x->id = b->id;
	snprintf(x->good, sizeof(x->good), "%s", b->good);
	snprintf(x->bad, sizeof(x->bad), "%s", b->bad);
	if ((r = memory_read(x, b->memory, e)) < 0 || (r = list(x, e)) < 0)
		return r;
	if (x->c.n != x->s.b.n)
		return err_set(e, EINVAL, "the tree has other commits than when it began");
	use_options(x);
	fprintf(x->o->out, "going on after %zu boots\n", x->s.b.n_boots);
	return 0;
}

/* ---- One step ---- */

static const char *commit_at(const struct search *x, int64_t at)
{
	return at == BISECT_GOOD ? x->c.good : at == BISECT_BAD ? x->c.bad : x->c.v[at].id;
}

static uint32_t *build_at(struct search *x, int64_t at)
{
	return at == BISECT_GOOD ? &x->s.b.good_build : at == BISECT_BAD ? &x->s.b.bad_build :
	       &x->s.commit[at].build;
}

static uint32_t build_number(struct search *x, const char *name)
{
	for (size_t i = 0; i < x->n_builds; i++)
		if (!strcmp(x->build[i], name))
			return (uint32_t)i + 1;
	name_add(&x->build, &x->n_builds, name);
	return (uint32_t)x->n_builds;
}

static int skip(struct search *x, int64_t at, int end, struct measurement *m, struct err *e)
{
	const char *what = end == MEASURE_NO_BUILD ? "does not build" : "cannot be tested";
	int r;

	fprintf(x->o->out, "%.12s %s: %s\n", commit_at(x, at), what, text_str(&m->why));
	if (at >= 0 && end == MEASURE_NO_BUILD)
		x->s.commit[at].builds = BISECT_NO;
	else if (at >= 0)
		x->s.commit[at].boots = BISECT_NO;
	else
		x->end_fails = true;
	r = remember(x, commit_at(x, at), what, NAN, text_str(&m->why), e);
	return r < 0 ? r : 0;
}

/* Builds what has no number yet. 1: the judge is to be asked again, now that it has. */
static int prepare(struct search *x, int64_t at, struct measurement *m, struct err *e)
{
	_text_ struct text name = {};
	size_t known = x->n_builds;
	uint32_t *build = build_at(x, at);
	int r = x->measure->prepare(x->measure->arg, commit_at(x, at), &name, m, e);

	if (r < 0)
		return r;
	if (r == MEASURE_NO_BUILD || r == MEASURE_NO_BOOT) {
		r = skip(x, at, r, m, e);
		return r < 0 ? r : 1;
	}
	if (at >= 0)
		x->s.commit[at].builds = BISECT_YES;
	if (!name.len || *build)
		return 0;
	*build = build_number(x, text_str(&name));
	if (x->n_builds > known)
		return 0;
	fprintf(x->o->out, "%.12s is the same build as one before it\n", commit_at(x, at));
	r = remember(x, commit_at(x, at), "same build", NAN, text_str(&name), e);
	return r < 0 ? r : 1;
}

static int count_boot(struct search *x, int64_t at, const struct measurement *m, struct err *e)
{
	if (!(m->value > 0) || !isfinite(m->value))
		return err_set(e, EINVAL, "%.12s: %g is no value to bisect by",
			       commit_at(x, at), m->value);
	if (!x->s.b.direction)
		x->s.b.direction = m->direction;
	if (at >= 0)
		x->s.commit[at].boots = BISECT_YES;
	bisect_state_add(&x->s, (struct bisect_boot){
		.at = at, .build = *build_at(x, at), .value = log(m->value), .reference = NAN });
	x->lost_in_a_row = 0;
	return remember(x, commit_at(x, at), "measured", m->value, "", e);
}

static int lose_boot(struct search *x, int64_t at, const struct measurement *m, struct err *e)
{
	x->lost++;
	if (++x->lost_in_a_row >= LOST_MAX)
		return err_set(e, EIO, "%u boots in a row were lost: %s", LOST_MAX,
			       text_str(&m->why));
	return remember(x, commit_at(x, at), "lost", NAN, text_str(&m->why), e);
}

static int take_step(struct search *x, int64_t at, struct err *e)
{
	_cleanup_(text_release) struct text why = {};
	struct measurement m = {};
	int r = prepare(x, at, &m, e);

	if (r == 0)
		r = x->measure->boot(x->measure->arg, commit_at(x, at), &m, e);
	else
		r = r < 0 ? r : MEASURE_ENDS;
	if (r == MEASURE_DONE)
		r = count_boot(x, at, &m, e);
	else if (r == MEASURE_LOST)
		r = lose_boot(x, at, &m, e);
	else if (r == MEASURE_NO_BUILD || r == MEASURE_NO_BOOT)
		r = skip(x, at, r, &m, e);
	why = m.why;
	return r < 0 ? r : 0;
}

static void print_step(const struct search *x, const struct bisect_step *step)
{
	_text_ struct text t = {};

	bisect_put_step(step, &t);
	if (step->action == BISECT_BOOT)
		fprintf(x->o->out, "%.12s: %zu boots so far; ", commit_at(x, step->at),
			x->s.b.n_boots);
	fprintf(x->o->out, "%s\n", text_str(&t));
	fflush(x->o->out);
}

/*
 * Once the ends are known: what is left to do, and whether it may be done.  1: it
 * would cost more than the budget.
 */
static int print_forecast(struct search *x, const struct bisect_step *step)
{
	struct bisect b = x->s.b;
	_text_ struct text t = {};
	struct forecast f;

	b.change = step->change;
	b.s0 = fmax(step->spread, SPREAD_EXACT);
	f = bisect_forecast(&b);
	forecast_put(&f, &t);
	fprintf(x->o->out, "%zu commits: %s%s\n", x->c.n, text_str(&t),
		x->o->exact ? "; each boot of a kernel says the same, so one a step" : "");
	fflush(x->o->out);
	return x->o->budget && (double)x->s.b.n_boots + f.boots > (double)x->o->budget;
}

/* Runs one stage to its end. 1: refused for the budget. */
static int run_stage(struct search *x, struct bisect_step *step, struct err *e)
{
	bool told = *x->merge;
	int r;

	for (;;) {
		if ((r = bisect_next(&x->s.b, NULL, step, e)) < 0)
			return r;
		print_step(x, step);
		if (step->action != BISECT_BOOT)
			return 0;
		if (!told && step->reason != BISECT_ENDS) {
			told = true;
			if (print_forecast(x, step))
				return 1;
		}
		if ((r = take_step(x, step->at, e)) < 0 || x->end_fails)
			return r;
	}
}

/* ---- Inside a merge ---- */

static int enter_merge(struct search *x, const struct bisect_step *step, struct err *e)
{
	struct bisect_state old = x->s;
	int r;

	snprintf(x->merge, sizeof(x->merge), "%s", x->c.v[step->first].id);
	x->merge_confidence = step->confidence;
	x->s = (struct bisect_state){ .b = old.b };
	x->s.b.commit = NULL;
	x->s.b.boot = NULL;
	x->s.b.n = x->s.b.n_boots = 0;
	x->s.b.good_build = x->s.b.bad_build = 0;
	r = list(x, e);
	if (r == 0) {
		state_begin(x);
		for (size_t i = 0; i < old.b.n_boots; i++) {
			struct bisect_boot boot = old.boot[i];
			bool good = boot.at == BISECT_GOOD ||
				    (boot.at >= 0 && (size_t)boot.at < step->first);

			if (!boot.build && boot.at >= 0)
				boot.build = old.commit[boot.at].build;
			boot.at = good ? BISECT_GOOD : BISECT_BAD;
			bisect_state_add(&x->s, boot);
		}
		r = remember(x, x->merge, "inside the merge", NAN, "", e);
	}
	bisect_state_release(&old);
	if (r == 0)
		fprintf(x->o->out, "%.12s is a merge: on among the %zu commits it brought in\n",
			x->merge, x->c.n);
	return r;
}

/* ---- The end ---- */

static void fill(const struct search *x, const struct bisect_step *step, struct bisection *b)
{
	b->boots = (unsigned int)x->s.b.n_boots;
	b->lost = x->lost;
	b->confidence = step->confidence * (*x->merge ? x->merge_confidence : 1);
	if (step->first >= x->c.n || step->last >= x->c.n)
		return;
	snprintf(b->first, sizeof(b->first), "%s", x->c.v[step->first].id);
	snprintf(b->last, sizeof(b->last), "%s", x->c.v[step->last].id);
}

/* The branch showed nothing: then it is the merge as such. */
static void blame_merge(const struct search *x, struct bisection *b)
{
	snprintf(b->first, sizeof(b->first), "%s", x->merge);
	snprintf(b->last, sizeof(b->last), "%s", x->merge);
	b->confidence = x->merge_confidence;
}

static int finish(struct search *x, int answer, struct bisection *b, struct err *e)
{
	static const char *const states[] = {
		[BISECTION_CULPRIT] = "found", [BISECTION_SET] = "range",
		[BISECTION_NOT_REPRODUCED] = "not reproduced",
		[BISECTION_BUDGET] = "open",	/* goes on with a larger budget */
		[BISECTION_UNTESTABLE] = "given up",
	};
	_free_ char *name = text_format("%s^", b->first);
	bool found = answer == BISECTION_CULPRIT;
	int r;

	if (found && (r = plumb_commit(x->o->tree, name, b->parent, e)) < 0)
		return r;
	r = store_bisection_end(x->store, x->id, states[answer], found ? b->first : NULL,
				b->confidence, (int64_t)clock_wall_ns(), e);
	return r < 0 ? r : answer;
}

static int answer_of(const struct search *x, const struct bisect_step *step, struct bisection *b)
{
	static const int answers[] = {
		[BISECT_CULPRIT] = BISECTION_CULPRIT, [BISECT_SET] = BISECTION_SET,
		[BISECT_NOT_REPRODUCED] = BISECTION_NOT_REPRODUCED,
		[BISECT_BUDGET] = BISECTION_BUDGET,
	};

	fill(x, step, b);
	if (x->end_fails)
		return BISECTION_UNTESTABLE;
	if (*x->merge && step->action == BISECT_NOT_REPRODUCED) {
		blame_merge(x, b);
		return BISECTION_CULPRIT;
	}
	return answers[step->action];
}

int bisection_run(struct store *s, const struct bisection_opts *o,
		  const struct bisect_measure *measure, struct bisection *b, struct err *e)
{
	_cleanup_(search_release) struct search x = { .store = s, .o = o, .measure = measure };
	struct bisect_step step = {};
	int r = o->resume ? go_on(&x, e) : begin(&x, e);

	*b = (struct bisection){};
	if (r < 0)
		return r;
	while ((r = run_stage(&x, &step, e)) == 0 && !x.end_fails &&
	       step.action == BISECT_CULPRIT && !*x.merge && x.c.v[step.first].parents == 2)
		if ((r = enter_merge(&x, &step, e)) < 0)
			return r;
	if (r < 0)
		return r;
	if (r > 0)
		step.action = BISECT_BUDGET;
	r = answer_of(&x, &step, b);
	return finish(&x, r, b, e);
}
