/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Hostile MAINTAINERS, script output and commit messages; who is left can be mailed. */
#include <assert.h>
#include <stdint.h>
#include <string.h>

#include "report/maintainers.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const files[] = { "mm/mprotect.c", "fs/ext4/inode.c" };
	_cleanup_(recipients_mail_release) struct recipients_mail m = {};
	_recipients_ struct recipients r = {};
	_text_ struct text message = {}, t = {};
	struct recipients_policy policy = {};

	text_put(&message, data, size);
	maintainers_add((const char *)data, size, files, COUNT(files), &r);
	recipients_add_get_maintainer(&r, (const char *)data, size);
	recipients_add_tags(&r, text_str(&message));
	policy.opt_out = text_str(&message);
	if (size && data[0] & 1)
		policy.opt_out = NULL;
	recipients_decide(&r, &policy);
	recipients_put(&r, &m);
	recipients_explain(&r, &t);
	assert(m.n_to + m.n_cc <= RECIPIENTS_CAP);
	for (size_t i = 0; i < m.n_cc; i++)
		assert(mail_address_ok(m.cc[i].address));
	return 0;
}
