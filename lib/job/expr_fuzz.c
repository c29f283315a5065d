/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdint.h>

#include "job/expr.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Any text is an expression with a value, or an error that names a place. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char yaml[] = "fs: ext4\nn: 5\nl: [a, 1]\nm: {a.b: x, c: {d: 2.5}}\n";
	struct place_at at = { "fuzz", 1, 1 };
	struct job_host host = { .nr_cpu = 4, .nr_node = 1 };
	_arena_ struct arena a = {};
	_text_ struct text t = {};
	struct node_docs docs;
	const struct expr *x;
	const struct node *v;
	struct err e = {};

	if (node_load(&a, &(struct node_text){ yaml, sizeof(yaml) - 1, "job" }, &docs, &e) < 0)
		abort();
	if (size > 4096 || expr_parse(&a, (const char *)data, size, &at, &x, &e) < 0)
		return 0;
	if (expr_eval(&a, x, &(struct expr_scope){ docs.doc[0], NULL, &host, NULL }, &v, &e) == 0)
		expr_print(v, &t);
	return 0;
}
