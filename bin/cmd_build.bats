#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bats
bats_require_minimum_version 1.5.0

setup() {
	export KROBOT_HOME=$BATS_TEST_TMPDIR/home
	cd "$BATS_TEST_TMPDIR" || exit
}

# A tree that pretends to be a kernel: its bzImage is a head with a release in it.
make_tree() {
	git init -q tree
	{ head -c 514 /dev/zero; printf 'HdrS\x0f\x02'; head -c 7 /dev/zero; printf '\x02'
	  head -c 496 /dev/zero; printf '6.1.0-pretended (x)\0'; head -c 400 /dev/zero; } >tree/head
	cat >tree/Makefile <<-'MAKE'
	.RECIPEPREFIX = >
	C = $(or $(KCONFIG_CONFIG),$(O)/.config)
	tinyconfig olddefconfig:
	>touch $(C)
	bzImage:
	>@! grep -q broken mm.c || { echo 'mm.c:1: error: broken' >&2; exit 1; }
	>mkdir -p $(O)/arch/x86/boot; cp head $(O)/arch/x86/boot/bzImage
	MAKE
	echo fine >tree/mm.c
	git -C tree add -A
	git -C tree -c user.name=a -c user.email=a@b commit -qm good
	git -C tree tag good
	echo broken >tree/mm.c
	git -C tree -c user.name=a -c user.email=a@b commit -qam bad
	git -C tree tag bad
}

@test "a revision is built, and the second time it is there" {
	make_tree
	run --separate-stderr "$KROBOT" build good --tree tree --config tinyconfig
	[ "$status" -eq 0 ]
	[[ "$output" =~ ^good$'\t'6\.1\.0-pretended$'\t'[0-9a-f]{12}$'\t'/.*/kernels/.*/image$ ]]
	first=$output
	rm -r tree/mm.c "$KROBOT_HOME/cache/build"
	run --separate-stderr "$KROBOT" build good --tree tree --config tinyconfig
	[ "$output" = "$first" ]
	[ ! -e "$KROBOT_HOME/cache/build" ]
}

@test "what does not build is said with its first error, and exits 125" {
	make_tree
	run --separate-stderr "$KROBOT" build bad good --tree tree --config tinyconfig
	[ "$status" -eq 125 ]
	[[ "${lines[0]}" =~ ^bad$'\t'does\ not\ build$'\t'mm.c:1:\ error:\ broken$'\t'/.*/log$ ]]
	[[ "${lines[1]}" =~ ^good ]]
	run --separate-stderr "$KROBOT" build bad --tree tree --config tinyconfig --json
	[ "$status" -eq 125 ]
	[[ "$output" =~ \"ready\":false ]]
	[[ "$output" =~ \"why\":\"mm.c:1:\ error:\ broken\" ]]
}

@test "an option that did not take is said" {
	make_tree
	echo CONFIG_FOO=y >f
	run --separate-stderr "$KROBOT" build good --tree tree --config tinyconfig --config f
	[ "$status" -eq 0 ]
	sed -i 's/^tinyconfig olddefconfig/tinyconfig/' tree/Makefile
	printf 'olddefconfig:\n>: >$(C)\n' >>tree/Makefile
	git -C tree -c user.name=a -c user.email=a@b commit -qam drops
	echo fine >tree/mm.c
	run --separate-stderr "$KROBOT" build HEAD --tree tree --config tinyconfig --config f
	[ "$status" -eq 125 ]
	[[ "$output" =~ CONFIG_FOO=y\ became\ n ]]
}

@test "an unknown name is trouble, and none at all is usage" {
	make_tree
	run --separate-stderr "$KROBOT" build nothing --tree tree
	[ "$status" -eq 128 ]
	[ "$stderr" = "krobot build: kernel nothing: no such commit" ]
	run --separate-stderr "$KROBOT" build
	[ "$status" -eq 129 ]
}
