/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "run/setting.h"
#include "run/swap.h"
#include "run/sysfile.h"

#define CPU "sys/devices/system/cpu/"
#define POLICY CPU "cpufreq/policy*/"
#define PER_CPU CPU "cpu*/cpufreq/"
#define PSTATE CPU "intel_pstate/"
#define THP "sys/kernel/mm/transparent_hugepage/"
#define KERNEL "proc/sys/kernel/"
#define VM "proc/sys/vm/"

/*
 * The first of the paths that is there counts.  A * stands for digits in one
 * folder's name, and then all that are there are meant.
 */
static const struct known {
	const char *key;
	enum setting_form form;
	const char *paths[2];
	const char *partner;
} known[] = {
	{ "cpufreq_governor", SETTING_PLAIN,
	  { POLICY "scaling_governor", PER_CPU "scaling_governor" } },
	{ "scaling_governor", SETTING_PLAIN,
	  { POLICY "scaling_governor", PER_CPU "scaling_governor" } },
	{ "scaling_max_freq", SETTING_PLAIN,
	  { POLICY "scaling_max_freq", PER_CPU "scaling_max_freq" } },
	{ "scaling_min_freq", SETTING_PLAIN,
	  { POLICY "scaling_min_freq", PER_CPU "scaling_min_freq" } },
	{ "epp", SETTING_PLAIN, { POLICY "energy_performance_preference",
				  PER_CPU "energy_performance_preference" } },
	{ "perf_policy", SETTING_PLAIN, { CPU "cpu*/power/energy_perf_bias" } },
	{ "turbo", SETTING_INVERTED, { PSTATE "no_turbo" } },
	{ "turbo", SETTING_SWITCH, { CPU "cpufreq/boost" } },
	{ "no_turbo", SETTING_SWITCH, { PSTATE "no_turbo" } },
	{ "max_perf_pct", SETTING_PLAIN, { PSTATE "max_perf_pct" } },
	{ "min_perf_pct", SETTING_PLAIN, { PSTATE "min_perf_pct" } },
	{ "smt", SETTING_PLAIN, { CPU "smt/control" } },
	{ "thp_enabled", SETTING_PLAIN, { THP "enabled" } },
	{ "thp_defrag", SETTING_PLAIN, { THP "defrag" } },
	{ "thp_shmem_enabled", SETTING_PLAIN, { THP "shmem_enabled" } },
	{ "shmem_enabled", SETTING_PLAIN, { THP "shmem_enabled" } },
	{ "enabled_64kB", SETTING_PLAIN, { THP "hugepages-64kB/enabled" } },
	{ "enabled_32kB", SETTING_PLAIN, { THP "hugepages-32kB/enabled" } },
	{ "enabled_16kB", SETTING_PLAIN, { THP "hugepages-16kB/enabled" } },
	{ "khugepaged_defrag", SETTING_SWITCH, { THP "khugepaged/defrag" } },
	{ "ksm", SETTING_SWITCH, { "sys/kernel/mm/ksm/run" } },
	{ "numa_demotion_enabled", SETTING_SWITCH, { "sys/kernel/mm/numa/demotion_enabled" } },
	{ "numa_balancing", SETTING_SWITCH, { KERNEL "numa_balancing" } },
	{ "numabalance.enable", SETTING_SWITCH, { KERNEL "numa_balancing" } },
	{ "nmi_watchdog", SETTING_SWITCH, { KERNEL "nmi_watchdog" } },
	{ "watchdog", SETTING_SWITCH, { KERNEL "watchdog" } },
	{ "aslr", SETTING_PLAIN, { KERNEL "randomize_va_space" } },
	{ "randomize_va_space", SETTING_PLAIN, { KERNEL "randomize_va_space" } },
	{ "sched_autogroup", SETTING_SWITCH, { KERNEL "sched_autogroup_enabled" } },
	{ "perf_event_paranoid", SETTING_PLAIN, { KERNEL "perf_event_paranoid" } },
	{ "perf_event_max_sample_rate", SETTING_PLAIN, { KERNEL "perf_event_max_sample_rate" } },
	{ "overcommit_memory", SETTING_PLAIN, { VM "overcommit_memory" } },
	{ "overcommit_ratio", SETTING_PLAIN, { VM "overcommit_ratio" }, VM "overcommit_kbytes" },
	{ "swappiness", SETTING_PLAIN, { VM "swappiness" } },
	{ "zone_reclaim_mode", SETTING_PLAIN, { VM "zone_reclaim_mode" } },
	{ "min_free_kbytes", SETTING_PLAIN, { VM "min_free_kbytes" } },
	{ "nr_hugepages", SETTING_PLAIN, { VM "nr_hugepages" } },
	{ "dirty_ratio", SETTING_PLAIN, { VM "dirty_ratio" }, VM "dirty_bytes" },
	{ "dirty_bytes", SETTING_PLAIN, { VM "dirty_bytes" }, VM "dirty_ratio" },
	{ "dirty_background_ratio", SETTING_PLAIN, { VM "dirty_background_ratio" },
	  VM "dirty_background_bytes" },
	{ "dirty_background_bytes", SETTING_PLAIN, { VM "dirty_background_bytes" },
	  VM "dirty_background_ratio" },
	{ "dirty_expire_centisecs", SETTING_PLAIN, { VM "dirty_expire_centisecs" } },
	{ "dirty_writeback_centisecs", SETTING_PLAIN, { VM "dirty_writeback_centisecs" } },
};

