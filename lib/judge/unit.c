/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdlib.h>
#include <string.h>

#include "judge/unit.h"
#include "math/sum.h"

#define THREE_WAY(x, y) (((x) > (y)) - ((x) < (y)))

/* The value breaks ties, so that the order in which rows were given never does. */
static int by_boot(const void *a, const void *b)
{
	const struct verdict_run *x = a, *y = b;
	int c = THREE_WAY(x->boot, y->boot);

	c = c ? c : THREE_WAY(x->order, y->order);
	return c ? c : THREE_WAY(x->value, y->value);
}

static int by_order(const void *a, const void *b)
{
	const struct unit *x = a, *y = b;
	int c = THREE_WAY(x->order, y->order);

	c = c ? c : THREE_WAY(x->b, y->b);
	return c ? c : THREE_WAY(x->value, y->value);
}

static void runs_sort(struct verdict_run *v, size_t n)
{
	for (size_t i = 1; i < n; i++)
		if (by_boot(&v[i - 1], &v[i]) > 0) {
			qsort(v, n, sizeof(*v), by_boot);
			return;
		}
}

/* Few units are put in place one by one, which is faster than the library's sort. */
static void units_sort(struct unit *v, size_t n)
{
	if (n > 64) {
		qsort(v, n, sizeof(*v), by_order);
		return;
	}
	for (size_t i = 1; i < n; i++) {
		struct unit x = v[i];
		size_t k = i;

		for (; k && by_order(&v[k - 1], &x) > 0; k--)
			v[k] = v[k - 1];
		v[k] = x;
	}
}

static struct verdict_run *runs_sorted(const struct verdict_side *s)
{
	struct verdict_run *v = mem_zero(s->n_runs, sizeof(*v));

	if (s->n_runs)
		memcpy(v, s->run, s->n_runs * sizeof(*v));
	runs_sort(v, s->n_runs);
	return v;
}

static size_t boot_end(const struct verdict_run *v, size_t n, size_t start)
{
	size_t end = start;

	while (end < n && v[end].boot == v[start].boot)
		end++;
	return end;
}

static enum verdict_unit kind_of(const struct verdict_run *a, size_t n_a,
				 const struct verdict_run *b, size_t n_b)
{
	size_t shared = 0, boots = 0;

	for (size_t i = 0, j = 0; i < n_a || j < n_b; boots++) {
		bool left = i < n_a && (j == n_b || a[i].boot <= b[j].boot);
		bool right = j < n_b && (i == n_a || b[j].boot <= a[i].boot);

		shared += left && right;
		i = left ? boot_end(a, n_a, i) : i;
		j = right ? boot_end(b, n_b, j) : j;
	}
	if (!shared)
		return UNIT_BOOT;
	return boots == 1 ? UNIT_RUN : UNIT_PAIR;
}

static void unit_add(struct units *u, const struct verdict_run *run, size_t n, bool b)
{
	struct sum mean = {}, squares = {};
	struct unit *x = &u->v[u->n++];

	*x = (struct unit){ .runs = (unsigned int)n, .boot = run->boot, .order = run->order, .b = b };
	for (size_t i = 0; i < n; i++)
		sum_add(&mean, run[i].value / (double)n);
	x->value = sum_of(&mean);
	for (size_t i = 0; i < n; i++)
		sum_add(&squares, (run[i].value - x->value) * (run[i].value - x->value));
	x->squares = sum_of(&squares);
}

static unsigned int side_add(struct units *u, const struct verdict_run *v, size_t n,
			     unsigned int warmup, bool b)
{
	unsigned int boots = 0;

	for (size_t start = 0, end; start < n; start = end, boots++) {
		size_t from = start;

		end = boot_end(v, n, start);
		if (end - start > warmup)
			from += warmup;
		if (u->kind != UNIT_RUN) {
			unit_add(u, v + from, end - from, b);
			continue;
		}
		for (; from < end; from++)
			unit_add(u, v + from, 1, b);
	}
	return boots;
}

void units_make(struct units *u, const struct verdict_case *c, enum verdict_unit kind,
		unsigned int warmup)
{
	_free_ struct verdict_run *a = runs_sorted(&c->a), *b = runs_sorted(&c->b);
	size_t n_a = c->a.n_runs, n_b = c->b.n_runs;

	*u = (struct units){ .kind = kind == UNIT_AUTO ? kind_of(a, n_a, b, n_b) : kind };
	u->v = mem_zero(n_a + n_b, sizeof(*u->v));
	u->boots_a = side_add(u, a, n_a, warmup, false);
	u->n_a = u->n;
	u->boots_b = side_add(u, b, n_b, warmup, true);
	u->n_b = u->n - u->n_a;
	units_sort(u->v, u->n);
}

void units_release(struct units *u)
{
	free(u->v);
	*u = (struct units){};
}
