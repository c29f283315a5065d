/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/check.h"
#include "parser/errorid.h"

static void kernel_is(const char *line, const char *id, const char *pattern)
{
	struct errorid *x = errorid_new();
	_text_ struct text got = {}, found = {};

	errorid_kernel(x, line, &got, &found);
	assert_string_equal(text_str(&got), id);
	assert_string_equal(text_str(&found), pattern);
	errorid_free(x);
}

TEST(the_same_trouble_has_one_name_everywhere)
{
	kernel_is("[   10.123456] WARNING: CPU: 3 PID: 12 at mm/slab.c:77 kfree+0x10/0x20",
		  "WARNING:at_mm/slab.c:#kfree", "WARNING:.* at .* kfree+0x");
	kernel_is("kern  :warn  : [99.1][  T7] WARNING: CPU: 0 PID: 9999 at mm/slab.c:78 "
		  "kfree.isra.0+0x1/0x2",
		  "WARNING:at_mm/slab.c:#kfree", "WARNING:.* at .* kfree+0x");
}

TEST(numbers_addresses_and_devices_are_not_part_of_the_name)
{
	kernel_is("[    1.0] EXT4-fs error (device md12): inode #1234: comm ls",
		  "EXT4-fs_error(device_md#):inode##:comm_ls", "error (device .* inode .* comm ls");
	kernel_is("[    1.0] BUG: unable to handle kernel paging request at ffff888012345678",
		  "BUG:unable_to_handle_kernel", "BUG: unable to handle kernel");
}

TEST(lines_of_programs_lose_their_numbers_too)
{
	struct errorid *x = errorid_new();
	_text_ struct text id = {};

	errorid_plain(x, "make: *** [Makefile:17: all] Error 2", &id);
	assert_string_equal(text_str(&id), "make:***[Makefile:#:all]Error");
	errorid_plain(x, "", &id);
	assert_string_equal(text_str(&id), "");
	errorid_free(x);
}
