/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <inttypes.h>

#include "base/file.h"
#include "base/log.h"
#include "flow/boot.h"
#include "flow/import.h"
#include "run/result.h"

/* ---- Getting ready ---- */

static void show_progress(const char *what, unsigned int k, unsigned int n)
{
	log_progress(what, k, n);
}

int boots_prepare(const struct boots *b, const char *name, struct kernel *k, struct err *e)
{
	const struct kernel_source from = {
		.name = name, .cache = b->place->cache, .tree = b->o->tree,
		.configs = b->o->configs, .n_configs = b->o->n_configs, .progress = show_progress,
	};
	int r = kernel_prepare(k, &from, e);

	log_progress_end();
	if (r < 0)
		return err_in(e, "kernel %s", name);
	if (r == KERNEL_NO_BUILD)
		log_line("kernel %s does not build: %s (%s)", name, k->why, k->log);
	else
		log_line("kernel %s: %s", name, k->release);
	return r;
}

static int pick_mode(struct boots *b, struct err *e)
{
	if (!b->o->mode)
		return qemu_probe(&b->vm, b->place->cache, &b->vm.mode, e);
	b->vm.mode = qemu_mode_parse(b->o->mode);
	if (b->vm.mode == QEMU_MODES)
		return err_set(e, EINVAL, "'%s' is no mode: kvm, tcg, tcg-icount", b->o->mode);
	return 0;
}

static void use_kernel(struct boots *b, const struct kernel *k)
{
	b->vm.image = k->image;
	b->vm.release = k->release;
	b->vm.module = k->module;
	b->vm.n_modules = k->n_modules;
}

static int open_items(struct boots *b, struct err *e)
{
	const struct opt_list none = {};
	const struct job_host host = { .nr_cpu = b->o->cpus, .nr_node = b->o->nodes,
				       .memory = b->o->memory };
	const struct items_opts o = {
		.file = b->o->file, .n_files = b->o->n_files, .labels = &none, .set = b->o->set,
		.timeout_secs = b->o->timeout_secs, .host = &host,
	};
	size_t kept = 0;
	int r = items_open(&b->items, b->place, &o, e);

	if (r < 0)
		return r;
	for (size_t i = 0; i < b->items.n; i++) {
		struct item *it = &b->items.item[i];

		if (it->skip.len) {
			log_line("%s is skipped: %s", it->job->name, text_str(&it->skip));
			free(it->hash);
			text_release(&it->skip);
			continue;
		}
		b->items.item[kept++] = *it;
	}
	b->items.n = kept;
	return 0;
}

int boots_open(struct boots *b, const struct place *place, const struct boot_opts *o,
	       struct err *e)
{
	int r;

	*b = (struct boots){ .place = place, .o = o };
	b->agent = path_join(place->bin, "krobot-agent");
	b->vm = (struct qemu_vm){
		.agent = b->agent, .state = place->state,
		.shape = { .cpus = (unsigned int)o->cpus, .sockets = (unsigned int)o->sockets,
			   .nodes = (unsigned int)o->nodes, .memory_mib = o->memory >> 20 },
	};
	r = open_items(b, e);
	return r < 0 ? r : !b->items.n;
}

void boots_release(struct boots *b)
{
	items_release(&b->items);
	store_free(b->store);
	free(b->agent);
}

int boots_begin(struct boots *b, const struct kernel *k, struct err *e)
{
	int r;

	use_kernel(b, k);
	if ((r = pick_mode(b, e)) < 0 || (r = store_open(&b->store, b->place->db, e)) < 0)
		return r;
	log_line("boots in QEMU: %s, %u CPUs, %u sockets, %u nodes, %" PRIu64 " MiB",
		 qemu_mode_name(b->vm.mode), b->vm.shape.cpus, b->vm.shape.sockets,
		 b->vm.shape.nodes, b->vm.shape.memory_mib);
	return 0;
}

/* ---- One boot ---- */

static int make_folders(struct boots *b, const struct kernel *k, const char *label,
			char **dir, struct err *e)
{
	const struct item_kernel of = {
		.mode = qemu_mode_name(b->vm.mode), .label = label,
		.kernel = k->commit ? k->commit : k->release, .commit = k->commit,
		.config = k->id, .compiler = k->compiler,
	};

	for (size_t i = 0; i < b->items.n; i++) {
		int r = item_folder(&b->items, &b->items.item[i],
				    (size_t)b->attempts * b->items.n + i, &of, &dir[i], e);

		if (r < 0)
			return r;
	}
	return 0;
}

static int keep_runs(struct boots *b, char *const *dir, struct err *e)
{
	for (size_t i = 0; i < b->items.n; i++) {
		int r;

		if (result_is_complete(dir[i]) &&
		    (r = item_parse(&b->items, &b->items.item[i], dir[i], e)) < 0)
			return r;
		if ((r = import_folder(b->store, dir[i], true, NULL, e)) < 0)
			return r;
	}
	return 0;
}

/* What the boot's end means. */
static int weigh(const struct boots *b, const struct qemu_boot *boot, const char *label,
		 const char *dir)
{
	if (boot->end == QEMU_DONE)
		return BOOT_DONE;
	log_line("boot %u of %s: %s: %s (%s/" RESULT_CONSOLE ")", b->attempts, label,
		 qemu_end_name(boot->end), boot->why ? boot->why : "", dir);
	return boot->end == QEMU_MACHINERY ? BOOT_LOST : BOOT_REFUSED;
}

int boots_one(struct boots *b, const struct kernel *k, const char *label, struct err *e)
{
	_free_ struct qemu_run *runs = mem_zero(b->items.n, sizeof(*runs));
	_free_ char **dir = mem_zero(b->items.n, sizeof(*dir));
	_free_ char **plan = mem_zero(b->items.n, sizeof(*plan));
	_qemu_boot_ struct qemu_boot boot = {};
	int r;

	use_kernel(b, k);
	r = make_folders(b, k, label, dir, e);
	b->attempts++;
	for (size_t i = 0; i < b->items.n && r == 0; i++) {
		plan[i] = path_join(dir[i], RESULT_PLAN);
		runs[i] = (struct qemu_run){ plan[i], dir[i] };
	}
	if (r == 0)
		r = qemu_boot(&b->vm, runs, b->items.n, &boot, e);
	if (r == 0)
		r = keep_runs(b, dir, e);
	if (r == 0)
		r = weigh(b, &boot, label, dir[0]);
	for (size_t i = 0; i < b->items.n; i++) {
		free(dir[i]);
		free(plan[i]);
	}
	return r;
}
