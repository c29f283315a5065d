/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Module files and what they need: read from the modules themselves (section
 * .modinfo), since packages come without modules.dep.
 */
#pragma once

#include "base/err.h"
#include "base/text.h"

struct module {
	char *name;		/* '_' for '-' */
	struct text bytes;	/* unpacked */
};

struct module_list {
	struct module *v;
	size_t n;
};

/*
 * Adds @names (ends in NULL) and what they need from the files below @folder, in
 * an order in which they can be loaded, each once.  A name without a file is
 * taken to be built in.  Errors: a broken file; EBADMSG.
 */
_must_check_ int module_find(struct module_list *l, const char *folder,
			     const char *const *names, struct err *e);

void module_list_release(struct module_list *l);
#define _module_list_ _cleanup_(module_list_release)
