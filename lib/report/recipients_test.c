/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/check.h"
#include "report/maintainers.h"
#include "report/recipients.h"

static const char maintainers[] =
	"List of maintainers\n"
	"===================\n"
	"\n"
	"	M:	Not <a@real.one>\n"
	"\n"
	"EXAMPLE FILESYSTEM\n"
	"M:	Ann Author <ann@fs.example>\n"
	"R:	\"Rev, R.\" <rev@fs.example>\n"
	"L:	linux-fs@lists.example (moderated for non-subscribers)\n"
	"L:	inner@lists.example (subscribers-only)\n"
	"S:	Maintained\n"
	"T:	git git://git.example/fs.git\n"
	"F:	fs/example/\n"
	"F:	include/linux/example*.h\n"
	"X:	fs/example/old/\n"
	"\n"
	"LOST DRIVER\n"
	"M:	Gone <gone@old.example>\n"
	"L:	linux-old@lists.example\n"
	"S:	Orphan\n"
	"F:	drivers/old\n"
	"\n"
	"TEGRA\n"
	"M:	Teg <teg@soc.example>\n"
	"S:	Supported\n"
	"N:	[^a-z]tegra\n"
	"N:	(a*)*(b*)*c{1,255}\n"
	"\n"
	"THE REST\n"
	"M:	Chief <chief@kernel.example>\n"
	"L:	linux-kernel@lists.example\n"
	"F:	*\n"
	"F:	*/\n";

static void gather(const char *file, struct text *out)
{
	_recipients_ struct recipients r = {};

	maintainers_add(maintainers, sizeof(maintainers) - 1, &file, 1, &r);
	recipients_decide(&r, &(struct recipients_policy){});
	recipients_explain(&r, out);
}

TEST(sections_count_by_their_files)
{
	static const struct { const char *file, *explained; } rows[] = {
		{ "fs/example/deep/inode.c",
		  "to  Ann Author <ann@fs.example>: maintainer of EXAMPLE FILESYSTEM\n"
		  "cc  linux-fs@lists.example: list of EXAMPLE FILESYSTEM\n"
		  "cc  linux-kernel@lists.example: list of THE REST\n"
		  "cc  Rev, R. <rev@fs.example>: reviewer of EXAMPLE FILESYSTEM\n" },
		{ "fs/example/old/inode.c", "to  linux-kernel@lists.example: list of THE REST\n" },
		{ "drivers/old/x.c",
		  "to  linux-old@lists.example: list of LOST DRIVER\n"
		  "cc  linux-kernel@lists.example: list of THE REST\n" },
		{ "arch/arm/mach-tegra/x.c",
		  "to  Teg <teg@soc.example>: maintainer of TEGRA\n"
		  "cc  linux-kernel@lists.example: list of THE REST\n" },
		{ "arch/arm/integra/x.c", "to  linux-kernel@lists.example: list of THE REST\n" },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		_text_ struct text t = {};

		gather(rows[i].file, &t);
		assert_string_equal(text_str(&t), rows[i].explained);
	}
}

