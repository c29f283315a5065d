/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "run/exec.h"
#include "run/tree.h"

#define PATH "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
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
	env_putf(env, "PATH", PATH);
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

struct pipes {
	int out[2], err[2], failed[2];
};

static _noreturn_ void child(const struct exec *x, const struct pipes *p, char **argv, char **env,
			     pid_t parent)
{
	int in = open("/dev/null", O_RDONLY), code;

	if (prctl(PR_SET_PDEATHSIG, SIGKILL) < 0 || getppid() != parent)
		_exit(127);
	cgroup_enter(x->cgroup);
	setsid();
	umask(022);
	signals_reset();
	if (in >= 0 && dup2(in, 0) >= 0 && dup2(p->out[1], 1) >= 0 && dup2(p->err[1], 2) >= 0 &&
	    chdir(x->work) == 0) {
		close_inherited();
		execve(argv[0], argv, env);
	}
	code = errno;
	if (write(p->failed[1], &code, sizeof(code)) < 0)
		_exit(126);
	_exit(127);
}

static int pipes_open(struct pipes *p)
{
	int *all[] = { p->out, p->err, p->failed };

	for (size_t i = 0; i < COUNT(all); i++)
		all[i][0] = all[i][1] = -1;
	for (size_t i = 0; i < COUNT(all); i++)
		if (pipe2(all[i], O_CLOEXEC) < 0)
			return -1;
	for (size_t i = 0; i < 2; i++) {
		fcntl(all[i][1], F_SETPIPE_SZ, PIPE_BYTES);
		fcntl(all[i][0], F_SETFL, O_NONBLOCK);
	}
	return 0;
}

static void pipes_close(struct pipes *p)
{
	int *all[] = { p->out, p->err, p->failed };

	for (size_t i = 0; i < COUNT(all); i++) {
		closep(&all[i][0]);
		closep(&all[i][1]);
	}
}
#define _pipes_ _cleanup_(pipes_close)

int exec_start(struct exec *x, struct err *e)
{
	_cleanup_(list_release) struct plan_list env = {}, argv = {};
	_pipes_ struct pipes p;
	pid_t self = getpid();
	int code;

	if (pipes_open(&p) < 0)
		return err_sys(e, "pipe");
	env_build(&env, x);
	argv_build(&argv, x->plan);
	x->pid = fork();
	if (x->pid < 0)
		return err_sys(e, "fork");
	if (!x->pid)
		child(x, &p, argv.v, env.v, self);
	closep(&p.failed[1]);
	p.failed[1] = -1;
	if (read(p.failed[0], &code, sizeof(code)) == sizeof(code)) {
		waitpid(x->pid, NULL, 0);
		errno = code;
		return err_sys(e, "cannot start %s", x->plan->program);
	}
	x->out = steal_fd(p.out[0]);
	x->err = steal_fd(p.err[0]);
	return 0;
}