/* Where sysctls lie whose folder is not told. */
static const char *const sysctl_folders[] = {
	KERNEL, VM, "proc/sys/fs/", "proc/sys/net/core/", "proc/sys/net/ipv4/", "proc/sys/sunrpc/",
	"proc/sys/user/", "proc/sys/debug/", "proc/sys/abi/",
};

#define VALUE_MAX 65536

bool setting_path_is_safe(const char *path, size_t n)
{
	_free_ char *copy = text_format("/%.*s/", (int)n, path);

	return swap_is_name(path) ||
	       ((text_starts(copy, "/sys/") || text_starts(copy, "/proc/sys/")) &&
		!strstr(copy, "/../") && !strstr(copy, "//") && !strstr(copy, "/./"));
}

static bool is_there(int root, const char *path)
{
	return faccessat(root, path, F_OK, 0) == 0;
}

static void add(struct setting **v, int *n, const char *path, enum setting_form form,
		const char *partner)
{
	GROW(*v, (size_t)*n);
	(*v)[(*n)++] = (struct setting){ text_copy(path), form, text_copy(partner) };
}

struct finding {
	struct setting **v;
	int *n;
	enum setting_form form;
	const char *partner;
};

static void add_found(const char *path, void *arg)
{
	const struct finding *f = arg;

	add(f->v, f->n, path, f->form, f->partner);
}

static void add_known(int root, struct setting **v, int *n, const struct known *k)
{
	struct finding f = { v, n, k->form, NULL };

	if (k->partner && is_there(root, k->partner))
		f.partner = k->partner;
	for (size_t i = 0; i < COUNT(k->paths) && k->paths[i] && !*n; i++)
		sysfile_each(root, k->paths[i], add_found, &f);
}

/* True if the table knows the key, whether this machine has it or not. */
static bool find_known(int root, const char *key, struct setting **v, int *n)
{
	bool found = false;

	for (size_t i = 0; i < COUNT(known); i++)
		if (!strcmp(key, known[i].key)) {
			found = true;
			if (!*n)
				add_known(root, v, n, &known[i]);
		}
	return found;
}

/* The table's row for a file, so that its partner is known however it was named. */
static void add_path(int root, const char *path, struct setting **v, int *n)
{
	const char *partner = NULL;

	for (size_t i = 0; i < COUNT(known); i++)
		if (known[i].partner && !strcmp(known[i].paths[0], path))
			partner = known[i].partner;
	if (is_there(root, path))
		add(v, n, path, SETTING_PLAIN, partner && is_there(root, partner) ? partner : NULL);
}

static int find_below(int root, const char *folder, const char *name, struct setting **v, int *n,
		      struct err *e)
{
	_free_ char *path = text_format("%s%s", folder, name);

	if (!setting_path_is_safe(path, strlen(path)))
		return err_set(e, EINVAL, "'%s' is not the name of a file below /%s", name, folder);
	add_path(root, path, v, n);
	return *n;
}

/* sysctl.vm.swappiness; sysctl.vm/swappiness too. */
static int find_sysctl(int root, const char *name, struct setting **v, int *n, struct err *e)
{
	_free_ char *path = text_copy(name);

	for (char *p = path; *p; p++)
		if (*p == '.')
			*p = '/';
	return find_below(root, "proc/sys/", path, v, n, e);
}

/* One for each area that is in use: what is not in use cannot be found. */
static int find_swaps(int root, struct setting **v, int *n)
{
	_text_ struct text names = {};
	char *save = NULL;

	swap_list(root, &names);
	for (char *name = names.len ? strtok_r(names.p, "\n", &save) : NULL; name;
	     name = strtok_r(NULL, "\n", &save))
		add(v, n, name, SETTING_SWITCH, NULL);
	return *n;
}

static int find_short_sysctl(int root, const char *name, struct setting **v, int *n,
			     struct err *e)
{
	if (strchr(name, '/'))
		return err_set(e, EINVAL, "'%s' is not the name of a sysctl", name);
	for (size_t i = 0; i < COUNT(sysctl_folders) && !*n; i++) {
		_free_ char *path = text_format("%s%s", sysctl_folders[i], name);

		add_path(root, path, v, n);
	}
	return *n;
}

bool setting_is_known(const char *key)
{
	static const char *const families[] = { "sc_", "sysctl.", "transparent_hugepage.", "/sys/",
						"/proc/sys/" };
	const char *dot = strchr(key, '.');

	for (size_t i = 0; i < COUNT(families); i++)
		if (text_starts(key, families[i]))
			return true;
	for (size_t i = 0; i < COUNT(known); i++)
		if (!strcmp(key, known[i].key) || (dot && !strcmp(dot + 1, known[i].key)))
			return true;
	return !strcmp(key, "swap");
}

