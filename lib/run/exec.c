/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "run/exec.h"
#include "run/tree.h"

#define PIPE_BYTES (1 << 20)	/* so that a burst of output waits for no one */

#ifndef CLOSE_RANGE_CLOEXEC
#define CLOSE_RANGE_CLOEXEC 4
#endif

extern char **environ;

static void env_put(struct plan_list *env, const char *entry)
{
	size_t name = strcspn(entry, "=") + 1;

	if (text_starts(entry, "RESULT_ROOT=") && env->n)
		return;
	for (size_t i = 0; i < env->n; i++)
		if (!strncmp(env->v[i], entry, name)) {
			free(env->v[i]);
			env->v[i] = text_copy(entry);
			return;
		}
	plan_list_add(env, entry);
}

static void env_putf(struct plan_list *env, const char *name, const char *value)
{
	_free_ char *entry = text_format("%s=%s", name, value);

	if (value)
		env_put(env, entry);
}

/* RESULT_ROOT is the first entry: that is how env_put() knows it is taken. */
static void env_build(struct plan_list *env, const struct exec *x)
{
	static const struct {
		const char *name, *fact;
	} facts[] = {
		{ "nr_cpu", "env.cpus_online" },
		{ "nr_node", "machine.nodes" },
		{ "memory", "machine.memory" },
	};
	const char *home = getenv("HOME");

	env_putf(env, "RESULT_ROOT", x->result);
	env_putf(env, "PATH", EXEC_PATH);
	env_putf(env, "HOME", home && *home ? home : "/");
	env_putf(env, "LANG", "C");
	env_putf(env, "LC_ALL", "C");
	env_putf(env, "TMP", x->work);
	for (size_t i = 0; i < COUNT(facts); i++)
		env_putf(env, facts[i].name, record_get(x->facts, facts[i].fact));
	for (size_t i = 0; i < x->plan->env.n; i++)
		env_put(env, x->plan->env.v[i]);
	for (size_t i = 0; i < x->plan->params.n; i++)
		env_put(env, x->plan->params.v[i]);
	GROW(env->v, env->n);
	env->v[env->n] = NULL;
}

static void argv_build(struct plan_list *argv, const struct plan *p)
{
	plan_list_add(argv, p->program);
	for (size_t i = 0; i < p->args.n; i++)
		plan_list_add(argv, p->args.v[i]);
	GROW(argv->v, argv->n);
	argv->v[argv->n] = NULL;
}

static void list_release(struct plan_list *l)
{
	for (size_t i = 0; i < l->n; i++)
		free(l->v[i]);
	free(l->v);
}

/* As a login would leave them, whatever the robot's own caller has changed. */
static void signals_reset(void)
{
	sigset_t none;

	for (int sig = 1; sig < NSIG; sig++)
		signal(sig, SIG_DFL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
}

static void close_inherited(void)
{
	if (syscall(SYS_close_range, 3, ~0U, CLOSE_RANGE_CLOEXEC) == 0)
		return;
	for (int fd = 3; fd < 1024; fd++)
		fcntl(fd, F_SETFD, FD_CLOEXEC);
}

static _noreturn_ void child(const struct exec_process *p, int failed, pid_t parent)
{
	int in = open("/dev/null", O_RDONLY), code;

	if (prctl(PR_SET_PDEATHSIG, SIGKILL) < 0 || getppid() != parent)
		_exit(127);
	cgroup_enter(p->cgroup);
	setsid();
	umask(022);
	signals_reset();
	if (p->file_max)
		setrlimit(RLIMIT_FSIZE, &(struct rlimit){ p->file_max, p->file_max });
	if (in >= 0 && dup2(in, 0) >= 0 && dup2(p->out, 1) >= 0 && dup2(p->err, 2) >= 0 &&
	    chdir(p->cwd) == 0) {
		close_inherited();
		execve(p->argv[0], p->argv, p->env);
	}
	code = errno;
	if (write(failed, &code, sizeof(code)) < 0)
		_exit(126);
	_exit(127);
}

int exec_spawn(const struct exec_process *p, pid_t *pid, struct err *e)
{
	_close_ int from = -1;
	int fds[2], code;
	pid_t self = getpid();

	if (pipe2(fds, O_CLOEXEC) < 0)
		return err_sys(e, "pipe");
	from = fds[0];
	*pid = fork();
	if (!*pid)
		child(p, fds[1], self);
	close(fds[1]);
	if (*pid < 0)
		return err_sys(e, "fork");
	if (read(from, &code, sizeof(code)) != sizeof(code))
		return 0;
	waitpid(*pid, NULL, 0);
	*pid = 0;
	errno = code;
	return err_sys(e, "cannot start %s", p->argv[0]);
}

/* A pipe of which we read. */
static int pipe_open(int fds[2])
{
	if (pipe2(fds, O_CLOEXEC) < 0) {
		fds[0] = fds[1] = -1;
		return -1;
	}
	fcntl(fds[1], F_SETPIPE_SZ, PIPE_BYTES);
	fcntl(fds[0], F_SETFL, O_NONBLOCK);
	return 0;
}

int exec_start(struct exec *x, struct err *e)
{
	_cleanup_(list_release) struct plan_list env = {}, argv = {};
	_close_ int out_from = -1, out_to = -1, err_from = -1, err_to = -1;
	struct exec_process p = { .cwd = x->work, .cgroup = x->cgroup };
	int out[2], err[2];

	if (pipe_open(out) < 0)
		return err_sys(e, "pipe");
	out_from = out[0];
	p.out = out_to = out[1];
	if (pipe_open(err) < 0)
		return err_sys(e, "pipe");
	err_from = err[0];
	p.err = err_to = err[1];
	env_build(&env, x);
	argv_build(&argv, x->plan);
	p.argv = argv.v;
	p.env = env.v;
	if (exec_spawn(&p, &x->pid, e) < 0)
		return -e->code;
	x->out = steal_fd(out_from);
	x->err = steal_fd(err_from);
	return 0;
}
