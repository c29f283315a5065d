/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdlib.h>

#include "base/check.h"
#include "base/file.h"
#include "flow/compare.h"
#include "store/store.h"

struct home {
	char path[40];
	struct place place;
	struct store *store;
	unsigned int runs;
};

static void home_make(struct home *h)
{
	struct err e = {};

	*h = (struct home){ .path = "/tmp/compare-XXXXXX" };
	assert_non_null(mkdtemp(h->path));
	setenv("KROBOT_HOME", h->path, 1);
	assert_int_equal(place_find(&h->place, &e), 0);
	assert_int_equal(store_open(&h->store, h->place.db, &e), 0);
}

static void home_drop(struct home *h)
{
	struct err e = {};

	store_free(h->store);
	place_release(&h->place);
	assert_int_equal(dir_remove(h->path, &e), 0);
}

/* One run in a boot of its own. */
static void boot_add(struct home *h, const char *kernel, double ns, double watched)
{
	struct store_metric metric[] = {
		{ .name = "t.ns", .better = "lower", .headline = true },
		{ .name = "t.watched", .better = "lower" },
	};
	struct store_sample sample[] = { { .metric = "t.ns", .value = ns },
					 { .metric = "t.watched", .value = watched } };
	char uuid[32], dir[32];
	struct store_run run = {
		.kernel = { .name = kernel }, .machine = { .name = "m" }, .boot = { .uuid = uuid },
		.job = { .test = "t", .name = "t", .params = "{}" }, .dir = dir, .session = "s",
		.started_ns = 1000 + h->runs, .state = "ok", .metric = metric, .n_metrics = 2,
		.sample = sample, .n_samples = 2,
	};
	struct err e = {};

	snprintf(uuid, sizeof(uuid), "boot-%u", h->runs);
	snprintf(dir, sizeof(dir), "/d/%u", h->runs++);
	if (store_add_run(h->store, &run, NULL, &e) < 0)
		fail_msg("%s", e.text);
}

static int compare(struct home *h, struct text *out, bool lkp)
{
	struct compare_opts o = { .column = (const char *[]){ "old", "new" }, .n_columns = 2,
				  .lkp = lkp };
	struct err e = {};

	return compare_stored(&h->place, &o, out, &e);
}

TEST(three_boots_decide_where_history_knows_the_noise)
{
	_text_ struct text without = {}, with = {};
	struct home h;

	home_make(&h);
	for (unsigned int i = 0; i < 3; i++) {
		boot_add(&h, i % 2 ? "new" : "old", (i % 2 ? 1100 : 1000) + i, 5);
		boot_add(&h, i % 2 ? "old" : "new", (i % 2 ? 1000 : 1100) + i, 5);
	}
	assert_int_equal(compare(&h, &without, false), COMPARE_SAME);
	assert_non_null(strstr(text_str(&without), "unsure"));
	for (unsigned int i = 0; i < 12; i++)
		boot_add(&h, i % 2 ? "other" : "another", (i % 2 ? 700 : 900) + i % 5, 5);
	assert_int_equal(compare(&h, &with, false), COMPARE_WORSE);
	assert_non_null(strstr(text_str(&with), "regression"));
	home_drop(&h);
}

TEST(a_watched_change_alone_is_unconfirmed_and_no_alarm)
{
	_text_ struct text out = {};
	struct home h;

	home_make(&h);
	for (unsigned int i = 0; i < 12; i++) {
		bool head = i % 4 == 1 || i % 4 == 2;

		boot_add(&h, head ? "new" : "old", 1000 + i % 3, (head ? 200 : 100) + i % 2);
	}
	assert_int_equal(compare(&h, &out, false), COMPARE_SAME);
	assert_non_null(strstr(text_str(&out), "t.watched"));
	assert_non_null(strstr(text_str(&out), "unconfirmed"));
	home_drop(&h);
}

TEST(lkps_table_is_made_of_stored_runs)
{
	_text_ struct text out = {};
	struct home h;

	home_make(&h);
	for (unsigned int i = 0; i < 12; i++) {
		bool head = i % 4 == 1 || i % 4 == 2;

		boot_add(&h, head ? "new" : "old", head ? 1200 : 1000, 7);
	}
	assert_int_equal(compare(&h, &out, true), COMPARE_WORSE);
	assert_non_null(strstr(text_str(&out), "job/machine:\n  t/m\n\ncommit: \n  old\n  new\n"));
	assert_non_null(strstr(text_str(&out),
			       "\n      1000           +20.0%       1200        t.ns\n"));
	assert_null(strstr(text_str(&out), "t.watched"));
	home_drop(&h);
}
