/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Who dies with whom
 *
 *	krobot -> guard -> agent -> test -> whatever the test starts
 *
 * Any of these may be killed at any moment, by hand, by a crash, by the kernel
 * that is out of memory.  No process of the run may be left behind, and the
 * result folder must be whole or without an exit record.
 *
 * - Test killed: the agent, its parent, sees that, kills the rest and writes
 *   the exit record.  It adopts orphans, so the rest is all below it.
 * - Agent killed: the kernel kills the test (it asked for SIGKILL at its
 *   parent's death), and everything else falls to the guard, which adopts
 *   orphans too.  The guard kills them.  There is no exit record.
 * - Guard killed: the kernel sends the agent SIGTERM; the agent kills the tree
 *   and leaves.
 * - krobot killed: the kernel sends the guard SIGTERM; it kills all below it.
 * - krobot and the guard: SIGTERM reaches the agent, as above.
 * - krobot and the agent: the guard has both to hear of, and kills the tree.
 * - Guard and agent: the test dies at once.  krobot sees that its guard was
 *   killed and runs a sweep.
 * - All three: the test dies at once.  What had left its parents before hangs
 *   below init until the next start sweeps.
 *
 * A sweep (run/claim.h) finds runs that nobody holds any more by the notes in
 * the state folder and kills what is still in their control group, and what
 * still carries their RESULT_ROOT in its environment.
 *
 * The exit record is written in one step when nothing is left to write
 * (run/result.h), so each of these moments gives a whole folder or none.
 */
#pragma once

#include "base/err.h"

/*
 * Runs @plan into the folder @result, with an agent as a child; notes of runs
 * under way are kept below @state.  Returns when no process of the run is left.
 * 0 when there is an exit record.  Errors: EEXIST when the folder already holds
 * a run.  The caller's death ends it, as said above.
 */
_must_check_ int guard_run(const char *plan, const char *result, const char *state,
			   struct err *e);
