/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/text.h"
#include "run/tree.h"

#define KILL_NS		(10ULL * 1000000000)
#define ENVIRON_MAX	(4U << 20)

struct process {
	pid_t pid, parent;
	bool zombie, below;
};

struct processes {
	struct process *v;
	size_t n;
};

int tree_adopt(struct err *e)
{
	if (prctl(PR_SET_CHILD_SUBREAPER, 1) < 0)
		return err_sys(e, "adopting orphans");
	return 0;
}

/* Calls @fn for each process in /proc. */
static void each_process(void (*fn)(pid_t pid, void *arg), void *arg)
{
	DIR *list = opendir("/proc");
	struct dirent *d;

	if (!list)
		return;
	while ((d = readdir(list))) {
		char *end;
		long pid = strtol(d->d_name, &end, 10);

		if (end != d->d_name && !*end && pid > 0)
			fn((pid_t)pid, arg);
	}
	closedir(list);
}

/* The command's name in the second field may hold anything, also ')'. */
static void add_process(pid_t pid, void *arg)
{
	_free_ char *path = text_format("/proc/%d/stat", (int)pid);
	_text_ struct text t = {};
	struct processes *all = arg;
	struct err ignored;
	const char *close;
	char state;
	int parent;

	if (file_read(AT_FDCWD, path, 65536, &t, &ignored) < 0)
		return;
	close = strrchr(text_str(&t), ')');
	if (!close || sscanf(close, ") %c %d", &state, &parent) != 2)
		return;
	GROW(all->v, all->n);
	all->v[all->n++] = (struct process){ pid, parent, state == 'Z' || state == 'X', false };
}

static int by_pid(const void *a, const void *b)
{
	const struct process *p = a, *q = b;

	return (p->pid > q->pid) - (p->pid < q->pid);
}

static bool is_below(const struct processes *all, pid_t parent, pid_t top)
{
	/* A chain longer than the number of processes was read while it changed. */
	for (size_t step = 0; step <= all->n && parent > 0; step++) {
		struct process key = { .pid = parent }, *p;

		if (parent == top)
			return true;
		p = bsearch(&key, all->v, all->n, sizeof(*all->v), by_pid);
		parent = p ? p->parent : 0;
	}
	return false;
}

unsigned int tree_signal(int sig, pid_t except)
{
	struct processes all = {};
	pid_t self = getpid();
	unsigned int n = 0;

	each_process(add_process, &all);
	if (all.n)
		qsort(all.v, all.n, sizeof(*all.v), by_pid);
	for (size_t i = 0; i < all.n; i++) {
		const struct process *p = &all.v[i];

		if (p->pid != except && !p->zombie && is_below(&all, p->parent, self) &&
		    kill(p->pid, sig) == 0)
			n++;
	}
	free(all.v);
	return n;
}

bool tree_reap(void)
{
	pid_t pid;

	while ((pid = waitpid(-1, NULL, WNOHANG | __WALL)) > 0)
		;
	return pid == 0 || errno != ECHILD;
}

int tree_kill(const char *cgroup, unsigned int *found, struct err *e)
{
	uint64_t until = clock_mono_ns() + KILL_NS;
	struct timespec pause = { .tv_nsec = 200000 };
	unsigned int n, first = 0;

	for (bool again = false; tree_reap(); again = true) {
		n = tree_signal(SIGKILL, 0);
		cgroup_kill(cgroup);
		if (!again)
			first = n;
		if (clock_mono_ns() > until)
			return err_set(e, ETIMEDOUT, "%u processes cannot be killed", n);
		nanosleep(&pause, NULL);
		if (pause.tv_nsec < 20000000)
			pause.tv_nsec *= 2;
	}
	if (found)
		*found = first;
	return 0;
}

/* Where the control groups of version 2 are mounted, and which part of them. */
static bool cgroup_mount(char **point, char **root)
{
	FILE *f = fopen("/proc/self/mountinfo", "re");
	_free_ char *line = NULL;
	size_t room = 0;

	*point = *root = NULL;
	if (!f)
		return false;
	while (!*point && getline(&line, &room, f) > 0)
		if (strstr(line, " - cgroup2 ") &&
		    sscanf(line, "%*s %*s %*s %ms %ms", root, point) != 2) {
			free(*root);
			*root = *point = NULL;
		}
	fclose(f);
	return *point != NULL;
}

