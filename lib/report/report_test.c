/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <fcntl.h>

#include "base/check.h"
#include "base/file.h"
#include "report/mail.h"
#include "report/report.h"

static const struct report_row others[] = {
	{ "mprotect-toggle.protect_ns", "ns", "lower", { 101.25, 0.004, false },
	  { 118.5, 0.02, false }, false, 0.1704, 0.16, 0.18 },
	{ "mprotect-toggle.post_touch_ns", "ns", "lower", { 2000, 0.004, false },
	  { 1790.2, 0.004, false }, false, -0.1049, -0.11, -0.1 },
	{ "dmesg.warnings", NULL, NULL, { 0, -1, false }, { 3, -1, false }, true, 3, 1, 0 },
	{ "proc-vmstat.pgmigrate_split", NULL, NULL, { .absent = true }, { 12, 0.5, false },
	  false, 0, 1, 0 },
};

static const struct report_param params[] = {
	{ "size", "64M" }, { "nr_process", "15" }, { "pages", "base" },
};

static const char *const files[] = {
	"mm/mprotect.c", "mm/internal.h", "include/linux/mm.h", "Documentation/mm/x.rst",
};

static const struct report example = {
	.tree = { "mm", "mm-unstable", "https://git.example/mm.git" },
	.commit = { .id = "cac1db8c3aad0123456789abcdef0123456789ab",
		    .subject = "mm: optimize mprotect() by PTE batching",
		    .parent = "45199f715b740123456789abcdef0123456789ab",
		    .parent_subject = "mm: split can_change_pte_writable()" },
	.files = files,
	.n_files = COUNT(files),
	.test = "mprotect-toggle",
	.headline = { "mprotect-toggle.iteration_ns_per_page", "ns", "lower",
		      { 13.21, 0.011, false }, { 18.46, 0.016, false }, false, 0.3977, 0.388, 0.407 },
	.row = others,
	.n_rows = COUNT(others),
	.machine = { "box-1", "1 socket, 8 CPUs, 16 GiB, Example CPU @ 3 GHz", "host" },
	.boots_base = 9,
	.boots_head = 9,
	.runs = 36,
	.drift = 0.0087,
	.noise = 0.011,
	.tip = TIP_STILL,
	.tip_id = "fedcba9876543210fedcba9876543210fedcba98",
	.recovery = { "v2", "partly", 0.4306, 0.39, 0.47 },
	.scope = "one process, 64M of shared memory, base pages, written before",
	.not_shown = "huge pages, private memory, several threads",
	.param = params,
	.n_params = COUNT(params),
	.config = "a1b2c3 (x86_64 defconfig and 4 more)",
	.compiler = "gcc 12.2.0",
	.reproduce = { "tar xf reproducer.tar", "./reproduce.sh --qemu bzImage" },
	.folder = "https://results.example/20240101000000.00000000000000ff@example.org/",
	.robot = "krobot <krobot@example.org>",
	.contact = "A Person <person@example.org>",
	.message_id = "20240101000000.00000000000000ff@example.org",
	.archive = "https://lore.example/all",
	.regzbot = true,
};

static void golden(const char *name, const struct report *r, enum report_style style)
{
	_free_ char *path = text_format("%s/lib/report/golden/%s", getenv("SOURCE"), name);
	_text_ struct text got = {}, wanted = {};
	struct err e;

	text_puts(&got, "Subject: ");
	report_put_subject(&got, r);
	text_puts(&got, "\n\n");
	report_put_body(&got, r, style);
	if (getenv("GOLDEN_WRITE"))	/* for who changes the words; then read the diff */
		assert_int_equal(file_write(AT_FDCWD, path, got.p, got.len, &e), 0);
	if (file_read(AT_FDCWD, path, 1 << 20, &wanted, &e) < 0)
		fail_msg("%s", e.text);
	assert_string_equal(text_str(&got), text_str(&wanted));
}

TEST(a_merged_commit_looks_like_its_golden_file)
{
	golden("merged.txt", &example, REPORT_KROBOT);
}

TEST(a_posted_patch_looks_like_its_golden_file)
{
	struct report r = example;

	r.commit.posted = true;
	r.tree.branch = NULL;
	r.headline.better = "higher";
	r.recovery.name = NULL;
	r.tip = TIP_NOT_TESTED;
	r.tip_id = NULL;
	r.machine.mode = "kvm";
	r.noise = -1;
	r.regzbot = false;
	r.n_rows = 0;
	r.folder = NULL;
	golden("posted.txt", &r, REPORT_KROBOT);
}

TEST(the_classic_style_looks_like_its_golden_file)
{
	golden("lkp.txt", &example, REPORT_LKP);
}

