/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The step in words, and the whole bisection as a record and back. */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/record.h"
#include "judge/bisect.h"

/* A record that says more is not one of ours. */
#define COMMITS_MOST	1000000U

static void put_where(int64_t at, struct text *out)
{
	if (at < 0)
		text_puts(out, at == BISECT_GOOD ? "good" : "bad");
	else
		text_printf(out, "commit %" PRId64, at + 1);
}

static void put_range(const struct bisect_step *s, struct text *out)
{
	if (s->first == s->last)
		text_printf(out, "commit %zu", s->first + 1);
	else
		text_printf(out, "commits %zu to %zu", s->first + 1, s->last + 1);
}

static void put_boot(const struct bisect_step *s, struct text *out)
{
	text_puts(out, "boot ");
	put_where(s->at, out);
	if (s->reason == BISECT_ENDS)
		text_printf(out, ": whether good and bad differ is open (no difference: %.1f %%)",
			    100 * s->none);
	else if (s->reason == BISECT_ANCHOR)
		text_puts(out, ": more commits are open than boots tell what good and bad are");
	else
		text_printf(out, ": %.0f %% that it is good, %.2f bits to be had", 100 * s->good_p,
			    s->gain);
	text_printf(out, "; difference %+.2f %% +- %.2f, spread %.2f %%, %.1f bits open",
		    100 * expm1(s->change), 100 * s->error, 100 * s->spread, s->bits);
	if (isfinite(s->boots_left) && s->reason != BISECT_ENDS)
		text_printf(out, ", about %.0f boots left", ceil(s->boots_left));
}

void bisect_put_step(const struct bisect_step *s, struct text *out)
{
	switch (s->action) {
	case BISECT_BOOT:
		put_boot(s, out);
		return;
	case BISECT_NOT_REPRODUCED:
		text_puts(out, "not reproduced: ");
		if (s->reason == BISECT_SAME_BUILD)
			text_puts(out, "no commit changes the build");
		else
			text_printf(out, "good and bad do not differ clearly (no difference: %.1f %%)",
				    100 * s->none);
		return;
	case BISECT_BUDGET:
		text_puts(out, "budget ended: ");
		break;
	case BISECT_SET:
		text_puts(out, "one of a set that cannot be told apart: ");
		break;
	case BISECT_CULPRIT:
		text_puts(out, "culprit: ");
	}
	put_range(s, out);
	text_printf(out, " (%.1f %%); difference %+.2f %% +- %.2f", 100 * s->confidence,
		    100 * expm1(s->change), 100 * s->error);
}

/*
 * The fields that are one number each.  Costs and limits are not among them: they
 * are the caller's wish of today.
 */
static const struct {
	const char *key;
	size_t offset;
} numbers[] = {
	{ "change", offsetof(struct bisect, change) },
	{ "a0", offsetof(struct bisect, a0) },
	{ "s0", offsetof(struct bisect, s0) },
	{ "tau", offsetof(struct bisect, tau) },
};

static double *number_at(const struct bisect *b, size_t i)
{
	return (double *)((char *)b + numbers[i].offset);
}

static const char known_letters[] = "?yn";	/* by enum bisect_known */

static void add_boot(struct record *r, const struct bisect_boot *o)
{
	if (isnan(o->reference))
		record_addf(r, "boot", "%" PRId64 " %" PRIu32 " %.17g", o->at, o->build, o->value);
	else
		record_addf(r, "boot", "%" PRId64 " %" PRIu32 " %.17g %.17g", o->at, o->build, o->value,
			    o->reference);
}

void bisect_print(const struct bisect *b, struct text *out)
{
	_record_ struct record r = {};

	record_add(&r, "bisect", "1");
	record_addf(&r, "direction", "%d", b->direction);
	for (size_t i = 0; i < COUNT(numbers); i++)
		record_addf(&r, numbers[i].key, "%.17g", *number_at(b, i));
	record_addf(&r, "ends", "%" PRIu32 " %" PRIu32, b->good_build, b->bad_build);
	for (size_t i = 0; i < b->n; i++)
		record_addf(&r, "commit", "%.17g %c%c %" PRIu32, b->commit[i].weight,
			    known_letters[b->commit[i].builds], known_letters[b->commit[i].boots],
			    b->commit[i].build);
	for (size_t i = 0; i < b->n_boots; i++)
		add_boot(&r, &b->boot[i]);
	record_print(&r, out);
}

