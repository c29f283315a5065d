/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <ctype.h>
#include <errno.h>
#include <stdint.h>
#include <string.h>

#include "kernel/sections.h"
#include "kernel/image.h"
#include "kernel/unpack.h"

/* The real-mode header of a bzImage: offsets from its start. */
#define SETUP_SECTS	0x1f1
#define MAGIC		0x202	/* "HdrS" */
#define PROTOCOL	0x206
#define KERNEL_VERSION	0x20e	/* 512 before the text */
#define PAYLOAD_OFFSET	0x248	/* from the protected-mode code; since protocol 2.08 */
#define PAYLOAD_LENGTH	0x24c
#define HEADER_END	0x250

#define RELEASE_MAX	64	/* as uname has it */

/* Note of vmlinux: where a hypervisor may enter it in 32-bit mode. */
#define NOTE_OWNER	"Xen"
#define NOTE_PHYS32	18

static uint32_t get(const uint8_t *p, size_t bytes)
{
	uint32_t v = 0;

	while (bytes--)
		v = v << 8 | p[bytes];
	return v;
}

static bool is_bzimage(const uint8_t *p, size_t n)
{
	return n > HEADER_END && !memcmp(p + MAGIC, "HdrS", 4) && get(p + PROTOCOL, 2) >= 0x208;
}

/* The word at @p, if it can be a release. */
static char *take_release(const char *p, size_t n)
{
	size_t len = 0;

	while (len < n && isgraph((unsigned char)p[len]) && p[len] != '/')
		len++;
	if (!len || len > RELEASE_MAX || len == n || !isdigit((unsigned char)*p))
		return NULL;
	return text_format("%.*s", (int)len, p);
}

/* The banner; the format it is made from comes with "%s" instead. */
static char *find_banner(const char *p, size_t n)
{
	static const char mark[] = "Linux version ";
	const char *end = p + n;

	while ((p = memmem(p, (size_t)(end - p), mark, strlen(mark)))) {
		char *release;

		p += strlen(mark);
		release = take_release(p, (size_t)(end - p));
		if (release)
			return release;
	}
	return NULL;
}

int image_release(const void *p, size_t n, char **release, struct err *e)
{
	const uint8_t *b = p;

	*release = NULL;
	if (elf_is_64(p, n)) {
		*release = find_banner(p, n);
	} else if (is_bzimage(b, n)) {
		size_t at = get(b + KERNEL_VERSION, 2) + 512;

		*release = at < n ? take_release((const char *)b + at, n - at) : NULL;
	}
	return *release ? 0 : err_set(e, EINVAL, "not a kernel image (bzImage or vmlinux)");
}

int image_extract(const void *p, size_t n, struct text *out, struct err *e)
{
	const uint8_t *b = p;
	uint64_t from, len;

	if (!is_bzimage(b, n))
		return 1;
	from = (uint64_t)(b[SETUP_SECTS] ? b[SETUP_SECTS] + 1 : 5) * 512 + get(b + PAYLOAD_OFFSET, 4);
	len = get(b + PAYLOAD_LENGTH, 4);
	if (from > n || len > n - from)
		return err_set(e, EBADMSG, "the kernel image is cut off");
	return unpack(b + from, len, IMAGE_MAX_BYTES, out, e);
}

bool image_is_pvh(const void *p, size_t n)
{
	return elf_has_note(p, n, NOTE_OWNER, NOTE_PHYS32);
}
