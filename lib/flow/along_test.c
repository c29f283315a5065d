/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <math.h>
#include <stdlib.h>

#include "base/check.h"
#include "base/file.h"
#include "flow/along.h"
#include "store/store.h"

struct home {
	char path[40];
	struct place place;
	struct store *store;
};

static void home_make(struct home *h)
{
	struct err e = {};

	*h = (struct home){ .path = "/tmp/along-XXXXXX" };
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

/* A run of kernel @k in boot @boot; later kernels are added first, out of order. */
static void run_add(struct home *h, unsigned int k, unsigned int boot, unsigned int seq, double value)
{
	struct store_metric metric = { .name = "t.ns", .better = "lower", .headline = true };
	struct store_sample sample = { .metric = "t.ns", .value = value };
	char kernel[32], uuid[32], dir[48];
	struct store_run run = {
		.kernel = { .name = kernel, .describe = kernel, .committed_secs = 1000 + k },
		.machine = { .name = "m" }, .boot = { .uuid = uuid },
		.job = { .test = "t", .name = "t", .params = "{}" }, .dir = dir, .session = "s",
		.started_ns = 1000000 + 100 * boot + seq, .seq = seq, .state = "ok",
		.metric = &metric, .n_metrics = 1, .sample = &sample, .n_samples = 1,
	};
	struct err e = {};

	snprintf(kernel, sizeof(kernel), "v%u", k);
	snprintf(uuid, sizeof(uuid), "boot-%u", boot);
	snprintf(dir, sizeof(dir), "/d/%u/%u/%u", k, boot, seq);
	if (store_add_run(h->store, &run, NULL, &e) < 0)
		fail_msg("%s", e.text);
}

TEST(kernels_stand_in_the_order_of_their_commits)
{
	struct along_opts o = { .job = "t", .metric = "ns" };
	_along_series_ struct along_series s = {};
	_text_ struct text out = {};
	_trend_ struct trend t = {};
	struct trend_options to = {};
	struct err e = {};
	struct home h;

	home_make(&h);
	for (unsigned int i = 0; i < 24; i++)
		for (unsigned int run = 0; run < 2; run++) {
			unsigned int k = 23 - i;

			run_add(&h, k, i, run, (k < 12 ? 100 : 120) + k % 3 + run);
		}
	assert_int_equal(along_series(&h.place, &o, &s, &out, &e), ALONG_GOOD);
	assert_int_equal(s.n, 24);
	assert_int_equal(s.n_labels, 24);
	assert_string_equal(s.label[12], "v12");
	assert_int_equal(s.better, BETTER_LOWER);
	/* Both runs of a boot make one point. */
	assert_true(fabs(s.row[1].value - 101.5) < 1e-9);
	assert_int_equal(trend_find(&t, s.row, s.n, &to, &e), 0);
	assert_int_equal(t.n_changes, 1);
	assert_int_equal(t.change[0].at, 12);
	home_drop(&h);
}

TEST(noise_is_that_of_one_kernel)
{
	struct along_opts o = { .job = "t" };
	_text_ struct text out = {}, mixed = {};
	struct err e = {};
	struct home h;

	home_make(&h);
	for (unsigned int i = 0; i < 8; i++)
		run_add(&h, 1, i, 0, 1000 + 7 * (i * i % 5));
	assert_int_equal(along_noise(&h.place, &o, &out, &e), ALONG_GOOD);
	assert_non_null(strstr(text_str(&out), "8 boots, 8 runs"));
	assert_non_null(strstr(text_str(&out), "\nqualified\n"));
	run_add(&h, 2, 9, 0, 1000);
	assert_int_equal(along_noise(&h.place, &o, &mixed, &e), -EINVAL);
	assert_non_null(strstr(e.text, "--kernel chooses one"));
	home_drop(&h);
}
