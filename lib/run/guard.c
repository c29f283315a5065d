/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include "run/agent.h"
#include "run/claim.h"
#include "run/guard.h"
#include "run/result.h"
#include "run/tree.h"

struct guard {
	const char *plan;
	struct agent_place at;
	struct claim claim;
	pid_t agent;
	int said;		/* where the agent's last error comes from */
};

/* The error crosses as it is: smaller than a pipe's atomic write. */
_Static_assert(sizeof(struct err) <= PIPE_BUF, "an error must fit into one write");

static _noreturn_ void agent_child(const struct guard *g, int said, pid_t parent)
{
	struct err e = {};

	/* What was sent before this line is seen by the question after it. */
	if (prctl(PR_SET_PDEATHSIG, SIGTERM) < 0 || getppid() != parent)
		_exit(1);
	if (agent_run(g->plan, &g->at, &e) == 0)
		_exit(0);
	if (write(said, &e, sizeof(e)) != sizeof(e))
		_exit(2);
	_exit(1);
}

static int agent_start(struct guard *g, struct err *e)
{
	pid_t self = getpid();
	int fds[2];

	if (pipe2(fds, O_CLOEXEC) < 0)
		return err_sys(e, "pipe");
	g->agent = fork();
	if (!g->agent) {
		close(fds[0]);
		agent_child(g, fds[1], self);
	}
	close(fds[1]);
	g->said = fds[0];
	return g->agent < 0 ? err_sys(e, "fork") : 0;
}

static void signals_block(sigset_t *set)
{
	static const int taken[] = { SIGCHLD, SIGTERM, SIGINT, SIGHUP };

	sigemptyset(set);
	for (size_t i = 0; i < COUNT(taken); i++)
		sigaddset(set, taken[i]);
	sigprocmask(SIG_BLOCK, set, NULL);
}

/* Until the agent has ended, or someone wants us to. */
static int agent_wait(struct guard *g, const sigset_t *set, struct err *e)
{
	int status, sig;

	for (;;) {
		if (waitpid(g->agent, &status, WNOHANG) == g->agent)
			break;
		sig = sigwaitinfo(set, NULL);
		if (sig > 0 && sig != SIGCHLD)
			return err_set(e, ECANCELED, "stopped by signal %d", sig);
	}
	if (WIFSIGNALED(status))
		return err_set(e, EIO, "the agent was killed by signal %d", WTERMSIG(status));
	if (!WEXITSTATUS(status))
		return 0;
	if (read(g->said, e, sizeof(*e)) == sizeof(*e) && e->code > 0)
		return -e->code;
	return err_set(e, EIO, "the agent ended with status %d", WEXITSTATUS(status));
}

/* A folder takes one run: what an earlier one has left is never mixed in. */
static int folder_check(const struct guard *g, struct err *e)
{
	static const char *const names[] = { RESULT_EXIT, RESULT_JOURNAL, RESULT_STDOUT };

	for (size_t i = 0; i < COUNT(names); i++)
		if (faccessat(g->at.dir, names[i], F_OK, 0) == 0)
			return err_set(e, EEXIST, "%s holds a run already", g->at.result);
	return 0;
}

static int watch_over(struct guard *g, struct err *e)
{
	struct err run = {}, end = {};
	sigset_t set;

	signals_block(&set);
	if (agent_start(g, &run) == 0 && agent_wait(g, &set, &run) == 0 &&
	    faccessat(g->at.dir, RESULT_EXIT, F_OK, 0) < 0)
		err_sys(&run, "the agent left no exit record");
	if (tree_kill(g->claim.cgroup, NULL, &end) == 0 && claim_close(&g->claim, &end) < 0 &&
	    !run.code)
		run = end;
	*e = run.code ? run : end;
	return -e->code;
}

static void guard_release(struct guard *g)
{
	free((char *)g->at.result);
	closep(&g->at.dir);
	closep(&g->said);
	claim_release(&g->claim);
}

int guard_run(const char *plan, const char *result, const char *state, struct err *e)
{
	_cleanup_(guard_release) struct guard g = { .plan = plan, .claim = CLAIM_NONE,
						    .said = -1, .at = { .dir = -1 } };

	g.at.dir = open(result, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	g.at.result = realpath(result, NULL);
	if (g.at.dir < 0 || !g.at.result)
		return err_sys(e, "%s", result);
	if (folder_check(&g, e) < 0 || tree_adopt(e) < 0 ||
	    claim_make(&g.claim, state, g.at.result, e) < 0)
		return -e->code;
	g.at.cgroup = g.claim.cgroup;
	g.at.settings = g.claim.settings;
	return watch_over(&g, e);
}
