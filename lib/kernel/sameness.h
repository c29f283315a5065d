/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Are two builds the same kernel?
 *
 * A commit that touches documentation, or code that this configuration leaves out,
 * gives the kernel of its parent; it needs no boot and can have no blame.  The files
 * still differ: in build id, version, date, host.  What is compared is what is loaded,
 * with those made equal:
 *
 * - sections that are loaded, with name, address and size; in modules also symbols and
 *   relocations of such sections, for they say which function is called;
 * - without .note.gnu.build-id and .notes, without debugging information, signatures
 *   and comments, which are not loaded;
 * - without vermagic and srcversion in .modinfo;
 * - with the version, release and banner of the kernel blanked wherever they stand.
 *
 * In doubt two builds differ: that costs boots and is never wrong.
 */
#pragma once

#include <stddef.h>

#include "base/err.h"
#include "base/text.h"

#define SAMENESS_SIZE 65

/*
 * The normal form of an ELF file (64 bit, little endian); any other file is its own.
 * Not for storing: it is compared or hashed.
 */
void sameness_normalise(const void *p, size_t n, struct text *out);

/* Hash of a file's normal form: the same for the same kernel. */
_must_check_ int sameness_file(const char *path, char id[SAMENESS_SIZE], struct err *e);

/*
 * Of a whole build: vmlinux, and all *.ko below @modules (NULL: none) with their places.
 * No link is followed.
 */
_must_check_ int sameness_build(const char *vmlinux, const char *modules, char id[SAMENESS_SIZE],
				struct err *e);
