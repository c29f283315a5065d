/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/reboot.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/record.h"
#include "run/facts.h"
#include "run/frame.h"
#include "run/guard.h"
#include "run/init.h"

#define RESULTS		"/run/krobot"
#define STATE		"/run/krobot-state"
#define PORTS		"/sys/class/virtio-ports"
#define PORT_PATIENCE	(10ULL * 1000000000)

/* Nothing that could hide a file of the initramfs, whose root is a tmpfs already. */
static const struct {
	const char *type, *at;
	bool needed;
} mounts[] = {
	{ "proc", "/proc", true },
	{ "sysfs", "/sys", true },
	{ "devtmpfs", "/dev", true },
	{ "tmpfs", "/dev/shm", false },
};

static int mount_all(struct err *e)
{
	for (size_t i = 0; i < COUNT(mounts); i++) {
		if (dir_make(mounts[i].at, e) < 0)
			return -e->code;
		if (mount(mounts[i].type, mounts[i].at, mounts[i].type, 0, NULL) < 0 &&
		    errno != EBUSY && mounts[i].needed)
			return err_sys(e, "mounting %s", mounts[i].at);
	}
	return 0;
}

/* What this process and the tests' own parents say goes to the console. */
static void take_console(void)
{
	int fd = open("/dev/console", O_RDWR);

	if (fd < 0)
		return;
	for (int std = 0; std < 3; std++)
		if (fd != std)
			dup2(fd, std);
	if (fd > 2)
		close(fd);
}

static int load_module(const char *path, struct err *e)
{
	_close_ int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return err_sys(e, "%s", path);
	if (syscall(SYS_finit_module, fd, "", 0) < 0 && errno != EEXIST)
		return err_sys(e, "loading %s", path);
	return 0;
}

/* The device file of the port, or NULL while there is none. */
static char *find_port(void)
{
	DIR *list = opendir(PORTS);
	struct dirent *d;
	char *found = NULL;

	while (list && !found && (d = readdir(list))) {
		_free_ char *path = text_format(PORTS "/%s/name", d->d_name);
		_text_ struct text name = {};
		struct err ignored;

		if (d->d_name[0] != '.' && file_read(AT_FDCWD, path, 256, &name, &ignored) == 0 &&
		    !strcmp(text_str(&name), FRAME_PORT "\n"))
			found = path_join("/dev", d->d_name);
	}
	if (list)
		closedir(list);
	return found;
}

/* Devices come up beside us: the port may need a moment. */
static int open_port(int *fd, struct err *e)
{
	uint64_t until = clock_mono_ns() + PORT_PATIENCE;

	do {
		_free_ char *path = find_port();

		*fd = path ? open(path, O_WRONLY | O_CLOEXEC) : -1;
		if (*fd >= 0)
			return 0;
		nanosleep(&(struct timespec){ .tv_nsec = 2000000 }, NULL);
	} while (clock_mono_ns() < until);
	return err_set(e, ENODEV, "no virtio port " FRAME_PORT);
}

static int say_hello(int port, struct err *e)
{
	_close_ int root = open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	_record_ struct record facts = {};
	_text_ struct text t = {};

	if (root < 0)
		return err_sys(e, "/");
	facts_read(&facts, root);
	record_print(&facts, &t);
	return frame_write(port, FRAME_HELLO, t.p, t.len, e);
}

/* In a child, since a run's guard adopts and ends all that is below it. */
static int run_plan(const char *plan, const char *result, struct err *e)
{
	int fds[2], status;
	pid_t pid;

	if (dir_make(result, e) < 0)
		return -e->code;
	if (pipe2(fds, O_CLOEXEC) < 0)
		return err_sys(e, "pipe");
	pid = fork();
	if (!pid) {
		bool ok = guard_run(plan, result, STATE, e) == 0;

		_exit(ok ? 0 : write(fds[1], e, sizeof(*e)) == sizeof(*e) ? 1 : 2);
	}
	close(fds[1]);
	while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	if (pid < 0)
		err_sys(e, "fork");
	else if (status && read(fds[0], e, sizeof(*e)) != sizeof(*e))
		err_set(e, EIO, "the guard ended with status %d", status);
	close(fds[0]);
	return pid < 0 || status ? -e->code : 0;
}

static int run_and_send(int port, const char *plan, unsigned int k, struct err *e)
{
	_free_ char *result = text_format(RESULTS "/%u", k), *ran = text_format("%u", k);
	struct err why = {};
	int r;

	if (frame_write(port, FRAME_RUN, ran, strlen(ran), e) < 0)
		return -e->code;
	r = run_plan(plan, result, &why);
	if (frame_write_folder(port, result, e) < 0)
		return -e->code;
	if (r < 0) {
		free(ran);
		ran = text_format("%u %s", k, why.text);
	}
	if (frame_write(port, FRAME_RAN, ran, strlen(ran), e) < 0)
		return -e->code;
	return dir_remove(result, e);	/* it lies in memory that the next one may want */
}

static int each_line(const struct record *boot, const char *key, int port, unsigned int *n,
		     struct err *e)
{
	for (size_t i = 0; i < boot->n; i++) {
		const char *value = boot->line[i].value;

		if (strcmp(boot->line[i].key, key) != 0)
			continue;
		if ((port < 0 ? load_module(value, e) : run_and_send(port, value, *n, e)) < 0)
			return -e->code;
		++*n;
	}
	return 0;
}

static int work(struct err *e)
{
	_record_ struct record boot = {};
	unsigned int modules = 0, plans = 0;
	_free_ char *done = NULL;
	_close_ int port = -1;

	if (mount_all(e) < 0)
		return -e->code;
	take_console();
	if (record_read(&boot, AT_FDCWD, INIT_BOOT, e) < 0 ||
	    each_line(&boot, INIT_MODULE, -1, &modules, e) < 0 || open_port(&port, e) < 0)
		return -e->code;
	if (say_hello(port, e) < 0 || each_line(&boot, INIT_PLAN, port, &plans, e) < 0) {
		struct err later;

		if (frame_write(port, FRAME_TROUBLE, e->text, strlen(e->text), &later) < 0)
			err_in(e, "and it could not be told (%s)", later.text);
		return -e->code;
	}
	done = text_format("%u", plans);
	return frame_write(port, FRAME_END, done, strlen(done), e);
}

void init_main(void)
{
	struct err e = {};

	if (work(&e) < 0)
		dprintf(STDERR_FILENO, "krobot-agent: %s\n", e.text);
	sync();
	reboot(RB_POWER_OFF);
	reboot(RB_AUTOBOOT);	/* the host takes that for the end too */
	for (;;)
		pause();
}
