/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <math.h>
#include <string.h>

#include "report/report.h"

#define WIDTH 78
#define SUMMARY_LINES 5
#define PARAMS_MAX 1500		/* bytes; the folder has them all */

/* Foreign text: one line, visible, at most @max bytes (a character is not cut). */
static void put_foreign(struct text *out, const char *s, size_t max)
{
	_text_ struct text t = {};
	size_t n;

	text_put_visible(&t, s ? s : "", s ? strlen(s) : 0, true);
	n = t.len;
	if (n > max) {
		n = max > 3 ? max - 3 : 0;
		while (n && ((unsigned char)t.p[n] & 0xc0) == 0x80)
			n--;
	}
	text_put(out, text_str(&t), n);
	if (n < t.len)
		text_puts(out, "...");
}

/* Words filled into lines; what does not fit into @max lines ends in "...". Returns the lines. */
static unsigned int put_filled(struct text *out, const char *s, unsigned int max)
{
	unsigned int lines = 1;
	size_t column = 0;

	while (*s) {
		size_t n = strcspn(s, " "), room = lines == max ? WIDTH - 4 : WIDTH;

		if (column && column + 1 + n > room) {
			if (lines == max) {
				text_puts(out, " ...");
				break;
			}
			text_putc(out, '\n');
			lines++;
			column = 0;
		}
		if (column)
			text_putc(out, ' ');
		text_put(out, s, n);
		column += n + (column > 0);
		s += n;
		s += strspn(s, " ");
	}
	text_putc(out, '\n');
	return lines;
}

static void put_percent(struct text *out, double share)
{
	text_printf(out, fabs(share) < 0.01 ? "%+.2f%%" : "%+.1f%%", share * 100);
}

static void put_interval(struct text *out, const struct report_row *row)
{
	if (row->low > row->high)
		return;
	if (row->absolute) {
		text_printf(out, " [%+.4g, %+.4g]", row->low, row->high);
		return;
	}
	text_puts(out, " [");
	put_percent(out, row->low);
	text_puts(out, ", ");
	put_percent(out, row->high);
	text_putc(out, ']');
}

static void put_commit(struct text *out, const char *id, const char *subject, size_t max)
{
	text_printf(out, "%.12s (\"", id);
	put_foreign(out, subject, max);
	text_puts(out, "\")");
}

/* A line of the summary of which a part may be cut so that the rest fits. */
static void put_fitted(struct text *out, const char *before, const char *part, const char *after)
{
	size_t fixed = strlen(before) + strlen(after);

	text_puts(out, before);
	put_foreign(out, part, fixed + 10 < WIDTH ? WIDTH - fixed : 10);
	text_puts(out, after);
	text_putc(out, '\n');
}

static void put_what(struct text *out, const struct report_row *h)
{
	_text_ struct text t = {};

	text_putc(&t, ' ');
	report_put_change(&t, h);
	put_interval(&t, h);
	text_printf(&t, ", %s %s", strcmp(report_word(h), "improvement") ? "a" : "an",
		    report_word(h));
	put_fitted(out, "", h->metric, text_str(&t));
}

static void put_where(struct text *out, const struct report *r)
{
	_text_ struct text before = {}, after = {};

	text_printf(&before, "%s %.12s (\"", r->commit.posted ? "Patch" : "Commit", r->commit.id);
	text_puts(&after, "\") on ");
	put_foreign(&after, r->machine.name, 24);
	put_fitted(out, text_str(&before), r->commit.subject, text_str(&after));
}

static void put_real(struct text *out, const struct report *r)
{
	static const char *const words[] = {
		[TIP_NOT_TESTED] = "not tested", [TIP_STILL] = "still there",
		[TIP_GONE] = "gone", [TIP_UNTESTABLE] = "untestable",
	};
	_text_ struct text t = {};

	text_printf(&t, "%u+%u boots, drift ", r->boots_base, r->boots_head);
	put_percent(&t, r->drift);
	if (r->noise >= 0)
		text_printf(&t, ", noise floor %.2f%%", r->noise * 100);
	text_puts(&t, "; tip");
	if (r->tip_id)
		text_printf(&t, " %.12s", r->tip_id);
	text_printf(&t, ": %s", words[r->tip]);
	put_filled(out, text_str(&t), 1);
}

/* How much of the change a fix takes back; the number of lines. */
static unsigned int put_recovery(struct text *out, const struct report *r)
{
	_text_ struct text t = {};

	if (!r->recovery.name)
		return 0;
	text_printf(&t, ": %s, %.0f%% [%.0f%%, %.0f%%] of the change is undone", r->recovery.word,
		    r->recovery.share * 100, r->recovery.low * 100, r->recovery.high * 100);
	put_fitted(out, "Fix ", r->recovery.name, text_str(&t));
	return 1;
}

