/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <dirent.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

#include "base/file.h"
#include "base/proc.h"
#include "kernel/sameness.h"

#define FILE_MOST	(2UL << 30)
#define MODULES_MOST	50000U
#define DEPTH_MOST	30

struct elf {
	const char *p;
	size_t n;
	Elf64_Ehdr h;
	Elf64_Shdr names;
};

/* Texts of a build that say nothing of what it does. */
struct words {
	struct text release, version;
};

static const void *piece(const struct elf *f, Elf64_Off off, Elf64_Xword n)
{
	return off > f->n || n > f->n - off ? NULL : f->p + off;
}

static bool header(const struct elf *f, size_t i, Elf64_Shdr *s)
{
	const void *at = f->h.e_shentsize == sizeof(*s) && i < f->h.e_shnum && f->h.e_shoff < f->n ?
			 piece(f, f->h.e_shoff + i * sizeof(*s), sizeof(*s)) : NULL;

	if (at)
		memcpy(s, at, sizeof(*s));
	return at;
}

static bool elf_open(struct elf *f, const void *p, size_t n)
{
	*f = (struct elf){ .p = p, .n = n };
	if (n < sizeof(f->h))
		return false;
	memcpy(&f->h, p, sizeof(f->h));
	return !memcmp(f->h.e_ident, ELFMAG, SELFMAG) && f->h.e_ident[EI_CLASS] == ELFCLASS64 &&
	       f->h.e_ident[EI_DATA] == ELFDATA2LSB && header(f, f->h.e_shstrndx, &f->names) &&
	       piece(f, f->names.sh_offset, f->names.sh_size);
}

/* Borrowed; "" if it is not ended or not there. */
static const char *name_of(const struct elf *f, const Elf64_Shdr *s)
{
	const char *names = piece(f, f->names.sh_offset, f->names.sh_size);

	if (!names || s->sh_name >= f->names.sh_size ||
	    !memchr(names + s->sh_name, '\0', f->names.sh_size - s->sh_name))
		return "";
	return names + s->sh_name;
}

static bool counts(const struct elf *f, const Elf64_Shdr *s)
{
	const char *name = name_of(f, s);
	Elf64_Shdr of;

	if (!strcmp(name, ".notes") || !strcmp(name, ".note.gnu.build-id"))
		return false;
	if (s->sh_flags & SHF_ALLOC)
		return true;
	if (f->h.e_type != ET_REL)
		return false;
	if (s->sh_type == SHT_SYMTAB || !strcmp(name, ".strtab"))
		return true;
	return s->sh_type == SHT_RELA && header(f, s->sh_info, &of) && of.sh_flags & SHF_ALLOC;
}

static void blank(char *p, size_t n, const struct text *word)
{
	char *end = p + n;

	if (word->len < 4)
		return;
	while ((p = memmem(p, (size_t)(end - p), word->p, word->len))) {
		memset(p, 'V', word->len);
		p += word->len;
	}
}

/* From @mark to the end of the string it begins. */
static void blank_string(char *p, size_t n, const char *mark)
{
	char *end = p + n;

	while ((p = memmem(p, (size_t)(end - p), mark, strlen(mark)))) {
		size_t len = strnlen(p, (size_t)(end - p));

		memset(p, 'V', len);
		p += len;
	}
}

/* "vermagic=..." and "srcversion=..." among strings that end in NUL. */
static void put_modinfo(struct text *out, const char *p, size_t n)
{
	for (const char *end = p + n; p < end;) {
		size_t len = strnlen(p, (size_t)(end - p));

		if (len && strncmp(p, "vermagic=", 9) && strncmp(p, "srcversion=", 11)) {
			text_put(out, p, len);
			text_putc(out, '\0');
		}
		p += len + 1;
	}
}

/* "Linux version RELEASE (user@host) (compiler) VERSION\n" */
static void words_find(const struct elf *f, struct words *w)
{
	static const char mark[] = "Linux version ";
	Elf64_Shdr s;

	for (size_t i = 0; i < f->h.e_shnum && header(f, i, &s); i++) {
		const char *p = s.sh_flags & SHF_ALLOC && s.sh_type != SHT_NOBITS ?
				piece(f, s.sh_offset, s.sh_size) : NULL;
		const char *at = p ? memmem(p, s.sh_size, mark, sizeof(mark) - 1) : NULL;
		_free_ char *line = NULL;
		char *hash;

		if (!at)
			continue;
		at += sizeof(mark) - 1;
		line = text_format("%.*s", (int)strnlen(at, (size_t)(p + s.sh_size - at) < 1000 ?
							(size_t)(p + s.sh_size - at) : 1000), at);
		line[strcspn(line, "\n")] = '\0';
		text_put(&w->release, line, strcspn(line, " "));
		hash = strrchr(line, '#');
		if (hash)
			text_puts(&w->version, hash);
		return;
	}
}

static void put_section(const struct elf *f, const Elf64_Shdr *s, const struct words *w,
			struct text *out)
{
	const char *name = name_of(f, s);
	const char *p = s->sh_type == SHT_NOBITS ? NULL : piece(f, s->sh_offset, s->sh_size);
	bool modinfo = !strcmp(name, ".modinfo");
	size_t from;

