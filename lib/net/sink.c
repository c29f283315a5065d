/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "base/proc.h"
#include "net/sink.h"

static void serve(const struct sink *s, const char *script, const char *const *options, int in,
		  int out)
{
	const char *argv[16] = { "/usr/bin/python3", script, s->mails };

	for (size_t n = 3; n < COUNT(argv) - 1 && *options; n++)
		argv[n] = *options++;
	dup2(in, STDIN_FILENO);
	dup2(out, STDOUT_FILENO);
	execv(argv[0], (char *const *)argv);
	_exit(127);
}

static bool has_server(void)
{
	_proc_ struct proc p = { .argv = ARGV("/usr/bin/python3", "-c", "import aiosmtpd") };
	struct err e;

	return proc_ok(&p, &e) == 0;
}

bool sink_start(struct sink *s, const char *const *options)
{
	_free_ char *script = text_format("%s/lib/net/sink.py", getenv("SOURCE"));
	int in[2], out[2];
	char port[16] = "";
	struct err e;

	*s = (struct sink){ .stop = -1 };
	if (!has_server())
		return false;
	strcpy(s->dir, "/tmp/krobot-sink-XXXXXX");
	if (!mkdtemp(s->dir) || pipe2(in, O_CLOEXEC) || pipe2(out, O_CLOEXEC))
		abort();
	s->mails = path_join(s->dir, "mails");
	if (dir_make(s->mails, &e) < 0)
		abort();
	s->pid = fork();
	if (!s->pid)
		serve(s, script, options, in[0], out[1]);
	close(in[0]);
	close(out[1]);
	s->stop = in[1];
	for (size_t n = 0; n < sizeof(port) - 1 && read(out[0], port + n, 1) == 1; n++)
		if (port[n] == '\n')
			break;
	close(out[0]);
	s->url = text_format("smtp://127.0.0.1:%d", atoi(port));
	return atoi(port) > 0;
}

void sink_stop(struct sink *s)
{
	struct err e;

	if (s->stop >= 0)
		close(s->stop);
	if (s->pid > 0)
		waitpid(s->pid, NULL, 0);
	if (s->dir[0] && dir_remove(s->dir, &e) < 0)
		abort();
	free(s->mails);
	free(s->url);
	*s = (struct sink){ .stop = -1 };
}

size_t sink_mails(const struct sink *s, struct text *last)
{
	DIR *d = opendir(s->mails);
	struct dirent *entry;
	unsigned int newest = 0, n;
	size_t mails = 0;
	struct err e;

	while (d && (entry = readdir(d))) {
		const char *dash = strchr(entry->d_name, '-');

		if (!dash)
			continue;
		mails++;
		n = (unsigned int)atoi(dash + 1);
		if (n <= newest || !last)
			continue;
		newest = n;
		last->len = 0;
		if (file_read(dirfd(d), entry->d_name, 1 << 20, last, &e) < 0)
			abort();
	}
	closedir(d);
	return mails;
}
