/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * This host as a target: the agent is a child.  It has a process group of its
 * own, so that a Ctrl-C reaches krobot alone, whose death then ends the agent
 * in an orderly way (run/guard.h).  Both of the agent's processes hold our pipe
 * of their stderr, so that its end says that both are gone.
 */
#include <errno.h>
#include <fcntl.h>

#include "base/file.h"
#include "base/proc.h"
#include "run/plan.h"
#include "target/target.h"

#define NS		1000000000ULL
#define MARGIN_SECS	60		/* beyond deadline and grace, for all else */
#define FOREVER_SECS	(10ULL * 365 * 86400)

static int sweep(const struct target *t, struct err *e)
{
	_proc_ struct proc p = { .argv = ARGV(t->agent, "sweep", t->state) };

	return proc_ok(&p, e);
}

static int local_boot(struct target *t, struct err *e)
{
	if (sweep(t, e) < 0)
		return err_in(e, "cleaning up after killed runs");
	return 0;
}

static int local_run(const struct target *t, const char *plan, const char *result, struct err *e)
{
	_proc_ struct proc p = { .argv = ARGV(t->agent, "run", plan, result, t->state) };
	struct err later = {};
	_plan_ struct plan read;
	uint64_t secs;

	if (plan_read(&read, AT_FDCWD, plan, e) < 0)
		return -e->code;
	secs = read.deadline_secs ? read.deadline_secs + read.grace_secs + MARGIN_SECS :
	       FOREVER_SECS;
	p.timeout_ns = (secs < FOREVER_SECS ? secs : FOREVER_SECS) * NS;
	if (proc_ok(&p, e) == 0)
		return 0;
	/* A guard and an agent that were killed both have left that to us. */
	if (sweep(t, &later) < 0)
		return err_in(e, "%s", later.text);
	return -e->code;
}

static const struct target_kind local = {
	.name = "local",
	.boot = local_boot,
	.run = local_run,
};

int target_local(struct target *t, const char *bin, const char *state, struct err *e)
{
	*t = (struct target){ .kind = &local, .agent = path_join(bin, "krobot-agent"),
			      .state = text_copy(state) };
	if (access(t->agent, X_OK) < 0)
		return err_sys(e, "%s", t->agent);
	return 0;
}
