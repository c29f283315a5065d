/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <assert.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

#include "base/file.h"
#include "run/frame.h"

static const char magic[4] = { 'K', 'R', 'B', '1' };

#define DEPTH_MAX 8
#define PATH_BYTES 1024

uint32_t frame_crc(uint32_t crc, const void *bytes, size_t n)
{
	const uint8_t *p = bytes;

	crc = ~crc;
	for (size_t i = 0; i < n; i++) {
		crc ^= p[i];
		for (int bit = 0; bit < 8; bit++)
			crc = crc >> 1 ^ (crc & 1 ? 0xEDB88320u : 0);
	}
	return ~crc;
}

static void put_u32(uint8_t *p, uint32_t v)
{
	for (int i = 0; i < 4; i++)
		p[i] = (uint8_t)(v >> 8 * i);
}

static uint32_t get_u32(const uint8_t *p)
{
	return p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static uint32_t checksum(const uint8_t *head, const void *bytes, size_t n)
{
	return frame_crc(frame_crc(0, head + 4, 8), bytes, n);
}

void frame_put(struct text *out, enum frame_type type, const void *bytes, size_t n)
{
	uint8_t head[FRAME_HEAD] = {};

	assert(n <= FRAME_MAX);
	memcpy(head, magic, sizeof(magic));
	head[4] = (uint8_t)type;
	put_u32(head + 8, (uint32_t)n);
	put_u32(head + 12, checksum(head, bytes, n));
	text_put(out, head, sizeof(head));
	text_put(out, bytes, n);
}

int frame_write(int fd, enum frame_type type, const void *bytes, size_t n, struct err *e)
{
	_text_ struct text t = {};
	size_t done = 0;

	frame_put(&t, type, bytes, n);
	while (done < t.len) {
		ssize_t w = write(fd, t.p + done, t.len - done);

		if (w < 0 && errno != EINTR)
			return err_sys(e, "sending");
		if (w > 0)
			done += (size_t)w;
	}
	return 0;
}

static int send_file(int out, int dir, const char *name, struct err *e)
{
	_close_ int fd = openat(dir, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	char buf[65536];
	ssize_t n;

	if (fd < 0)
		return err_sys(e, "%s", name);
	while ((n = read(fd, buf, sizeof(buf))) != 0) {
		if (n < 0 && errno != EINTR)
			return err_sys(e, "reading %s", name);
		if (n > 0 && frame_write(out, FRAME_DATA, buf, (size_t)n, e) < 0)
			return -e->code;
	}
	return 0;
}

static int send_below(int out, int dir, const char *below, struct err *e);

static int send_entry(int out, int dir, const char *name, const char *path, struct err *e)
{
	struct stat st;

	if (fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) < 0)
		return err_sys(e, "%s", path);
	if (S_ISDIR(st.st_mode)) {
		_close_ int sub = openat(dir, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

		if (sub < 0)
			return err_sys(e, "%s", path);
		if (frame_write(out, FRAME_FOLDER, path, strlen(path), e) < 0)
			return -e->code;
		return send_below(out, sub, path, e);
	}
	if (!S_ISREG(st.st_mode))
		return 0;
	if (frame_write(out, FRAME_FILE, path, strlen(path), e) < 0)
		return -e->code;
	return send_file(out, dir, name, e);
}

static int send_list(int out, int dir, DIR *list, const char *below, struct err *e)
{
	struct dirent *d;

	while ((d = readdir(list))) {
		_free_ char *path = *below ? path_join(below, d->d_name) : text_copy(d->d_name);

		if (!strcmp(d->d_name, ".") || !strcmp(d->d_name, ".."))
			continue;
		if (!frame_path_ok(path, strlen(path)))
			continue;
		if (send_entry(out, dir, d->d_name, path, e) < 0)
			return -e->code;
	}
	return 0;
}

static int send_below(int out, int dir, const char *below, struct err *e)
{
	int again = dup(dir), r;
	DIR *list = again < 0 ? NULL : fdopendir(again);

	if (!list)
		return err_sys(e, "folder %s", below);
	r = send_list(out, dir, list, below, e);
	closedir(list);
	return r;
}

int frame_write_folder(int fd, const char *path, struct err *e)
{
	_close_ int dir = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (dir < 0)
		return err_sys(e, "%s", path);
	return send_below(fd, dir, "", e);
}

long frame_take(struct frame *f, const char *p, size_t n, struct err *e)
{
	const uint8_t *head = (const uint8_t *)p;
	uint32_t len;

	if (memcmp(p, magic, n < sizeof(magic) ? n : sizeof(magic)) != 0)
		return err_set(e, EBADMSG, "no frame where one should start");
	if (n < FRAME_HEAD)
		return 0;
	len = get_u32(head + 8);
	if (len > FRAME_MAX)
		return err_set(e, EBADMSG, "a frame of %u bytes", len);
	if (n < FRAME_HEAD + len)
		return 0;
	if (checksum(head, p + FRAME_HEAD, len) != get_u32(head + 12))
		return err_set(e, EBADMSG, "a frame's checksum is wrong");
	*f = (struct frame){ .type = head[4], .bytes = p + FRAME_HEAD, .n = len };
	return FRAME_HEAD + (long)len;
}

bool frame_path_ok(const char *path, size_t n)
{
	size_t from = 0, depth = 0;

	if (!n || n > PATH_BYTES || memchr(path, '\0', n))
		return false;
	for (size_t i = 0; i <= n; i++) {
		if (i < n && path[i] != '/')
			continue;
		if (i == from || path[from] == '.' || ++depth > DEPTH_MAX)
			return false;	/* "", ".", ".." and hidden ones */
		from = i + 1;
	}
	return true;
}
