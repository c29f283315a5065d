# SPDX-License-Identifier: GPL-2.0-or-later
# krobot bisect as far as it goes without a boot.

bats_require_minimum_version 1.5.0

setup() {
	cd "$BATS_TEST_TMPDIR"
	export KROBOT_HOME=$PWD/home KROBOT_PATH=$PWD/root
	mkdir -p root/tests
	printf '#!/bin/sh\n# - size\necho "rate: 1"\n' >root/tests/dial
	chmod +x root/tests/dial
	printf 'dial:\n  size: 1\n' >j.yaml
	git init -q tree
	printf 'tinyconfig olddefconfig bzImage:\n\t@echo "mm.c:1: error: broken" >&2; exit 1\n' \
		>tree/Makefile
	for c in one two three; do
		echo $c >tree/mm.c
		git -C tree add -A
		git -C tree -c user.name=a -c user.email=a@b commit -qm $c
		git -C tree tag $c
	done
}

bisect() {
	run --separate-stderr "$KROBOT" bisect --tree tree --config tinyconfig --mode tcg "$@"
	echo "$output" "$stderr"
}

@test "a wrong command line is 129" {
	bisect one three
	[ "$status" -eq 129 ]
	bisect --resume one three j.yaml
	[ "$status" -eq 129 ]
}

@test "commits that are none or stand the wrong way round are trouble, 128" {
	bisect one nowhere j.yaml
	[ "$status" -eq 128 ]
	[[ "$stderr" == *nowhere* ]]
	bisect three one j.yaml
	[ "$status" -eq 128 ]
	[[ "$stderr" == *"not an ancestor"* ]]
}

@test "nothing to resume is 128" {
	bisect --resume j.yaml
	[ "$status" -eq 128 ]
	[[ "$stderr" == *"no bisection of this job"* ]]
}

@test "an end that does not build is 125; no ref and no file of the tree is touched" {
	before=$(git -C tree for-each-ref; git -C tree status --porcelain)
	bisect one three j.yaml
	[ "$status" -eq 125 ]
	[[ "$output" == *"does not build"* ]]
	[[ "$output" == *"good or bad cannot be tested"* ]]
	[ "$before" = "$(git -C tree for-each-ref; git -C tree status --porcelain)" ]
	[ "$(sqlite3 home/data/krobot.db 'SELECT state FROM bisection')" = "given up" ]
}

@test "bisect-step: what cannot be built is skipped by git bisect run, trouble aborts it" {
	cd tree
	step="$KROBOT bisect-step --config tinyconfig --mode tcg ../j.yaml"
	run --separate-stderr $step
	echo "$stderr"
	[ "$status" -eq 128 ]
	[[ "$stderr" == *"no good commit is known"* ]]
	run --separate-stderr $step more
	[ "$status" -eq 129 ]
	git bisect start three one
	run $step
	echo "$output"
	[ "$status" -eq 125 ]
	[[ "$output" == *"does not build"* ]]
	run git bisect run $step
	[[ "$output" == *"'skip'ped commits"* ]]
}
