/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>
#include <zlib.h>

#include "base/file.h"
#include "base/value.h"
#include "job/host.h"
#include "job/node.h"

#define KCONFIG_MAX (4U << 20)

/* The file's text below @root; empty when there is none. */
static void slurp(const char *root, const char *path, size_t max, struct text *out)
{
	_free_ char *full = text_format("%s%s", root, path);
	struct err e = {};

	if (file_read(AT_FDCWD, full, max, out, &e) < 0)
		text_release(out);
}

/* Kernels with IKCONFIG_PROC keep their configuration in memory. */
static void slurp_gz(const char *root, const char *path, size_t max, struct text *out)
{
	_free_ char *full = text_format("%s%s", root, path);
	gzFile f = gzopen(full, "rbe");
	char buf[16384];
	int n;

	if (!f)
		return;
	while (out->len < max && (n = gzread(f, buf, sizeof(buf))) > 0)
		text_put(out, buf, (size_t)n);
	gzclose(f);
}

/* How many numbers "0-3,8,10-11" has; 0 for something else. */
static uint64_t list_count(const char *s)
{
	uint64_t all = 0;

	while (isdigit((unsigned char)*s)) {
		char *end;
		unsigned long from = strtoul(s, &end, 10), to = from;

		if (*end == '-')
			to = strtoul(end + 1, &end, 10);
		if (to < from || to - from > 1U << 20)
			return 0;
		all += to - from + 1;
		s = end + (*end == ',');
	}
	return all;
}

static uint64_t mem_total(const char *meminfo)
{
	const char *at = strstr(meminfo, "MemTotal:");

	return at ? strtoull(at + strlen("MemTotal:"), NULL, 10) << 10 : 0;
}

static char *whole_gib(uint64_t bytes)
{
	return text_format("%lluG", (unsigned long long)((bytes + (1ULL << 29)) >> 30));
}

int job_host_here(struct job_host *h, const char *root, struct err *e)
{
	_text_ struct text cpus = {}, nodes = {}, mem = {}, info = {}, release = {}, config = {};
	_free_ char *config_path = NULL;
	struct utsname u;

	*h = (struct job_host){ .name = text_copy("localhost") };
	slurp(root, "/sys/devices/system/cpu/online", 4096, &cpus);
	slurp(root, "/sys/devices/system/node/online", 4096, &nodes);
	slurp(root, "/proc/meminfo", 65536, &mem);
	slurp(root, "/proc/cpuinfo", 16U << 20, &info);
	slurp(root, "/proc/sys/kernel/osrelease", 4096, &release);
	h->nr_cpu = list_count(text_str(&cpus));
	h->nr_node = list_count(text_str(&nodes));
	if (!h->nr_cpu && !*root)
		h->nr_cpu = (uint64_t)sysconf(_SC_NPROCESSORS_ONLN);
	if (!h->nr_node)
		h->nr_node = 1;		/* a kernel without NUMA has no such file */
	h->memory = mem_total(text_str(&mem));
	if (!h->nr_cpu || !h->memory)
		return err_set(e, ENOENT, "%s/proc and %s/sys do not say how many CPUs and how "
			       "much memory there are", root, root);
	h->memory_text = whole_gib(h->memory);
	h->arch = text_copy(uname(&u) == 0 ? u.machine : "unknown");
	if (release.len)
		h->kernel = text_format("%.*s", (int)strcspn(release.p, "\n"), release.p);
	h->virtual = strstr(text_str(&info), " hypervisor") != NULL;
	h->root = geteuid() == 0;
	config_path = text_format("/boot/config-%s", h->kernel ? h->kernel : "none");
	slurp(root, config_path, KCONFIG_MAX, &config);
	if (!config.len)
		slurp_gz(root, "/proc/config.gz", KCONFIG_MAX, &config);
	if (config.len)
		h->kconfig = text_steal(&config);
	return 0;
}

static int number_read(const struct node *map, const char *key, uint64_t *out, struct err *e)
{
	const struct node *n = node_get(map, key);

	if (!n || n->kind == NODE_NULL)
		return 0;
	if (!node_scalar(n))
		return node_err(&n->at, e, "'%s' is one number", key);
	if (value_count(n->text, out, e) < 0)
		return err_in(e, "%s:%u:%u", n->at.file, n->at.line, n->at.column);
	return 0;
}

static int memory_read(struct job_host *h, const struct node *map, struct err *e)
{
	const struct node *n = node_get(map, "memory");

	if (!n || !node_scalar(n) || n->kind == NODE_NULL)
		return 0;
	if (value_size(n->text, &h->memory, e) < 0)
		return err_in(e, "%s:%u:%u", n->at.file, n->at.line, n->at.column);
	h->memory_text = text_copy(n->text);
	return 0;
}

static void extra_add(struct job_host *h, const char *key, const char *value)
{
	if (h->n_extra < JOB_HOST_EXTRA) {
		h->extra[h->n_extra].key = text_copy(key);
		h->extra[h->n_extra++].value = text_copy(value);
	}
}

int job_host_read(struct job_host *h, const char *path, struct err *e)
{
	static const char *const known[] = { "nr_cpu", "nr_node", "memory", "arch" };
	_arena_ struct arena a = {};
	const char *arch;
	struct node *map;

	*h = (struct job_host){ .name = text_copy(path_base(path)), .nr_node = 1 };
	if (node_load_file(&a, path, &map, e) < 0)
		return -e->code;
	if (map->kind != NODE_MAP)
		return node_err(&map->at, e, "a host is lines of 'key: value'");
	if (number_read(map, "nr_cpu", &h->nr_cpu, e) < 0 ||
	    number_read(map, "nr_node", &h->nr_node, e) < 0 || memory_read(h, map, e) < 0)
		return -e->code;
	if (!h->nr_cpu)
		return node_err(&map->at, e, "a host has an 'nr_cpu'");
	arch = node_text_of(map, "arch");
	h->arch = text_copy(arch ? arch : "x86_64");
	for (size_t i = 0; i < map->n; i++) {
		const struct node_item *item = &map->item[i];
		bool other = node_scalar(item->value) && item->value->text;

		for (size_t k = 0; k < COUNT(known); k++)
			other = other && strcmp(item->key, known[k]) != 0;
		if (other)
			extra_add(h, item->key, item->value->text);
	}
	return 0;
}

void job_host_release(struct job_host *h)
{
	free(h->name);
	free(h->memory_text);
	free(h->arch);
	free(h->kernel);
	free(h->kconfig);
	for (size_t i = 0; i < h->n_extra; i++) {
		free(h->extra[i].key);
		free(h->extra[i].value);
	}
	*h = (struct job_host){};
}
