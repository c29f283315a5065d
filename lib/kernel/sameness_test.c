/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "kernel/repo_test.h"
#include "kernel/sameness.h"

/* What differs between two builds, by macros; no libc, so that only this is in it. */
#define MODINFO	"__attribute__((section(\".modinfo\"), used)) const char "
static const char program[] =
	"const char linux_banner[] =\n"
	"	\"Linux version \" RELEASE \" (\" HOST \") (gcc 12) \" VERSION \"\\n\";\n"
	"const char linux_proc_banner[] = \"%s version %s (\" HOST \") (gcc 12) %s\\n\";\n"
	"struct { char name[65], release[65], version[65]; } uts = { \"Linux\", RELEASE, VERSION };\n"
	MODINFO "vm[] = \"vermagic=\" RELEASE \" SMP\";\n"
	MODINFO "li[] = \"license=\" LICENSE;\n"
	"void first(void); void second(void);\n"
	"#ifdef LINKED\n"
	"void first(void) {} void second(void) { __asm__(\"nop\"); }\n"
	"#endif\n"
	"int _start(int x) { CALL(); return x + NUMBER; }\n";

/* NULL: what a build usually has. */
struct made {
	const char *release, *host, *version, *license, *number, *call, *build_id;
	bool debug, object;
};

#define MADE(...)	((struct made){ __VA_ARGS__ })

/* "-DNAME=value", in quotes if @usual is. */
static char *define(const char *name, const char *value, const char *usual)
{
	bool quoted = *usual == '"';

	if (!value)
		return text_format("-D%s=%s", name, usual);
	return quoted ? text_format("-D%s=\"%s\"", name, value) :
	       text_format("-D%s=%s", name, value);
}

static void make(const struct repo *r, const char *out, struct made m)
{
	_free_ char *release = define("RELEASE", m.release, "\"6.1.0-g0123\"");
	_free_ char *host = define("HOST", m.host, "\"a@b\"");
	_free_ char *version = define("VERSION", m.version, "\"#1 SMP Mon\"");
	_free_ char *license = define("LICENSE", m.license, "\"GPL\"");
	_free_ char *number = define("NUMBER", m.number, "1"), *call = define("CALL", m.call, "first");
	_free_ char *id = text_format("-Wl,--build-id=%s", m.build_id ? m.build_id : "0x11");
	_proc_ struct proc p = { .cwd = r->path };
	struct err e = {};

	repo_write(r, "x.c", program);
	p.argv = ARGV("gcc", "-O1", "-nostdlib", "-static", "-fno-pie", "-no-pie", m.debug ? "-g" : "-g0",
		      m.object ? "-c" : "-DLINKED", m.object ? "-c" : id, release, host, version, license,
		      number, call, "-o", out, "x.c");
	if (proc_ok(&p, &e) < 0)
		fail_msg("%s", e.text);
}

static void identity(const struct repo *r, const char *file, char id[SAMENESS_SIZE])
{
	_free_ char *path = path_join(r->path, file);
	struct err e = {};

	if (sameness_file(path, id, &e) < 0)
		fail_msg("%s", e.text);
}

static bool same(struct made a, struct made b)
{
	_repo_ struct repo r = repo_make();
	char ida[SAMENESS_SIZE], idb[SAMENESS_SIZE];

	make(&r, "a", a);
	make(&r, "b", b);
	identity(&r, "a", ida);
	identity(&r, "b", idb);
	return !strcmp(ida, idb);
}

#define OBJECT(...) MADE(.object = true, __VA_ARGS__)

TEST(what_only_names_the_build_makes_no_difference)
{
	assert_true(same(MADE(), MADE(.build_id = "0x22")));
	assert_true(same(MADE(), MADE(.release = "6.1.0-gabcd")));
	assert_true(same(MADE(), MADE(.version = "#9 SMP Tue")));
	assert_true(same(MADE(), MADE(.host = "c@d")));
	assert_true(same(MADE(), MADE(.debug = true)));
	assert_true(same(OBJECT(), OBJECT(.release = "6.1.0-gabcd", .version = "#2 SMP Tue")));
}

TEST(code_and_data_make_a_difference)
{
	assert_false(same(MADE(), MADE(.number = "2")));
	assert_false(same(MADE(), MADE(.license = "MIT")));
	assert_false(same(MADE(), MADE(.call = "second")));
	assert_false(same(OBJECT(), OBJECT(.license = "MIT")));
}

TEST(in_a_module_the_called_function_is_a_relocation)
{
	assert_true(same(OBJECT(), OBJECT()));
	assert_false(same(OBJECT(), OBJECT(.call = "second")));
}

static void build(const struct repo *r, char id[SAMENESS_SIZE])
{
	_free_ char *vmlinux = path_join(r->path, "vmlinux"), *modules = path_join(r->path, "mod");
	struct err e = {};

	if (sameness_build(vmlinux, modules, id, &e) < 0)
		fail_msg("%s", e.text);
}

TEST(a_build_is_its_vmlinux_and_all_modules_in_their_places)
{
	_repo_ struct repo r = repo_make();
	_free_ char *deep = path_join(r.path, "mod/kernel/mm");
	char one[SAMENESS_SIZE], two[SAMENESS_SIZE];
	struct err e = {};

	assert_int_equal(dir_make(deep, &e), 0);
	make(&r, "vmlinux", MADE());
	make(&r, "mod/kernel/mm/a.ko", OBJECT());
	repo_write(&r, "mod/modules.order", "x");
	build(&r, one);
	repo_write(&r, "mod/modules.order", "y");
	make(&r, "mod/kernel/mm/a.ko", OBJECT(.release = "6.1.0-gabcd"));
	build(&r, two);
	assert_string_equal(one, two);
	make(&r, "mod/kernel/mm/b.ko", OBJECT());
	build(&r, two);
	assert_string_not_equal(one, two);
	assert_true(sameness_build("/nonexistent", NULL, one, &e) < 0);
}

TEST(a_file_that_is_no_elf_is_its_own)
{
	_text_ struct text t = {};

	sameness_normalise("\177ELF and no more", 16, &t);
	assert_int_equal(t.len, 16);
}
