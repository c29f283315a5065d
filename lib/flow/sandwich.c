/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>

#include "base/file.h"
#include "base/log.h"
#include "base/record.h"
#include "flow/boot.h"
#include "flow/compare.h"
#include "flow/sandwich.h"
#include "judge/verdict.h"

#define BOOTS_MAX	20	/* a side, while the judge is unsure */
#define RETRIES_MAX	5	/* boots in all that the machinery may lose */
#define REFUSALS_MAX	2	/* boots in a row that a kernel may fail: then it does not boot */

struct sandwich {
	const struct place *place;
	const struct sandwich_opts *o;
	struct boots boots;
	struct kernel kernel[2];
	char *note;			/* path of the session's record */
	const char **labels;		/* of the two sides */
	unsigned int done;		/* boots that count */
	unsigned int lost;		/* by the machinery */
	unsigned int refused[2];	/* in a row, by this kernel */
};

static void sandwich_release(struct sandwich *s)
{
	kernel_release(&s->kernel[0]);
	kernel_release(&s->kernel[1]);
	boots_release(&s->boots);
	free(s->note);
}

/* ---- The session's note: which boots were made before a kill ---- */

static char *note_path(const struct sandwich *s)
{
	uint64_t hash = 14695981039346656037ULL;	/* FNV-1a (Fowler, Noll, Vo 1991) */
	const struct qemu_shape *shape = &s->boots.vm.shape;
	_text_ struct text t = {};

	text_printf(&t, "%s\n%s\n%s\n%u %u %u %" PRIu64 " %" PRIu64 "\n", s->kernel[0].id,
		    s->kernel[1].id, qemu_mode_name(s->boots.vm.mode), shape->cpus, shape->sockets,
		    shape->nodes, shape->memory_mib, s->o->boots);
	for (size_t i = 0; i < s->boots.items.n; i++)
		text_printf(&t, "%s %s\n", s->boots.items.item[i].job->canonical,
			    s->boots.items.item[i].hash ? s->boots.items.item[i].hash : "");
	for (size_t i = 0; i < t.len; i++)
		hash = (hash ^ (unsigned char)t.p[i]) * 1099511628211ULL;
	return text_format("%s/tests/%016" PRIx64, s->place->state, hash);
}

/* Counts what an earlier start of the same session has in the store. */
static int count_done(struct sandwich *s, struct err *e)
{
	struct store_filter f = { .session = s->boots.items.session };
	_store_rows_ struct store_rows rows = {};
	size_t whole = 0;
	int r = store_runs(s->boots.store, &f, &rows, e);

	if (r < 0)
		return r;
	for (size_t i = 0; i < rows.n; i++) {
		unsigned int attempt = (unsigned int)((size_t)rows.row[i].position / s->boots.items.n);

		whole += strcmp(rows.row[i].state, "lost") != 0;
		if (attempt + 1 > s->boots.attempts)
			s->boots.attempts = attempt + 1;
	}
	s->done = (unsigned int)(whole / s->boots.items.n);
	return 0;
}

static int note_open(struct sandwich *s, struct err *e)
{
	_record_ struct record r = {};
	_free_ char *folder = NULL;
	int k;

	s->note = note_path(s);
	folder = path_folder(s->note);
	if ((k = dir_make(folder, e)) < 0)
		return k;
	if (access(s->note, R_OK) == 0) {
		if ((k = record_read(&r, AT_FDCWD, s->note, e)) < 0)
			return k;
		if (record_get(&r, "session")) {
			free(s->boots.items.session);
			s->boots.items.session = text_copy(record_get(&r, "session"));
			if ((k = count_done(s, e)) < 0)
				return k;
			log_line("going on with session %s: %u boots are there", s->boots.items.session,
				 s->done);
			return 0;
		}
	}
	record_add(&r, "session", s->boots.items.session);
	return record_write(&r, AT_FDCWD, s->note, e);
}

/* ---- Getting ready ---- */

/*
 * A release says more than a package's name, if it tells the two apart.  The same
 * kernel on both sides is a test of the machine: its labels must differ.
 */