int setting_find(int root, const char *key, struct setting **out, struct err *e)
{
	const char *dot = strchr(key, '.');
	int n = 0;

	*out = NULL;
	if (*key == '/') {
		if (!setting_path_is_safe(key + 1, strlen(key + 1)))
			return err_set(e, EINVAL, "'%s' is not below /sys or /proc/sys", key);
		add_path(root, key + 1, out, &n);
		return n;
	}
	if (!strcmp(key, "swap"))
		return find_swaps(root, out, &n);
	if (find_known(root, key, out, &n))
		return n;
	if (dot && text_starts(dot + 1, "sc_"))
		return find_short_sysctl(root, dot + 1 + strlen("sc_"), out, &n, e);
	if (text_starts(key, "sc_"))
		return find_short_sysctl(root, key + strlen("sc_"), out, &n, e);
	if (text_starts(key, "sysctl."))
		return find_sysctl(root, key + strlen("sysctl."), out, &n, e);
	if (dot && find_known(root, dot + 1, out, &n))
		return n;
	if (text_starts(key, "transparent_hugepage."))
		return find_below(root, THP, dot + 1, out, &n, e);
	return err_set(e, EINVAL, "unknown setting '%s'", key);
}

char *setting_value(const struct setting *s, const char *value)
{
	static const char *const on[] = { "1", "on", "yes", "true", "enable", "enabled" };
	static const char *const off[] = { "0", "off", "no", "false", "disable", "disabled" };

	for (size_t i = 0; s->form != SETTING_PLAIN && i < COUNT(on); i++) {
		if (!strcasecmp(value, on[i]))
			return text_copy(s->form == SETTING_SWITCH ? "1" : "0");
		if (!strcasecmp(value, off[i]))
			return text_copy(s->form == SETTING_SWITCH ? "0" : "1");
	}
	return text_copy(value);
}

/* Blanks made one, and none at the ends. */
static char *normal(const char *s, size_t n)
{
	_text_ struct text t = {};

	for (size_t i = 0; i < n; i++) {
		if (!isspace((unsigned char)s[i]))
			text_putc(&t, s[i]);
		else if (t.len && t.p[t.len - 1] != ' ')
			text_putc(&t, ' ');
	}
	if (t.len && t.p[t.len - 1] == ' ')
		t.p[--t.len] = '\0';
	return text_steal(&t);
}

static int read_value(int root, const char *path, char **out, struct err *e)
{
	_text_ struct text t = {};
	const char *open, *close;

	if (swap_is_name(path)) {
		*out = text_copy(swap_is_on(root, path) ? "1" : "0");
		return 0;
	}
	if (file_read(root, path, VALUE_MAX, &t, e) < 0)
		return -e->code;
	open = strchr(text_str(&t), '[');
	close = open ? strchr(open, ']') : NULL;
	*out = close ? normal(open + 1, (size_t)(close - open - 1)) : normal(text_str(&t), t.len);
	return 0;
}

int setting_read_active(int root, const struct setting *s, char **path, char **value,
			struct err *e)
{
	if (read_value(root, s->path, value, e) < 0)
		return -e->code;
	if (!s->partner || strcmp(*value, "0")) {
		*path = text_copy(s->path);
		return 0;
	}
	free(steal(*value));
	*path = text_copy(s->partner);
	return read_value(root, s->partner, value, e);
}

static int put(int root, const char *path, const char *value, struct err *e)
{
	_close_ int fd = openat(root, path, O_WRONLY | O_TRUNC | O_CLOEXEC);
	_free_ char *line = text_format("%s\n", value);

	if (fd < 0)
		return err_sys(e, "/%s", path);
	if (write(fd, line, strlen(line)) < 0)
		return err_sys(e, "/%s cannot be set to '%s'", path, value);
	return 0;
}

/* 1 if it reads as wanted. */
static int compare(int root, const char *path, const char *want, char **got, struct err *e)
{
	if (read_value(root, path, got, e) < 0)
		return -e->code;
	return !strcmp(*got, want);
}

int setting_write(int root, const char *path, const char *value, struct err *e)
{
	_free_ char *before = NULL, *after = NULL, *want = normal(value, strlen(value));
	int same;

	if (swap_is_name(path))
		return swap_set(root, path, !strcmp(want, "1"), e);
	same = compare(root, path, want, &before, e);
	if (same)
		return same < 0 ? same : 0;
	if (put(root, path, value, e) < 0)
		return -e->code;
	same = compare(root, path, want, &after, e);
	if (same < 0)
		return same;
	return same ? 0 : err_set(e, EIO, "/%s was set to '%s' but is '%s'", path, want, after);
}

void setting_release(struct setting *s)
{
	free(s->path);
	free(s->partner);
	*s = (struct setting){};
}