	text_printf(out, "%s %u %llx %llx %llx\n", name, s->sh_type, (unsigned long long)s->sh_flags,
		    (unsigned long long)s->sh_addr, modinfo ? 0ULL : (unsigned long long)s->sh_size);
	if (!p)
		return;
	from = out->len;
	if (modinfo)
		put_modinfo(out, p, s->sh_size);
	else
		text_put(out, p, s->sh_size);
	if (out->len == from)
		return;
	blank_string(out->p + from, out->len - from, "Linux version ");
	blank_string(out->p + from, out->len - from, "%s version %s (");
	blank(out->p + from, out->len - from, &w->release);
	blank(out->p + from, out->len - from, &w->version);
}

void sameness_normalise(const void *p, size_t n, struct text *out)
{
	size_t from = out->len, room = 2 * n + (1U << 20);
	struct words w = {};
	struct elf f;
	Elf64_Shdr s;

	if (!elf_open(&f, p, n)) {
		text_put(out, p, n);
		return;
	}
	words_find(&f, &w);
	text_printf(out, "elf %u %u %llx\n", f.h.e_type, f.h.e_machine,
		    (unsigned long long)f.h.e_entry);
	/* Sections that lie on each other, over and over, are no kernel. */
	for (size_t i = 0; i < f.h.e_shnum && header(&f, i, &s) && out->len - from < room; i++)
		if (counts(&f, &s))
			put_section(&f, &s, &w, out);
	if (out->len - from >= room)
		text_put(out, p, n);
	text_release(&w.release);
	text_release(&w.version);
}

static int hash(const struct text *t, char id[SAMENESS_SIZE], struct err *e)
{
	_proc_ struct proc p = { .argv = ARGV("git", "hash-object", "--stdin"), .cwd = "/",
				 .in = text_str(t), .in_len = t->len,
				 .timeout_ns = 600ULL * 1000000000 };
	size_t n;
	int r = proc_ok(&p, e);

	if (r < 0)
		return r;
	n = strspn(text_str(&p.out), "0123456789abcdef");
	if (n < 40 || n >= SAMENESS_SIZE)
		return err_set(e, EPROTO, "git hash-object: no hash");
	snprintf(id, SAMENESS_SIZE, "%.*s", (int)n, text_str(&p.out));
	return 0;
}

int sameness_file(const char *path, char id[SAMENESS_SIZE], struct err *e)
{
	_text_ struct text file = {}, normal = {};
	int r = file_read(AT_FDCWD, path, FILE_MOST, &file, e);

	if (r < 0)
		return r;
	sameness_normalise(text_str(&file), file.len, &normal);
	r = hash(&normal, id, e);
	return r < 0 ? err_in(e, "%s", path) : 0;
}

struct walk {
	struct text list;		/* "ID PLACE", a line each */
	size_t n;
};

static int modules_walk(struct walk *w, const char *top, const char *below, int depth,
			struct err *e);

static int module_add(struct walk *w, const char *top, const char *place, int depth, struct err *e)
{
	_free_ char *path = path_join(top, place);
	char id[SAMENESS_SIZE];
	struct stat st;
	int r;

	if (lstat(path, &st) < 0)
		return err_sys(e, "%s", path);
	if (S_ISDIR(st.st_mode) && depth < DEPTH_MOST)
		return modules_walk(w, top, place, depth + 1, e);
	if (!S_ISREG(st.st_mode) || !strstr(path_base(place), ".ko"))
		return 0;
	if (++w->n > MODULES_MOST)
		return err_set(e, E2BIG, "%s: more than %u modules", top, MODULES_MOST);
	r = sameness_file(path, id, e);
	if (r == 0) {
		text_printf(&w->list, "%s ", id);
		text_put_visible(&w->list, place, strlen(place), true);
		text_putc(&w->list, '\n');
	}
	return r;
}

static int not_hidden(const struct dirent *d)
{
	return d->d_name[0] != '.';
}

static int modules_walk(struct walk *w, const char *top, const char *below, int depth,
			struct err *e)
{
	_free_ char *folder = path_join(top, below);
	struct dirent **list;
	int n = scandir(folder, &list, not_hidden, alphasort), r = 0;

	if (n < 0)
		return err_sys(e, "%s", folder);
	for (int i = 0; i < n; i++) {
		_free_ char *place = path_join(below, list[i]->d_name);

		if (r == 0)
			r = module_add(w, top, place, depth, e);
		free(list[i]);
	}
	free(list);
	return r;
}

int sameness_build(const char *vmlinux, const char *modules, char id[SAMENESS_SIZE], struct err *e)
{
	struct walk w = {};
	int r = sameness_file(vmlinux, id, e);

	if (r == 0)
		text_printf(&w.list, "%s vmlinux\n", id);
	if (r == 0 && modules)
		r = modules_walk(&w, modules, ".", 0, e);
	if (r == 0)
		r = hash(&w.list, id, e);
	text_release(&w.list);
	return r;
}
