/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * As much of ELF as kernels and modules need: sections of a 64-bit little
 * endian file, in memory.  Every offset is checked, so that a broken file finds
 * nothing but harms nothing.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

bool elf_is_64(const void *p, size_t n);

/* The first section with that name; NULL if there is none. Borrowed from @p. */
const char *elf_section(const void *p, size_t n, const char *name, size_t *size);

/* Whether a note of @owner and @type lies in a segment or section of notes. */
bool elf_has_note(const void *p, size_t n, const char *owner, unsigned int type);
