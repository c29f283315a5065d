/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The guest's bytes: no file may appear but below the result folder. */
#include "base/file.h"
#include "target/qemu_parts.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char above[] = "/tmp/krobot-intake-XXXXXX";
	_free_ char *dir = mkdtemp(above) ? path_join(above, "r") : NULL;
	struct qemu_run run = { "", dir };
	struct qemu_intake t;
	struct err e = {};

	if (!dir || dir_make(dir, &e) < 0)
		abort();
	qemu_intake_init(&t, &run, 1);
	if (qemu_intake_take(&t, data, size / 2, &e) == 0 &&
	    qemu_intake_take(&t, data + size / 2, size - size / 2, &e) == 0 && t.end && !t.hello)
		abort();
	qemu_intake_release(&t);
	if (dir_remove(dir, &e) < 0 || rmdir(above) < 0)	/* fails if something lies beside it */
		abort();
	return 0;
}