/* One finite number, nothing after it. */
static bool read_number(const char *v, double *out)
{
	char *end;

	*out = strtod(v, &end);
	return end != v && !*end && isfinite(*out);
}

static bool read_known(char c, enum bisect_known *out)
{
	const char *at = c ? strchr(known_letters, c) : NULL;

	if (at)
		*out = (enum bisect_known)(at - known_letters);
	return at;
}

static bool read_commit(struct bisect_state *s, const char *v)
{
	struct bisect_commit c = {};
	char builds, boots;
	int used = -1;

	if (s->b.n >= COMMITS_MOST ||
	    sscanf(v, "%lf %c%c %" SCNu32 "%n", &c.weight, &builds, &boots, &c.build, &used) != 4 ||
	    used < 0 || v[used] || !isfinite(c.weight) || c.weight < 0 ||
	    !read_known(builds, &c.builds) || !read_known(boots, &c.boots))
		return false;
	GROW(s->commit, s->b.n);
	s->commit[s->b.n++] = c;
	s->b.commit = s->commit;
	return true;
}

static bool read_boot(struct bisect_state *s, const char *v)
{
	struct bisect_boot o = { .reference = NAN };
	int used = -1, more = -1;

	if (sscanf(v, "%" SCNd64 " %" SCNu32 " %lf%n", &o.at, &o.build, &o.value, &used) != 3 ||
	    used < 0 || !isfinite(o.value))
		return false;
	if (v[used] && (sscanf(v + used, " %lf%n", &o.reference, &more) != 1 || more < 0 ||
			v[used + more] || !isfinite(o.reference)))
		return false;
	bisect_state_add(s, o);
	return true;
}

static bool read_line(struct bisect_state *s, const char *key, const char *v)
{
	double x;
	int used = -1;

	for (size_t i = 0; i < COUNT(numbers); i++)
		if (!strcmp(key, numbers[i].key))
			return read_number(v, number_at(&s->b, i)) &&
			       (*number_at(&s->b, i) >= 0 || !strcmp(key, "change"));
	if (!strcmp(key, "bisect"))
		return !strcmp(v, "1");
	if (!strcmp(key, "direction")) {
		if (!read_number(v, &x) || (x != -1 && x != 0 && x != 1))
			return false;
		s->b.direction = (int)x;
		return true;
	}
	if (!strcmp(key, "ends"))
		return sscanf(v, "%" SCNu32 " %" SCNu32 "%n", &s->b.good_build, &s->b.bad_build,
			      &used) == 2 && used > 0 && !v[used];
	if (!strcmp(key, "commit"))
		return read_commit(s, v);
	return !strcmp(key, "boot") && read_boot(s, v);
}

int bisect_read(struct bisect_state *s, const char *text, size_t len, const char *name,
		struct err *e)
{
	_record_ struct record r = {};
	int k = record_parse(&r, text, len, name, e);

	if (k < 0)
		return k;
	if (!r.n || strcmp(r.line[0].key, "bisect"))
		return err_set(e, EINVAL, "%s: not the record of a bisection", name);
	for (size_t i = 0; i < r.n; i++) {
		_text_ struct text shown = {};

		if (read_line(s, r.line[i].key, r.line[i].value))
			continue;
		text_put_visible(&shown, r.line[i].value, strnlen(r.line[i].value, 80), true);
		return err_set(e, EINVAL, "%s: entry %zu: %.40s: '%s' is not one", name, i + 1,
			       r.line[i].key, text_str(&shown));
	}
	for (size_t i = 0; i < s->b.n_boots; i++)
		if (s->boot[i].at < BISECT_BAD || s->boot[i].at >= (int64_t)s->b.n)
			return err_set(e, EINVAL, "%s: boot %zu: of a commit that is not listed", name,
				       i + 1);
	return 0;
}

void bisect_state_add(struct bisect_state *s, struct bisect_boot boot)
{
	GROW(s->boot, s->b.n_boots);
	s->boot[s->b.n_boots++] = boot;
	s->b.boot = s->boot;
}

void bisect_state_release(struct bisect_state *s)
{
	free(s->commit);
	free(s->boot);
	*s = (struct bisect_state){};
}
