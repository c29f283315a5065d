/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>

#include "base/file.h"
#include "base/proc.h"
#include "kernel/make.h"

#define DAY		(24ULL * 3600 * 1000000000)
#define LOG_MAX		(256U << 20)
#define TARGETS_MAX	8
#define FULL_BUILD	1500	/* lines, for a first guess */

/* What the kernel's build would take from the clock and the host. */
static const char *const fixed[] = {
	"KBUILD_BUILD_TIMESTAMP=Thu Jan  1 00:00:00 UTC 1970", "KBUILD_BUILD_USER=krobot",
	"KBUILD_BUILD_HOST=krobot", "KBUILD_BUILD_VERSION=1", "LOCALVERSION=", "ARCH=x86_64",
};

/* What does not come from the sources, in the words of programs that ran out of something. */
static const char *const not_the_source[] = {
	"No space left on device", "Cannot allocate memory", "virtual memory exhausted",
	"Killed signal", "Disk quota exceeded", "Input/output error",
};

struct outcome {
	int status;
	struct err err;
};

static int work(const struct make *m, const char *const *targets, int log, int *status,
		struct err *e)
{
	_free_ char *obj = text_format("O=%s", m->obj), *jobs = text_format("-j%u", m->jobs);
	_free_ char *cc = text_format("CC=%s%s", m->ccache ? "ccache " : "", m->compiler);
	_free_ char *host = text_format("HOSTCC=%s%s", m->ccache ? "ccache " : "", m->compiler);
	const char *argv[COUNT(fixed) + TARGETS_MAX + 8] = { "make", "-C", m->src, obj, jobs, cc,
							     host };
	_proc_ struct proc p = { .argv = argv, .out_fd = log, .timeout_ns = DAY };
	size_t n = 7;
	int r;

	for (size_t i = 0; i < COUNT(fixed); i++)
		argv[n++] = fixed[i];
	for (size_t i = 0; targets[i] && i < TARGETS_MAX; i++)
		argv[n++] = targets[i];
	r = proc_run(&p, e);
	*status = p.status;
	if (write(log, text_str(&p.errs), p.errs.len) < 0 && r == 0)
		r = err_sys(e, "%s", m->log);
	return r;
}

/* A child does the waiting, so that this process can show how far it is. */
static pid_t start(const struct make *m, const char *const *targets, int log, int out)
{
	struct outcome o = {};
	pid_t self = getpid(), pid = fork();

	if (pid)
		return pid;
	if (prctl(PR_SET_PDEATHSIG, SIGKILL) < 0 || getppid() != self)
		_exit(1);
	if (work(m, targets, log, &o.status, &o.err) == 0)
		o.err.code = 0;
	_exit(write(out, &o, sizeof(o)) == sizeof(o) ? 0 : 1);
}

unsigned int make_lines(const char *path)
{
	_close_ int fd = open(path, O_RDONLY | O_CLOEXEC);
	unsigned int lines = 0;
	char buf[65536];
	ssize_t n;

	while (fd >= 0 && (n = read(fd, buf, sizeof(buf))) > 0)
		for (ssize_t i = 0; i < n; i++)
			lines += buf[i] == '\n';
	return lines;
}

static void wait_for(const struct make *m, pid_t pid)
{
	unsigned int n = m->expected ? m->expected : FULL_BUILD, k;

	while (waitpid(pid, NULL, m->progress ? WNOHANG : 0) == 0) {
		k = make_lines(m->log);
		m->progress("building", k < n ? k : n - 1, n);
		nanosleep(&(struct timespec){ .tv_nsec = 300000000 }, NULL);
	}
}

/* The first line of the log that is an error. */
static char *first_error(const struct text *log)
{
	static const char *const marks[] = { "error:", "undefined reference", "*** ", "Error " };

	for (size_t i = 0; i < COUNT(marks); i++) {
		for (const char *line = text_str(log); *line;) {
			size_t n = strcspn(line, "\n");
			_text_ struct text seen = {};

			if (memmem(line, n, marks[i], strlen(marks[i]))) {
				text_put_visible(&seen, line, n < 300 ? n : 300, true);
				return text_steal(&seen);
			}
			line += n + (line[n] == '\n');
		}
	}
	return text_copy("make failed and did not say why");
}

static const char *find_not_the_source(const struct text *log)
{
	for (size_t i = 0; i < COUNT(not_the_source); i++)
		if (strstr(text_str(log), not_the_source[i]))
			return not_the_source[i];
	return NULL;
}

static int judge(const struct make *m, const struct outcome *o, char **why, struct err *e)
{
	_text_ struct text log = {};
	const char *other;

	if (o->err.code) {
		*e = o->err;
		return -e->code;
	}
	if (!o->status)
		return 0;
	if (o->status > 128)
		return err_set(e, EIO, "make was killed by signal %d", o->status - 128);
	if (file_read(AT_FDCWD, m->log, LOG_MAX, &log, e) < 0)
		return -e->code;
	other = find_not_the_source(&log);
	if (other)
		return err_set(e, EIO, "the build ended with '%s' (%s)", other, m->log);
	*why = first_error(&log);
	return 1;
}

int make_run(const struct make *m, const char *const *targets, char **why, struct err *e)
{
	_close_ int log = open(m->log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
	struct outcome o = {};
	int fds[2];
	pid_t pid;
	ssize_t n;

	*why = NULL;
	if (log < 0)
		return err_sys(e, "%s", m->log);
	if (pipe2(fds, O_CLOEXEC) < 0)
		return err_sys(e, "pipe");
	pid = start(m, targets, log, fds[1]);
	close(fds[1]);
	if (pid > 0)
		wait_for(m, pid);
	n = read(fds[0], &o, sizeof(o));
	close(fds[0]);
	if (n != sizeof(o))
		return err_set(e, EIO, "make could not be watched");
	return judge(m, &o, why, e);
}
