/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include "base/clock.h"
#include "base/proc.h"

#define ERRS_MAX	8192
#define DEFAULT_TIMEOUT	(60ULL * 1000000000)
#define DEFAULT_OUT	(64UL << 20)

extern char **environ;

struct pipes {
	int in[2], out[2], err[2], failed[2];
};

static void close_one(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

static void pipes_close(struct pipes *p)
{
	int *all[] = { p->in, p->out, p->err, p->failed };

	for (size_t i = 0; i < COUNT(all); i++) {
		close_one(&all[i][0]);
		close_one(&all[i][1]);
	}
}

static _noreturn_ void child(const struct proc *p, struct pipes *fds)
{
	int in = p->in ? fds->in[0] : p->in_fd > 0 ? p->in_fd : open("/dev/null", O_RDONLY);
	int code;
	sigset_t none;

	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	signal(SIGPIPE, SIG_DFL);
	setpgid(0, 0);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (dup2(in, 0) < 0 || dup2(p->out_fd > 0 ? p->out_fd : fds->out[1], 1) < 0 ||
	    dup2(fds->err[1], 2) < 0 || (p->cwd && chdir(p->cwd) < 0))
		goto failed;
	if (p->env)
		environ = (char **)p->env;
	else
		setenv("LC_ALL", "C", 1);
	execvp(p->argv[0], (char *const *)p->argv);
failed:
	code = errno;
	if (write(fds->failed[1], &code, sizeof(code)) < 0)
		_exit(126);
	_exit(127);
}

/* Takes what there is; 0 at the end, 1 for more to come. */
static int drain(int fd, struct text *t)
{
	char buf[65536];
	ssize_t n = read(fd, buf, sizeof(buf));

	if (n > 0)
		text_put(t, buf, (size_t)n);
	return n > 0 || (n < 0 && (errno == EINTR || errno == EAGAIN));
}

static void keep_tail(struct text *t)
{
	if (t->len <= ERRS_MAX)
		return;
	memmove(t->p, t->p + t->len - ERRS_MAX, ERRS_MAX + 1);
	t->len = ERRS_MAX;
}

static void feed(struct proc *p, struct pipes *fds, size_t *fed)
{
	ssize_t n = write(fds->in[1], (const char *)p->in + *fed, p->in_len - *fed);

	if (n > 0)
		*fed += (size_t)n;
	if ((n < 0 && errno != EAGAIN && errno != EINTR) || *fed == p->in_len)
		close_one(&fds->in[1]);
}

static int talk(struct proc *p, struct pipes *fds, struct err *e)
{
	uint64_t until = clock_mono_ns() + (p->timeout_ns ? p->timeout_ns : DEFAULT_TIMEOUT);
	size_t max = p->out_max ? p->out_max : DEFAULT_OUT, fed = 0;

	while (fds->out[0] >= 0 || fds->err[0] >= 0) {
		struct pollfd poll_fds[] = {
			{ fds->out[0], POLLIN, 0 }, { fds->err[0], POLLIN, 0 },
			{ fds->in[1], POLLOUT, 0 },
		};
		uint64_t now = clock_mono_ns();

		if (now >= until)
			return err_set(e, ETIMEDOUT, "%s: took too long", p->argv[0]);
		if (poll(poll_fds, COUNT(poll_fds), (int)((until - now) / 1000000 % 1000) + 1) < 0 &&
		    errno != EINTR)
			return err_sys(e, "poll");
		if (poll_fds[0].revents && !drain(fds->out[0], &p->out))
			close_one(&fds->out[0]);
		if (poll_fds[1].revents && !drain(fds->err[0], &p->errs))
			close_one(&fds->err[0]);
		if (poll_fds[2].revents)
			feed(p, fds, &fed);
		keep_tail(&p->errs);
		if (p->out.len > max)
			return err_set(e, EFBIG, "%s: printed more than %zu bytes", p->argv[0], max);
	}
	return 0;
}

static int pipes_open(const struct proc *p, struct pipes *fds)
{
	*fds = (struct pipes){ { -1, -1 }, { -1, -1 }, { -1, -1 }, { -1, -1 } };
	if ((p->in && pipe2(fds->in, O_CLOEXEC) < 0) || pipe2(fds->err, O_CLOEXEC) < 0 ||
	    pipe2(fds->failed, O_CLOEXEC) < 0 ||
	    (p->out_fd <= 0 && pipe2(fds->out, O_CLOEXEC) < 0)) {
		pipes_close(fds);
		return -1;
	}
	if (p->in)
		fcntl(fds->in[1], F_SETFL, O_NONBLOCK);
	return 0;
}

int proc_run(struct proc *p, struct err *e)
{
	struct sigaction ignore = { .sa_handler = SIG_IGN }, before;
	struct pipes fds;
	int r, status, code;
	pid_t pid;

	if (pipes_open(p, &fds) < 0)
		return err_sys(e, "pipe");
	pid = fork();
	if (pid < 0) {
		pipes_close(&fds);
		return err_sys(e, "fork");
	}
	if (!pid)
		child(p, &fds);
	setpgid(pid, pid);
	close_one(&fds.in[0]);
	close_one(&fds.out[1]);
	close_one(&fds.err[1]);
	close_one(&fds.failed[1]);
	sigaction(SIGPIPE, &ignore, &before);	/* a child may end before it read all */
	r = talk(p, &fds, e);
	sigaction(SIGPIPE, &before, NULL);
	if (r < 0)
		kill(-pid, SIGKILL);
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	p->status = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
	if (r == 0 && read(fds.failed[0], &code, sizeof(code)) == sizeof(code)) {
		errno = code;
		r = err_sys(e, "%s", p->argv[0]);
	}
	pipes_close(&fds);
	return r;
}

int proc_ok(struct proc *p, struct err *e)
{
	_text_ struct text said = {};
	size_t n, from;
	int r = proc_run(p, e);

	if (r < 0 || !p->status)
		return r;
	n = p->errs.len;
	while (n && (p->errs.p[n - 1] == '\n'))
		n--;
	from = n > 300 ? n - 300 : 0;
	text_put_visible(&said, text_str(&p->errs) + from, n - from, false);
	return err_set(e, EIO, "%s: status %d%s%s", p->argv[0], p->status, said.len ? ": " : "",
		       text_str(&said));
}

void proc_release(struct proc *p)
{
	text_release(&p->out);
	text_release(&p->errs);
}