/* What it does not show goes below the table where it would be cut here. */
static bool put_scope(struct text *out, const struct report *r, unsigned int lines)
{
	_text_ struct text t = {}, filled = {};
	bool whole;

	text_puts(&t, "Scope: ");
	put_foreign(&t, r->scope, 300);
	if (r->not_shown) {
		text_puts(&t, r->scope ? "; not: " : "not: ");
		put_foreign(&t, r->not_shown, 300);
	}
	whole = put_filled(&filled, text_str(&t), 100) <= lines;
	if (!r->scope && !r->not_shown)
		return true;
	if (whole)
		text_put(out, filled.p, filled.len);
	else
		put_fitted(out, "Scope: ", r->scope, r->not_shown ? "; not: see below" : "");
	return whole;
}

/* At most five lines; false: what is not shown did not fit. */
static bool put_summary(struct text *out, const struct report *r)
{
	unsigned int lines = 3;

	put_what(out, &r->headline);
	put_where(out, r);
	put_real(out, r);
	lines += put_recovery(out, r);
	return put_scope(out, r, SUMMARY_LINES - lines);
}

/* ---- The table, in the layout that readers of LKP's know ---- */

static void put_value(struct text *out, const struct report_side *side, bool ascii)
{
	double percent = side->spread * 100;
	char spread[16];

	if (side->absent) {
		text_puts(out, "    absent      ");
		return;
	}
	text_printf(out, fabs(side->mean) >= 1000 ? "%10.0f" : "%10.2f", side->mean);
	if (percent > 999)
		percent = 999;
	snprintf(spread, sizeof(spread), "+-%.0f%%", percent);
	if (percent < 1.5)
		text_puts(out, "      ");
	else if (ascii)
		text_printf(out, "%6s", spread);
	else
		text_printf(out, " \xc2\xb1%3.0f%%", percent);
}

static void put_row(struct text *out, const struct report_row *row, bool ascii)
{
	put_value(out, &row->base, ascii);
	if (row->base.absent || row->head.absent)
		text_puts(out, "           ");
	else if (row->absolute)
		text_printf(out, "%+10.1f ", row->change);
	else
		text_printf(out, "%+10.1f%%", row->change * 100);
	text_putc(out, ' ');
	put_value(out, &row->head, ascii);
	text_puts(out, "  ");
	put_foreign(out, row->metric, 80);
	text_putc(out, '\n');
}

/* @rows: how many at most beside the headline. */
static void put_table(struct text *out, const struct report *r, size_t rows, bool ascii)
{
	size_t shown = r->n_rows < rows ? r->n_rows : rows;

	text_printf(out, "%-16.16s %-27.27s \n", r->commit.parent, r->commit.id);
	text_puts(out, "---------------- --------------------------- \n"
		  "         %stddev     %change         %stddev\n"
		  "             \\          |                \\  \n");
	put_row(out, &r->headline, ascii);
	for (size_t i = 0; i < shown; i++)
		put_row(out, &r->row[i], ascii);
	if (shown < r->n_rows)
		text_printf(out, "%zu more rows are in the folder named below.\n",
			    r->n_rows - shown);
}

/* ---- The rest ---- */

static void put_line(struct text *out, const char *name, const char *value)
{
	if (!value || !*value)
		return;
	text_printf(out, "%s: ", name);
	put_foreign(out, value, 200);
	text_putc(out, '\n');
}

static void put_params(struct text *out, const struct report *r)
{
	size_t start = out->len, i;

	for (i = 0; i < r->n_params && out->len - start < PARAMS_MAX; i++) {
		text_puts(out, "  ");
		put_foreign(out, r->param[i].name, 60);
		text_puts(out, ": ");
		put_foreign(out, r->param[i].value, 100);
		text_putc(out, '\n');
	}
	if (i < r->n_params)
		text_printf(out, "  and %zu more\n", r->n_params - i);
}

static void put_environment(struct text *out, const struct report *r)
{
	_text_ struct text machine = {};

	text_printf(&machine, "%s", r->machine.name ? r->machine.name : "");
	if (r->machine.about)
		text_printf(&machine, ": %s", r->machine.about);
	if (r->machine.mode && strcmp(r->machine.mode, "host"))
		text_printf(&machine, " (virtual, %s)", r->machine.mode);
	put_line(out, "test", r->test);
	put_line(out, "machine", text_str(&machine));
	put_line(out, "kernel config", r->config);
	put_line(out, "compiler", r->compiler);
	if (r->n_params)
		text_puts(out, "parameters:\n");
	put_params(out, r);
}

