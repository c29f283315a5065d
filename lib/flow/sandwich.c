/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>

#include "base/file.h"
#include "base/log.h"
#include "base/record.h"
#include "flow/compare.h"
#include "flow/import.h"
#include "flow/item.h"
#include "flow/sandwich.h"
#include "judge/verdict.h"
#include "kernel/kernel.h"
#include "run/result.h"
#include "target/qemu.h"

#define BOOTS_MAX	20	/* a side, while the judge is unsure */
#define RETRIES_MAX	5	/* boots in all that the machinery may lose */
#define REFUSALS_MAX	2	/* boots in a row that a kernel may fail: then it does not boot */

struct sandwich {
	const struct place *place;
	const struct sandwich_opts *o;
	struct items items;
	struct kernel kernel[2];
	struct store *store;
	struct qemu_vm vm;
	char *agent, *note;		/* note: path of the session's record */
	const char **labels;		/* of the two sides */
	unsigned int done, attempts;	/* boots that count, boots that were started */
	unsigned int lost;		/* by the machinery */
	unsigned int refused[2];	/* in a row, by this kernel */
};

static void sandwich_release(struct sandwich *s)
{
	items_release(&s->items);
	kernel_release(&s->kernel[0]);
	kernel_release(&s->kernel[1]);
	store_free(s->store);
	free(s->agent);
	free(s->note);
}

/* ---- The session's note: which boots were made before a kill ---- */

static char *note_path(const struct sandwich *s)
{
	uint64_t hash = 14695981039346656037ULL;	/* FNV-1a (Fowler, Noll, Vo 1991) */
	_text_ struct text t = {};

	text_printf(&t, "%s\n%s\n%s\n%u %u %u %" PRIu64 " %" PRIu64 "\n", s->kernel[0].id,
		    s->kernel[1].id, qemu_mode_name(s->vm.mode), s->vm.shape.cpus,
		    s->vm.shape.sockets, s->vm.shape.nodes, s->vm.shape.memory_mib, s->o->boots);
	for (size_t i = 0; i < s->items.n; i++)
		text_printf(&t, "%s %s\n", s->items.item[i].job->canonical,
			    s->items.item[i].hash ? s->items.item[i].hash : "");
	for (size_t i = 0; i < t.len; i++)
		hash = (hash ^ (unsigned char)t.p[i]) * 1099511628211ULL;
	return text_format("%s/tests/%016" PRIx64, s->place->state, hash);
}

/* Counts what an earlier start of the same session has in the store. */
static int count_done(struct sandwich *s, struct err *e)
{
	struct store_filter f = { .session = s->items.session };
	_store_rows_ struct store_rows rows = {};
	size_t whole = 0;
	int r = store_runs(s->store, &f, &rows, e);

	if (r < 0)
		return r;
	for (size_t i = 0; i < rows.n; i++) {
		unsigned int attempt = (unsigned int)((size_t)rows.row[i].position / s->items.n);

		whole += strcmp(rows.row[i].state, "lost") != 0;
		if (attempt + 1 > s->attempts)
			s->attempts = attempt + 1;
	}
	s->done = (unsigned int)(whole / s->items.n);
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
			free(s->items.session);
			s->items.session = text_copy(record_get(&r, "session"));
			if ((k = count_done(s, e)) < 0)
				return k;
			log_line("going on with session %s: %u boots are there", s->items.session,
				 s->done);
			return 0;
		}
	}
	record_add(&r, "session", s->items.session);
	return record_write(&r, AT_FDCWD, s->note, e);
}

/* ---- Getting ready ---- */

static void show_progress(const char *what, unsigned int k, unsigned int n)
{
	log_progress(what, k, n);
}

static int prepare_kernel(struct sandwich *s, int side, struct err *e)
{
	const struct kernel_source from = {
		.name = s->o->kernel[side], .cache = s->place->cache, .tree = s->o->tree,
		.configs = s->o->configs, .n_configs = s->o->n_configs, .progress = show_progress,
	};
	struct kernel *k = &s->kernel[side];
	int r = kernel_prepare(k, &from, e);

	log_progress_end();
	if (r < 0)
		return err_in(e, "kernel %s", s->o->kernel[side]);
	if (r == KERNEL_NO_BUILD)
		log_line("kernel %s does not build: %s (%s)", s->o->kernel[side], k->why, k->log);
	else
		log_line("kernel %s: %s", s->o->kernel[side], k->release);
	return r;
}

static int pick_mode(struct sandwich *s, struct err *e)
{
	if (!s->o->mode)
		return qemu_probe(&s->vm, s->place->cache, &s->vm.mode, e);
	s->vm.mode = qemu_mode_parse(s->o->mode);
	if (s->vm.mode == QEMU_MODES)
		return err_set(e, EINVAL, "'%s' is no mode: kvm, tcg, tcg-icount", s->o->mode);
	return 0;
}

static void use_kernel(struct sandwich *s, int side)
{
	s->vm.image = s->kernel[side].image;
	s->vm.release = s->kernel[side].release;
	s->vm.module = s->kernel[side].module;
	s->vm.n_modules = s->kernel[side].n_modules;
}

