/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <assert.h>
#include <stdint.h>
#include <string.h>

#include "kernel/patchmail.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Whatever comes in, what comes out is a mail with headers and the start of a diff. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	_patchmail_ struct patchmail m = {};
	struct err e = {};

	if (patchmail_parse(&m, (const char *)data, size, "fuzz", &e) < 0)
		return 0;
	assert(m.n);
	for (size_t i = 0; i < m.n; i++) {
		const char *mail = m.v[i].mail;

		assert(text_starts(mail, "From: "));
		assert(strstr(mail, "\nSubject: ") && strstr(mail, "\n\n"));
		assert(strstr(mail, "\ndiff --git ") || strstr(mail, "\n--- "));
		assert(strlen(mail) <= 4 * size + 20000);
	}
	return 0;
}