static void name_sides(struct sandwich *s)
{
	bool releases = strcmp(s->kernel[0].release, s->kernel[1].release) != 0;

	for (int side = 0; side < 2; side++)
		s->labels[side] = releases ? s->kernel[side].release : s->o->kernel[side];
	if (!strcmp(s->labels[0], s->labels[1]))
		s->labels[1] = "the same again";
}

static int sandwich_open(struct sandwich *s, struct err *e)
{
	int r = boots_open(&s->boots, s->place, &s->o->boot, e);

	if (r)
		return r < 0 ? r : KERNEL_NO_BUILD;
	for (int side = 0; side < 2; side++)
		if ((r = boots_prepare(&s->boots, s->o->kernel[side], &s->kernel[side],
				       e)) != KERNEL_READY)
			return r;
	name_sides(s);
	if ((r = boots_begin(&s->boots, &s->kernel[0], e)) < 0)
		return r;
	return note_open(s, e);
}

/* ---- One boot ---- */

/* 0 it counts, 1 again, 2 the kernel cannot be tested. */
static int one_boot(struct sandwich *s, int side, struct err *e)
{
	int r = boots_one(&s->boots, &s->kernel[side], s->labels[side], e);

	if (r < 0)
		return r;
	if (r == BOOT_LOST)
		return ++s->lost > RETRIES_MAX ? 2 : 1;
	if (r == BOOT_REFUSED)
		return ++s->refused[side] >= REFUSALS_MAX ? 2 : 1;
	s->refused[side] = 0;
	s->done++;
	return 0;
}

/* ---- The whole ---- */

static int judge(struct sandwich *s, bool final, unsigned int *next, struct err *e)
{
	const struct compare_opts o = {
		.column = s->labels, .n_columns = 2, .session = s->boots.items.session,
		.json = s->o->json, .boots_next = next,
	};
	_text_ struct text out = {};
	int r = compare_stored(s->place, &o, &out, e);

	if (r >= 0 && final)
		fputs(text_str(&out), stdout);
	return r;
}

/* How many boots in all the session shall have, as far as is known now. */
static int boots_wanted(struct sandwich *s, unsigned int *wanted, struct err *e)
{
	unsigned int next = 0;
	int r;

	if (s->o->boots) {
		*wanted = 2 * (unsigned int)s->o->boots;
		return 0;
	}
	*wanted = 2 * VERDICT_FIRST;
	if (s->done < *wanted)
		return 0;
	if ((r = judge(s, false, &next, e)) < 0)
		return r;
	*wanted = s->done + 2 * next;
	if (*wanted > 2 * BOOTS_MAX)
		*wanted = 2 * BOOTS_MAX;
	return 0;
}

static int make_boots(struct sandwich *s, struct err *e)
{
	unsigned int wanted;
	int r;

	while ((r = boots_wanted(s, &wanted, e)) == 0 && s->done < wanted) {
		while (s->done < wanted) {
			int side = verdict_order(s->done);

			log_progress("boots", s->done, wanted);
			if ((r = one_boot(s, side, e)) < 0)
				return r;
			if (r == 2) {
				log_progress_end();
				log_line("kernel %s could not be tested", s->labels[side]);
				return SANDWICH_UNTESTABLE;
			}
		}
	}
	log_progress_end();
	return r < 0 ? r : SANDWICH_SAME;
}

int sandwich_run(const struct place *place, const struct sandwich_opts *o, struct err *e)
{
	const char *labels[2] = {};
	_cleanup_(sandwich_release) struct sandwich s = {
		.place = place, .o = o, .labels = labels, .kernel = { KERNEL_NONE, KERNEL_NONE },
	};
	int r;

	if ((r = sandwich_open(&s, e)) < 0)
		return r;
	if (r == KERNEL_NO_BUILD)
		return SANDWICH_UNTESTABLE;
	if ((r = make_boots(&s, e)) != SANDWICH_SAME)
		return r;
	if (s.lost)
		log_line("%u boots were lost by the machinery and repeated", s.lost);
	r = judge(&s, true, NULL, e);
	if (r >= 0)
		unlink(s.note);
	return r < 0 ? r : r == COMPARE_WORSE ? SANDWICH_WORSE :
	       r == COMPARE_NOTHING ? SANDWICH_UNTESTABLE : SANDWICH_SAME;
}