static void put_reproduce(struct text *out, const struct report *r)
{
	if (!r->reproduce[0])
		return;
	text_puts(out, "\nTo reproduce:\n");
	for (size_t i = 0; i < COUNT(r->reproduce) && r->reproduce[i]; i++) {
		text_puts(out, "  ");
		put_foreign(out, r->reproduce[i], 200);
		text_putc(out, '\n');
	}
}

static void put_closes(struct text *out, const struct report *r, const char *indent)
{
	if (!r->message_id)
		return;
	text_printf(out, "%sCloses: %s%s", indent, r->archive ? r->archive : "mid:",
		    !r->archive || text_ends(r->archive, "/") ? "" : "/");
	put_foreign(out, r->message_id, 300);
	text_puts(out, r->archive ? "/\n" : "\n");
}

static void put_tags(struct text *out, const struct report *r, const char *indent)
{
	if (r->commit.posted) {
		text_puts(out, "\nThe patch is not merged, so its next version needs no tag.\n");
	} else {
		text_puts(out, "\nTags for a commit that fixes this:\n");
		text_printf(out, "%sFixes: ", indent);
		put_commit(out, r->commit.id, r->commit.subject, 200);
		text_printf(out, "\n%sReported-by: ", indent);
		put_foreign(out, r->robot, 200);
		text_putc(out, '\n');
		put_closes(out, r, indent);
	}
	if (r->regzbot)
		text_printf(out, "\n#regzbot introduced: %.40s\n", r->commit.id);
}

static void put_contact(struct text *out, const struct report *r)
{
	if (!r->contact)
		return;
	text_puts(out, "\nThis was measured and written by a program; a person answers at\n");
	put_foreign(out, r->contact, 200);
	text_puts(out, ", also if you want no such mails.\n");
}

static void put_folder(struct text *out, const struct report *r)
{
	if (!r->folder)
		return;
	text_puts(out, "\nFull table, job, config, environment and reproducer:\n  ");
	put_foreign(out, r->folder, 300);
	text_putc(out, '\n');
}

static void put_krobot(struct text *out, const struct report *r, size_t rows)
{
	bool whole = put_summary(out, r);

	text_putc(out, '\n');
	put_table(out, r, rows, true);
	text_putc(out, '\n');
	put_environment(out, r);
	put_line(out, "not shown", whole ? NULL : r->not_shown);
	put_reproduce(out, r);
	put_folder(out, r);
	put_tags(out, r, "  ");
	put_contact(out, r);
}

/* Axes with slashes between them: names, then values. */
static void put_axes(struct text *out, const struct report *r)
{
	for (int values = 0; values < 2; values++) {
		text_puts(out, values ? "  " : "");
		for (size_t i = 0; i < r->n_params && i < 20; i++) {
			put_foreign(out, values ? r->param[i].value : r->param[i].name, 31);
			text_putc(out, '/');
		}
		text_puts(out, values ? "" : "tbox_group/testcase:\n");
	}
	put_foreign(out, r->machine.name, 60);
	text_putc(out, '/');
	put_foreign(out, r->test, 60);
	text_putc(out, '\n');
}

static void put_lkp(struct text *out, const struct report *r, size_t rows)
{
	bool whole;

	text_puts(out, "Hello,\n\nfound a ");
	report_put_change(out, &r->headline);
	text_printf(out, " %s of ", report_word(&r->headline));
	put_foreign(out, r->headline.metric, 80);
	text_puts(out, " on:\n\n\ncommit: ");
	put_commit(out, r->commit.id, r->commit.subject, 100);
	text_putc(out, '\n');
	if (r->tree.url) {
		put_foreign(out, r->tree.url, 200);
		text_putc(out, ' ');
		put_foreign(out, r->tree.branch, 100);
		text_putc(out, '\n');
	}
	text_putc(out, '\n');
	whole = put_summary(out, r);
	text_putc(out, '\n');
	put_environment(out, r);
	put_line(out, "not shown", whole ? NULL : r->not_shown);
	put_tags(out, r, "| ");
	put_folder(out, r);
	put_reproduce(out, r);
	text_puts(out, "\n===================================================================="
		  "=====================\n");
	put_axes(out, r);
	text_printf(out, "\ncommit: \n  %.40s\n  %.40s\n\n", r->commit.parent, r->commit.id);
	put_table(out, r, rows, false);
	put_contact(out, r);
}

void report_put_body(struct text *out, const struct report *r, enum report_style style)
{
	for (size_t rows = REPORT_MAX_ROWS - 1;; rows--) {
		_text_ struct text body = {};

		if (style == REPORT_LKP)
			put_lkp(&body, r, rows);
		else
			put_krobot(&body, r, rows);
		if (body.len > REPORT_MAX_BYTES && rows)
			continue;
		text_put(out, body.p, body.len);
		return;
	}
}