static char *cgroup_own(void)
{
	_free_ char *point = NULL, *root = NULL, *cut = NULL;
	_text_ struct text t = {};
	struct err ignored;
	const char *line, *path;

	if (!cgroup_mount(&point, &root) ||
	    file_read(AT_FDCWD, "/proc/self/cgroup", 65536, &t, &ignored) < 0)
		return NULL;
	line = text_starts(text_str(&t), "0::") ? text_str(&t) : strstr(text_str(&t), "\n0::");
	if (!line)
		return NULL;
	line = strchr(line, '/');
	cut = line ? text_format("%.*s", (int)strcspn(line, "\n"), line) : NULL;
	path = cut;
	if (path && strcmp(root, "/") && text_starts(path, root))
		path += strlen(root);
	return path ? text_format("%s%s", point, path) : NULL;
}

char *cgroup_make(void)
{
	_free_ char *own = cgroup_own(), *path = NULL, *kill_file = NULL;

	if (!own)
		return NULL;
	path = text_format("%s/krobot-%d-%" PRIx64, own, (int)getpid(), clock_wall_ns());
	kill_file = text_format("%s/cgroup.kill", path);
	if (mkdir(path, 0755) < 0)
		return NULL;
	if (access(kill_file, W_OK) < 0) {	/* before Linux 5.14 */
		rmdir(path);
		return NULL;
	}
	return steal(path);
}

static void cgroup_put(const char *cgroup, const char *file, const char *value)
{
	_free_ char *path = text_format("%s/%s", cgroup, file);
	_close_ int fd = open(path, O_WRONLY | O_CLOEXEC);

	if (fd >= 0 && write(fd, value, strlen(value)) < 0)
		return;		/* gone or forbidden: the caller has other means */
}

void cgroup_enter(const char *cgroup)
{
	if (cgroup)
		cgroup_put(cgroup, "cgroup.procs", "0");
}

void cgroup_kill(const char *cgroup)
{
	if (cgroup)
		cgroup_put(cgroup, "cgroup.kill", "1");
}

/* Killed members leave a moment after the kill. */
void cgroup_remove(const char *cgroup)
{
	struct timespec pause = { .tv_nsec = 1000000 };

	for (int i = 0; cgroup && i < 200 && rmdir(cgroup) < 0 && errno == EBUSY; i++)
		nanosleep(&pause, NULL);
}

struct marked {
	const char *entry;
	unsigned int n;
};

static bool has_entry(const struct text *env, const char *entry)
{
	const char *p = text_str(env), *end = p + env->len;

	for (; p < end; p += strlen(p) + 1)
		if (!strcmp(p, entry))
			return true;
	return false;
}

/*
 * The process is held by a descriptor before it is looked at, so that the one
 * that is killed is the one that was seen, whatever happens to its number.
 */
static void kill_if_marked(pid_t pid, void *arg)
{
	_free_ char *path = text_format("/proc/%d/environ", (int)pid);
	_free_ char *folder = text_format("/proc/%d", (int)pid);
	_close_ int fd = -1;
	_text_ struct text t = {};
	struct marked *m = arg;
	struct err ignored;
	struct stat st;

	if (pid == getpid())
		return;
	fd = (int)syscall(SYS_pidfd_open, pid, 0);
	if (fd < 0 || stat(folder, &st) < 0 || st.st_uid != geteuid() ||
	    file_read(AT_FDCWD, path, ENVIRON_MAX, &t, &ignored) < 0 || !has_entry(&t, m->entry))
		return;
	if (syscall(SYS_pidfd_send_signal, fd, SIGKILL, NULL, 0) == 0)
		m->n++;
}

void tree_kill_marked(const char *entry)
{
	struct timespec pause = { .tv_nsec = 2000000 };

	for (int i = 0; i < 500; i++) {
		struct marked m = { entry, 0 };

		each_process(kill_if_marked, &m);
		if (!m.n)
			return;
		nanosleep(&pause, NULL);
	}
}
