/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <assert.h>
#include <stdint.h>
#include <string.h>

#include "base/err.h"
#include "run/plan.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A plan that is taken holds what an agent relies on. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	_plan_ struct plan p;
	struct err e = {};

	if (plan_parse(&p, (const char *)data, size, "fuzz", &e) < 0) {
		assert(e.code > 0 && *e.text);
		return 0;
	}
	assert(p.test && *p.test && p.program && *p.program);
	for (size_t i = 0; i < p.params.n; i++)
		assert(strchr(p.params.v[i], '=') > p.params.v[i]);
	for (size_t i = 0; i < p.n_monitors; i++)
		assert(p.monitors[i].interval_ns && !strchr(p.monitors[i].name, '/'));
	return 0;
}
