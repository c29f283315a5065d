/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Facts: what a run must say about where it ran, as record lines.  The prefix
 * of a key says how long it holds:
 *
 *	machine.*	what makes it this machine: model, sockets, nodes, memory
 *			(rounded, since each kernel keeps some for itself),
 *			firmware.  Equal facts, same machine.
 *	boot.*		of this start: kernel, command line, boot id
 *	env.*		what may change from run to run: settings, CPUs online,
 *			microcode
 *
 * A measured clock is never a fact.  What this kernel does not tell is absent.
 */
#pragma once

#include "base/record.h"

/*
 * Adds all facts to be read below @root, a descriptor of "/" or of a recorded
 * tree that holds proc/ and sys/.
 */
void facts_read(struct record *r, int root);

/* env.mount.NAME: type, source and options of the mount that holds @path (absolute). */
void facts_mount(struct record *r, int root, const char *name, const char *path);
