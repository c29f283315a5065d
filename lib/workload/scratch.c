/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <fcntl.h>
#include <stdlib.h>

#include "workload/scratch.h"

int scratch_file(uint64_t size, struct err *e)
{
	_close_ int fd = open(".", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	char name[] = "krobot-scratch.XXXXXX";

	/* Not every file system has files without names (an initramfs of old has not). */
	if (fd < 0) {
		fd = mkostemp(name, O_CLOEXEC);
		if (fd < 0)
			return err_sys(e, "a file in the current folder");
		unlink(name);
	}
	if (ftruncate(fd, (off_t)size) < 0)
		return err_sys(e, "a file of %ju bytes", (uintmax_t)size);
	return steal_fd(fd);
}
