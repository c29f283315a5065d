/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <assert.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "judge/bisect.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A record that is read is written and read again the same, and has a next step. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	_bisect_ struct bisect_state s = {}, again = {};
	_text_ struct text t = {}, u = {}, words = {};
	struct bisect_step step;
	struct err e = {};

	if (bisect_read(&s, (const char *)data, size, "fuzz", &e) < 0)
		return 0;
	bisect_print(&s.b, &t);
	if (bisect_read(&again, text_str(&t), t.len, "again", &e) < 0)
		abort();
	bisect_print(&again.b, &u);
	assert(!strcmp(text_str(&t), text_str(&u)));
	if (bisect_next(&s.b, NULL, &step, &e) < 0)
		return 0;
	assert(step.action != BISECT_BOOT || (step.at >= BISECT_BAD && step.at < (int64_t)s.b.n));
	assert(step.first <= step.last && step.last < s.b.n);
	bisect_put_step(&step, &words);
	assert(words.len);
	return 0;
}
