/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Measurements that others published with their results: the same must come out. */
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>

#include "base/check.h"
#include "base/file.h"
#include "judge/fix.h"
#include "judge/verdict.h"

#define MOST 16

struct point {
	char role[32];
	struct verdict_run run[MOST];
	size_t n;
};

struct points {
	struct point v[MOST];
	size_t n;
};

static char *field(char **line)
{
	return strsep(line, "\t");
}

/* order, point, role, commit, n, mean, sd, cv, values, ... */
static void point_add(struct points *p, char *line)
{
	struct point *x = &p->v[p->n];
	char *order = field(&line), *role, *values, *value;

	field(&line);
	role = field(&line);
	for (int i = 0; i < 5; i++)
		field(&line);
	values = field(&line);
	if (!values || !atoi(order))
		return;
	snprintf(x->role, sizeof(x->role), "%s", role);
	while ((value = strsep(&values, " ")) && x->n < MOST) {
		x->run[x->n] = (struct verdict_run){ atof(value), (uint32_t)p->n,
						     100 * (int64_t)p->n + (int64_t)x->n };
		x->n++;
	}
	p->n++;
}

static void points_read(struct points *p, const char *name)
{
	const char *shared = getenv("SHARED");
	_free_ char *path = text_format("%s/cases/evidence/%s", shared ? shared : "", name);
	_text_ struct text t = {};
	struct err e = {};
	char *rest, *line;

	if (access(path, R_OK))
		skip();
	assert_int_equal(file_read(AT_FDCWD, path, 1 << 20, &t, &e), 0);
	rest = t.p;
	while ((line = strsep(&rest, "\n")) && p->n < MOST)
		point_add(p, line);
}

/* All points of one role as one side; @store holds its runs. */
static struct verdict_side side(const struct points *p, const char *role, struct verdict_run *store)
{
	size_t n = 0;

	for (size_t i = 0; i < p->n; i++)
		for (size_t k = 0; k < p->v[i].n && !strcmp(p->v[i].role, role); k++)
			store[n++] = p->v[i].run[k];
	return (struct verdict_side){ store, n };
}

static struct verdict_result compare(const char *name, unsigned int warmup)
{
	struct points p = {};
	struct verdict_run a[4 * MOST], b[4 * MOST];
	struct verdict_case c = { .metric = { .name = "ns", .better = BETTER_LOWER },
				  .options = { .warmup = warmup } };
	struct verdict_result r;
	struct err e = {};

	points_read(&p, name);
	c.a = side(&p, "parent", a);
	c.b = side(&p, "child", b);
	assert_int_equal(verdict_judge(&c, &r, &e), 0);
	return r;
}

static void assert_percent(double got, double want)
{
	if (!(fabs(100 * got - want) < 1e-6))
		fail_msg("got %.8f %%, want %.8f %%", 100 * got, want);
}

TEST(exact_points)
{
	struct verdict_result r = compare("exact-cac1-points.tsv", 0);

	assert_percent(r.change_of_means, 39.773716);
	assert_percent(r.drift, 0.874126);
	assert_int_equal(r.unit, UNIT_BOOT);
	assert_int_equal(r.a.boots, 2);
	/* One boot of the child is no basis for a verdict, however clear it looks. */
	assert_int_equal(r.verdict, VERDICT_UNSURE);
	assert_int_equal(r.reason, REASON_FEW_BOOTS);
	assert_percent(r.without_first, 39.534884);
	assert_percent(compare("exact-cac1-points.tsv", 1).change_of_means, 39.534884);
	assert_percent(compare("exact-cac1-points.tsv", 1).drift, 0.934579);
}

TEST(pedro_points)
{
	struct verdict_result r = compare("pedro-v3-points.tsv", 0);

	assert_percent(r.change_of_means, 6.204380);
	assert_percent(r.drift, -1.927711);
}

static double recovered(const struct points *p, const char *fix)
{
	struct verdict_run store[3][4 * MOST];
	struct fix_case c = { side(p, "parent", store[0]), side(p, "child", store[1]),
			      side(p, fix, store[2]) };
	struct fix_result r;
	struct err e = {};

	c.metric = (struct verdict_metric){ .name = "ns", .better = BETTER_LOWER };
	assert_int_equal(fix_judge(&c, &r, &e), 0);
	return r.recovery;
}

TEST(mechanism_shares)
{
	struct points p = {};
	double fastpath, folio, none;

	points_read(&p, "mechanism-points.tsv");
	fastpath = recovered(&p, "fastpath");
	folio = recovered(&p, "folioonly");
	none = recovered(&p, "nofolio");
	assert_percent(fastpath, 43.058824);
	assert_percent(folio - fastpath, -0.235294);
	assert_percent(none - folio, 44.470588);
	assert_percent(none, 87.294118);
}
