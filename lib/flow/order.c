/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "flow/order.h"

void order_fill(size_t n, size_t rounds, size_t *out)
{
	for (size_t r = 0; r < rounds; r++)
		for (size_t i = 0; i < n; i++)
			*out++ = r % 2 ? n - 1 - i : i;
}