TEST(patterns_mean_what_the_kernel_means)
{
	static const struct { const char *pattern, *path; bool is; } rows[] = {
		{ "mm/", "mm/mprotect.c", true },
		{ "mm/", "mm/kasan/init.c", true },
		{ "mm/*", "mm/mprotect.c", true },
		{ "mm/*", "mm/kasan/init.c", false },
		{ "mm", "mm/mprotect.c", true },
		{ "mm", "mmx/a.c", false },
		{ "*/net/*", "drivers/net/phy.c", true },
		{ "*/net/*", "drivers/net/phy/phy.c", false },
		{ "*/net/", "drivers/net/phy/phy.c", true },
		{ "fs/ext?/", "fs/ext4/inode.c", true },
		{ "fs/ext?/", "fs/ext/inode.c", false },
		{ "include/linux/mm*.h", "include/linux/mm_types.h", true },
		{ "include/linux/mm*.h", "include/linux/nmi.h", false },
		{ "kernel/sched/core.c", "kernel/sched/core.c", true },
		{ "kernel/sched/core.c", "kernel/sched/fair.c", false },
		{ "*", "Makefile", true },
		{ "*", "mm/mprotect.c", false },
		{ "*/", "mm/kasan/init.c", true },
		{ "", "x", false },
		{ "*a*a*a*a*a*a*a*a*a*a*a*b", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", false },
	};

	for (size_t i = 0; i < COUNT(rows); i++)
		if (maintainers_pattern(rows[i].pattern, rows[i].path) != rows[i].is)
			fail_msg("%s %s", rows[i].pattern, rows[i].path);
}

TEST(the_scripts_output_is_read)
{
	static const char output[] =
		"Ann Author <ann@fs.example> (maintainer:EXAMPLE (FS),commit_signer:3/5=60%)\n"
		"\"Rev, R.\" <rev@fs.example> (reviewer:EXAMPLE (FS))\n"
		"Often Here <often@x.example> (commit_signer:2/5=40%)\n"
		"linux-fs@lists.example (open list:EXAMPLE (FS))\n"
		"inner@lists.example (subscriber list:EXAMPLE)\n"
		"Bad file patterns found\n"
		"\n"
		"no role <a@b.example>\n"
		"broken <a b> (maintainer:X)\n";
	_recipients_ struct recipients r = {};
	_text_ struct text t = {};

	recipients_add_get_maintainer(&r, output, sizeof(output) - 1);
	recipients_decide(&r, &(struct recipients_policy){});
	recipients_explain(&r, &t);
	assert_string_equal(text_str(&t),
		"to  Ann Author <ann@fs.example>: get_maintainer.pl: "
			"maintainer:EXAMPLE (FS),commit_signer:3/5=60%\n"
		"--  broken <a b>: get_maintainer.pl: maintainer:X; no mail: not a mail address\n"
		"cc  linux-fs@lists.example: get_maintainer.pl: open list:EXAMPLE (FS)\n"
		"cc  Rev, R. <rev@fs.example>: get_maintainer.pl: reviewer:EXAMPLE (FS)\n"
		"cc  Often Here <often@x.example>: get_maintainer.pl: commit_signer:2/5=40%\n");
}

TEST(tags_name_people_but_not_stable)
{
	_recipients_ struct recipients r = {};
	_text_ struct text t = {};

	recipients_add(&r, RECIPIENT_AUTHOR, "Ann", "ann@fs.example", "wrote the commit");
	recipients_add_tags(&r, "fs: faster\n\nSome text: a@b\nCC: X <x@y.example> # 6.1\n"
			    "Cc: <stable@vger.kernel.org> # v6.1+\n"
			    "Reviewed-by: \"R\" <r@y.example>\n"
			    "Signed-off-by: Ann <ANN@fs.example>\nAcked-by: nobody");
	recipients_decide(&r, &(struct recipients_policy){});
	recipients_explain(&r, &t);
	assert_string_equal(text_str(&t),
		"to  Ann <ann@fs.example>: wrote the commit; signed the commit off\n"
		"cc  X <x@y.example>: is in the commit's Cc\n"
		"cc  R <r@y.example>: reviewed the commit\n"
		"--  nobody: acked the commit; no mail: not a mail address\n");
}

TEST(who_asked_for_no_mail_gets_none)
{
	_recipients_ struct recipients r = {};
	_text_ struct text t = {};

	recipients_add(&r, RECIPIENT_AUTHOR, "Ann", "ann@fs.example", "wrote the commit");
	recipients_add(&r, RECIPIENT_LIST, "", "l@x.example", "list of X");
	recipients_decide(&r, &(struct recipients_policy){
		.opt_out = "# who wants none\nl@y.example\nAnn Other <Ann@FS.example> # 2021\n" });
	recipients_explain(&r, &t);
	assert_string_equal(text_str(&t),
		"--  Ann <ann@fs.example>: wrote the commit; no mail: asked for no mail\n"
		"to  l@x.example: list of X\n");
}

TEST(twelve_are_enough)
{
	_recipients_ struct recipients r = {};
	_cleanup_(recipients_mail_release) struct recipients_mail m = {};

	for (int i = 0; i < 20; i++) {
		_free_ char *address = text_format("r%d@x.example", i);

		recipients_add(&r, RECIPIENT_REVIEWER, "", address, "reviewer of X");
	}
	recipients_add(&r, RECIPIENT_MAINTAINER, "", "m@x.example", "maintainer of X");
	recipients_add(&r, RECIPIENT_AUTHOR, "", "a@x.example", "wrote the commit");
	recipients_decide(&r, &(struct recipients_policy){});
	recipients_put(&r, &m);
	assert_int_equal(m.n_to, 1);
	assert_int_equal(m.n_cc, 11);
	assert_string_equal(m.to[0].address, "a@x.example");
	assert_string_equal(m.cc[0].address, "m@x.example");
	assert_string_equal(m.cc[1].address, "r0@x.example");
	assert_string_equal(r.row[12].dropped, "12 others are enough");
}

TEST(only_to_means_nobody_else)
{
	static const char *const only[] = { "Me <me@here.example>" };
	_recipients_ struct recipients r = {};
	_text_ struct text t = {};

	recipients_add(&r, RECIPIENT_AUTHOR, "Ann", "ann@fs.example", "wrote the commit");
	recipients_add(&r, RECIPIENT_LIST, "", "l@x.example", "list of X");
	recipients_decide(&r, &(struct recipients_policy){ .only_to = only, .n_only_to = 1 });
	recipients_explain(&r, &t);
	assert_string_equal(text_str(&t),
		"to  Me <me@here.example>: only_to is set\n"
		"--  Ann <ann@fs.example>: wrote the commit; no mail: only_to is set\n"
		"--  l@x.example: list of X; no mail: only_to is set\n");
}
