/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The main() of a fuzz target in an ordinary build: gives every file of the
 * corpus folder to the target once, and cuts of it, so that each input that
 * ever broke something stays a test.  TAP on stdout; no corpus is a failure.
 */
#include <dirent.h>
#include <fcntl.h>
#include <stdint.h>
#include <string.h>

#include "base/file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void give(const struct text *t, size_t n)
{
	/* An exact-size copy, so that a read beyond the end is seen. */
	_free_ uint8_t *copy = n ? malloc(n) : NULL;

	if (n && !copy)
		abort();
	if (n)
		memcpy(copy, t->p, n);
	LLVMFuzzerTestOneInput(copy ? copy : (const uint8_t *)"", n);
}

int main(int argc, char **argv)
{
	struct dirent **list;
	int n, shown = 0;

	if (argc != 2)
		return 2;
	printf("TAP version 13\n");
	n = scandir(argv[1], &list, NULL, alphasort);
	for (int i = 0; i < n; i++) {
		_free_ char *path = path_join(argv[1], list[i]->d_name);
		_text_ struct text t = {};
		struct err e = {};

		if (list[i]->d_type == DT_DIR) {
			free(list[i]);
			continue;
		}
		if (file_read(AT_FDCWD, path, 64U << 20, &t, &e) < 0) {
			printf("not ok %d - %s\n", ++shown, e.text);
			free(list[i]);
			continue;
		}
		give(&t, t.len);
		for (size_t cut = t.len / 2; t.len <= 65536 && cut; cut /= 2) {
			give(&t, cut);
			give(&t, t.len - cut);
		}
		printf("ok %d - %s\n", ++shown, list[i]->d_name);
		free(list[i]);
	}
	if (n >= 0)
		free(list);
	if (!shown)
		printf("not ok %d - no corpus in %s\n", ++shown, argv[1]);
	printf("1..%d\n", shown);
	return 0;
}