/* Lines before the first empty one; none may be long. */
static unsigned int summary_lines(const char *body)
{
	unsigned int n = 0;

	for (const char *p = body; *p != '\n'; p = strchr(p, '\n') + 1) {
		assert_true(strcspn(p, "\n") <= 78);
		n++;
	}
	return n;
}

TEST(hostile_and_long_texts_stay_in_their_place)
{
	_free_ char *x = mem_zero(3001, 1);
	struct report_row rows[40];
	struct report_param many[40];
	struct report r = example;

	for (int i = 0; i < 2998; i += 3)
		memcpy(x + i, i % 7 ? "x\ny" : "x \033", 3);
	for (size_t i = 0; i < 40; i++) {
		rows[i] = example.headline;
		rows[i].metric = x;
		many[i] = (struct report_param){ x, x };
	}
	r.headline.metric = r.commit.subject = r.scope = r.not_shown = r.about = r.test = x;
	r.machine.name = r.machine.about = r.config = r.compiler = r.folder = r.contact = x;
	r.recovery.name = r.robot = r.message_id = r.tree.url = r.tree.branch = x;
	r.reproduce[0] = r.reproduce[1] = r.reproduce[2] = x;
	r.row = rows;
	r.param = many;
	r.n_rows = r.n_params = 40;
	for (int style = REPORT_KROBOT; style <= REPORT_LKP; style++) {
		_text_ struct text t = {};

		report_put_body(&t, &r, style);
		assert_true(t.len <= REPORT_MAX_BYTES);
		assert_null(strchr(t.p, '\033'));
		assert_null(strstr(t.p, "\ny"));
		if (style == REPORT_KROBOT)
			assert_true(summary_lines(t.p) <= 5);
	}
}

TEST(the_summary_has_at_most_five_lines)
{
	_text_ struct text t = {};

	report_put_body(&t, &example, REPORT_KROBOT);
	assert_in_range(summary_lines(t.p), 4, 5);
	for (const char *s = t.p; *s; s++)
		assert_true((unsigned char)*s < 0x80);
}

TEST(at_most_ten_rows)
{
	struct report_row rows[20];
	struct report r = example;
	_text_ struct text t = {};
	unsigned int n = 0;

	for (size_t i = 0; i < COUNT(rows); i++)
		rows[i] = others[0];
	r.row = rows;
	r.n_rows = COUNT(rows);
	report_put_body(&t, &r, REPORT_KROBOT);
	for (const char *p = t.p; (p = strstr(p, others[0].metric)); p++)
		n++;
	assert_int_equal(n, REPORT_MAX_ROWS - 1);
	assert_non_null(strstr(t.p, "\n11 more rows are in the folder"));
}

TEST(words_follow_the_direction)
{
	static const struct { const char *better; double change; const char *word; } rows[] = {
		{ "lower", 0.1, "regression" }, { "lower", -0.1, "improvement" },
		{ "higher", 0.1, "improvement" }, { "higher", -0.1, "regression" },
		{ NULL, 0.1, "change" }, { "none", 0.1, "change" },
	};

	for (size_t i = 0; i < COUNT(rows); i++)
		assert_string_equal(report_word(&(struct report_row){
			.better = rows[i].better, .change = rows[i].change }), rows[i].word);
}

TEST(subsystems_come_from_files)
{
	static const struct { const char *files[4]; const char *name; } rows[] = {
		{ { "mm/mprotect.c" }, "mm" },
		{ { "fs/ext4/inode.c", "fs/ext4/super.c", "mm/filemap.c" }, "ext4" },
		{ { "fs/inode.c" }, "fs" },
		{ { "arch/x86/mm/tlb.c" }, "x86" },
		{ { "drivers/net/ethernet/intel/e1000/e1000_main.c" }, "net" },
		{ { "kernel/sched/fair.c", "include/linux/sched.h" }, "sched" },
		{ { "kernel/fork.c" }, "kernel" },
		{ { "net/ipv4/tcp.c" }, "net" },
		{ { "include/linux/mm_types.h" }, "mm_types" },
		{ { "Documentation/mm/x.rst", "lib/maple_tree.c" }, "lib" },
		{ { "Documentation/mm/x.rst" }, "Documentation" },
		{ { "Makefile" }, "Makefile" },
		{ { NULL }, NULL },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		_text_ struct text t = {};
		size_t n = 0;

		while (n < 4 && rows[i].files[n])
			n++;
		assert_int_equal(report_put_subsystem(&t, rows[i].files, n), rows[i].name != NULL);
		assert_string_equal(text_str(&t), rows[i].name ? rows[i].name : "");
	}
}
