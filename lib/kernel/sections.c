/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <elf.h>
#include <string.h>

#include "kernel/sections.h"

/* Where @n of the things at @off lie, or NULL when they do not fit into the file. */
static const void *part(const void *p, size_t size, Elf64_Off off, size_t n)
{
	return off > size || n > size - off ? NULL : (const char *)p + off;
}

bool elf_is_64(const void *p, size_t n)
{
	const unsigned char *ident = p;

	return n >= sizeof(Elf64_Ehdr) && !memcmp(ident, ELFMAG, SELFMAG) &&
	       ident[EI_CLASS] == ELFCLASS64 && ident[EI_DATA] == ELFDATA2LSB;
}

static bool section(const void *p, size_t n, const Elf64_Ehdr *h, size_t i, Elf64_Shdr *s)
{
	const void *at = h->e_shentsize < sizeof(*s) || i >= h->e_shnum || h->e_shoff > n ? NULL :
			 part(p, n, h->e_shoff + i * h->e_shentsize, sizeof(*s));

	if (at)
		memcpy(s, at, sizeof(*s));
	return at;
}

const char *elf_section(const void *p, size_t n, const char *name, size_t *size)
{
	Elf64_Shdr names, s;
	const char *text;
	Elf64_Ehdr h;

	if (!elf_is_64(p, n))
		return NULL;
	memcpy(&h, p, sizeof(h));
	if (!section(p, n, &h, h.e_shstrndx, &names) ||
	    !(text = part(p, n, names.sh_offset, names.sh_size)))
		return NULL;
	for (size_t i = 0; i < h.e_shnum && section(p, n, &h, i, &s); i++) {
		size_t len = strlen(name) + 1;

		if (s.sh_type == SHT_NOBITS || s.sh_name > names.sh_size ||
		    len > names.sh_size - s.sh_name || memcmp(text + s.sh_name, name, len) != 0)
			continue;
		*size = s.sh_size;
		return part(p, n, s.sh_offset, s.sh_size);
	}
	return NULL;
}

static size_t align4(size_t n)
{
	return (n + 3) & ~(size_t)3;
}

static bool notes_have(const char *p, size_t n, const char *owner, unsigned int type)
{
	Elf64_Nhdr h;

	while (p && n >= sizeof(h)) {
		size_t whole;

		memcpy(&h, p, sizeof(h));
		whole = sizeof(h) + align4(h.n_namesz) + align4(h.n_descsz);
		if (whole > n)
			return false;
		if (h.n_type == type && h.n_namesz == strlen(owner) + 1 &&
		    !memcmp(p + sizeof(h), owner, h.n_namesz))
			return true;
		p += whole;
		n -= whole;
	}
	return false;
}

bool elf_has_note(const void *p, size_t n, const char *owner, unsigned int type)
{
	Elf64_Phdr seg;
	Elf64_Ehdr h;

	if (!elf_is_64(p, n))
		return false;
	memcpy(&h, p, sizeof(h));
	if (h.e_phentsize < sizeof(seg) || h.e_phoff > n)
		return false;
	for (size_t i = 0; i < h.e_phnum; i++) {
		const void *at = part(p, n, h.e_phoff + i * h.e_phentsize, sizeof(seg));

		if (!at)
			return false;
		memcpy(&seg, at, sizeof(seg));
		if (seg.p_type == PT_NOTE &&
		    notes_have(part(p, n, seg.p_offset, seg.p_filesz), seg.p_filesz, owner, type))
			return true;
	}
	return false;
}
