/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A test program for guests: does what its parameter `what` says. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/reboot.h>
#include <unistd.h>

static int write_to(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY);

	return fd < 0 || write(fd, text, strlen(text)) < 0;
}

int main(void)
{
	const char *what = getenv("what");

	if (!what)
		return 2;
	if (!strcmp(what, "speak"))
		return puts("answer: 42") < 0;
	if (!strcmp(what, "fail"))
		return fputs("no luck\n", stderr) < 0 ? 2 : 3;
	if (!strcmp(what, "sleep"))
		return sleep(1000) > 0;
	if (!strcmp(what, "crash"))
		return write_to("/proc/sysrq-trigger", "c");
	if (!strcmp(what, "off"))
		return reboot(RB_POWER_OFF);
	return 2;
}