static int open_items(struct sandwich *s, struct err *e)
{
	const struct opt_list none = {};
	const struct job_host host = { .nr_cpu = s->o->cpus, .nr_node = s->o->nodes,
				       .memory = s->o->memory };
	const struct items_opts o = {
		.file = s->o->file, .n_files = s->o->n_files, .labels = &none, .set = s->o->set,
		.timeout_secs = s->o->timeout_secs, .host = &host,
	};
	size_t kept = 0;
	int r = items_open(&s->items, s->place, &o, e);

	if (r < 0)
		return r;
	for (size_t i = 0; i < s->items.n; i++) {
		struct item *it = &s->items.item[i];

		if (it->skip.len) {
			log_line("%s is skipped: %s", it->job->name, text_str(&it->skip));
			free(it->hash);
			text_release(&it->skip);
			continue;
		}
		s->items.item[kept++] = *it;
	}
	s->items.n = kept;
	return 0;
}

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
	int r;

	s->agent = path_join(s->place->bin, "krobot-agent");
	s->vm = (struct qemu_vm){
		.agent = s->agent, .state = s->place->state,
		.shape = { .cpus = (unsigned int)s->o->cpus, .sockets = (unsigned int)s->o->sockets,
			   .nodes = (unsigned int)s->o->nodes, .memory_mib = s->o->memory >> 20 },
	};
	if ((r = open_items(s, e)) < 0 || !s->items.n)
		return r < 0 ? r : KERNEL_NO_BUILD;
	for (int side = 0; side < 2; side++)
		if ((r = prepare_kernel(s, side, e)) != KERNEL_READY)
			return r;
	name_sides(s);
	use_kernel(s, 0);
	if ((r = pick_mode(s, e)) < 0 || (r = store_open(&s->store, s->place->db, e)) < 0)
		return r;
	log_line("boots in QEMU: %s, %u CPUs, %u sockets, %u nodes, %" PRIu64 " MiB",
		 qemu_mode_name(s->vm.mode), s->vm.shape.cpus, s->vm.shape.sockets,
		 s->vm.shape.nodes, s->vm.shape.memory_mib);
	return note_open(s, e);
}

/* ---- One boot ---- */

static int make_folders(struct sandwich *s, int side, char **dir, struct err *e)
{
	const struct kernel *k = &s->kernel[side];
	const struct item_kernel of = {
		.mode = qemu_mode_name(s->vm.mode), .label = s->labels[side],
		.kernel = k->commit ? k->commit : k->release, .commit = k->commit,
		.config = k->id, .compiler = k->compiler,
	};

	for (size_t i = 0; i < s->items.n; i++) {
		int r = item_folder(&s->items, &s->items.item[i],
				    (size_t)s->attempts * s->items.n + i, &of, &dir[i], e);

		if (r < 0)
			return r;
	}
	return 0;
}

static int keep_runs(struct sandwich *s, char *const *dir, struct err *e)
{
	for (size_t i = 0; i < s->items.n; i++) {
		int r;

		if (result_is_complete(dir[i]) &&
		    (r = item_parse(&s->items, &s->items.item[i], dir[i], e)) < 0)
			return r;
		if ((r = import_folder(s->store, dir[i], true, NULL, e)) < 0)
			return r;
	}
	return 0;
}

/* What the boot's end means: 0 it counts, 1 again, 2 the kernel does not boot. */
static int weigh(struct sandwich *s, int side, const struct qemu_boot *b, const char *dir)
{
	if (b->end == QEMU_DONE) {
		s->refused[side] = 0;
		s->done++;
		return 0;
	}
	log_line("boot %u of %s: %s: %s (%s/" RESULT_CONSOLE ")", s->attempts, s->labels[side],
		 qemu_end_name(b->end), b->why ? b->why : "", dir);
	if (b->end == QEMU_MACHINERY)
		return ++s->lost > RETRIES_MAX ? 2 : 1;
	return ++s->refused[side] >= REFUSALS_MAX ? 2 : 1;
}

static int one_boot(struct sandwich *s, int side, struct err *e)
{
	_free_ struct qemu_run *runs = mem_zero(s->items.n, sizeof(*runs));
	_free_ char **dir = mem_zero(s->items.n, sizeof(*dir));
	_free_ char **plan = mem_zero(s->items.n, sizeof(*plan));
	_qemu_boot_ struct qemu_boot b = {};
	int r;

	use_kernel(s, side);
	r = make_folders(s, side, dir, e);
	s->attempts++;
	for (size_t i = 0; i < s->items.n && r == 0; i++) {
		plan[i] = path_join(dir[i], RESULT_PLAN);
		runs[i] = (struct qemu_run){ plan[i], dir[i] };
	}
	if (r == 0)
		r = qemu_boot(&s->vm, runs, s->items.n, &b, e);
	if (r == 0)
		r = keep_runs(s, dir, e);
	if (r == 0)
		r = weigh(s, side, &b, dir[0]);
	for (size_t i = 0; i < s->items.n; i++) {
		free(dir[i]);
		free(plan[i]);
	}
	return r;
}

/* ---- The whole ---- */

static int judge(struct sandwich *s, bool final, unsigned int *next, struct err *e)
{
	const struct compare_opts o = {
		.column = s->labels, .n_columns = 2, .session = s->items.session,
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
