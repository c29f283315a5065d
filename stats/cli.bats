#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# What every parser does on the command line.
bats_require_minimum_version 1.5.0

setup() {
	golden=$SOURCE/stats/golden
	tmp=$(mktemp -d)
}

teardown() {
	rm -rf "$tmp"
}

@test "-h tells the options" {
	run "$STATS/vmstat" -h
	[ "$status" -eq 0 ]
	[[ $output == *--lkp* ]]
	[[ $output == *--unknown* ]]
}

@test "an unknown option fails and prints nothing on stdout" {
	run --separate-stderr "$STATS/vmstat" --nonsense
	[ "$status" -eq 1 ]
	[ -z "$output" ]
	[[ $stderr == vmstat:* ]]
}

@test "a file is read like stdin, plain or gzip or xz" {
	cp "$golden/meminfo/two.in" "$tmp/a"
	gzip -c "$tmp/a" >"$tmp/b"
	xz -c "$tmp/a" >"$tmp/c"
	for f in a b c; do
		"$STATS/meminfo" "$tmp/$f" | diff - "$golden/meminfo/two.out"
	done
}

@test "compressed data that ends early is an error, not a short result" {
	gzip -c "$golden/meminfo/two.in" | head -c 60 >"$tmp/cut"
	run "$STATS/meminfo" "$tmp/cut"
	[ "$status" -eq 1 ]
	[[ $output == *"compressed data ends early"* ]]
}

@test "a missing file and a folder are errors with their names" {
	run "$STATS/meminfo" "$tmp/none"
	[ "$status" -eq 1 ]
	[[ $output == *"$tmp/none"* ]]
	run "$STATS/meminfo" "$tmp"
	[ "$status" -eq 1 ]
	[[ $output == *"is a folder"* ]]
}

@test "-u lists the lines that are not known, made visible" {
	printf 'pgfault 1\nwhat \033[2J\npgfault 2\n' >"$tmp/a"
	run --separate-stderr "$STATS/proc-vmstat" -u "$tmp/a"
	[ "$status" -eq 0 ]
	[[ $output == *"krobot.unknown_lines: 1"* ]]
	[[ $stderr == *'line 2 is not known: what \x1b[2J'* ]]
}

@test "fio reads the instances of a result folder" {
	for i in 1 2; do cp "$golden/fio/one.in" "$tmp/fio.output.$i"; done
	run "$STATS/fio" "$tmp"
	[ "$status" -eq 0 ]
	[[ $output == *"read_iops.instance1: 250.5"* ]]
	[[ $output == *"read_iops.instance2: 250.5"* ]]
	[[ $output != *"read_iops: "* ]]
	run "$STATS/fio" --lkp "$tmp"
	[[ $output == *"read_iops: 501"* ]]
}

@test "output that cannot be written is an error" {
	[ -e /dev/full ] || skip
	run bash -c '"$1" <"$2" >/dev/full' - "$STATS/meminfo" "$golden/meminfo/two.in"
	[ "$status" -eq 1 ]
}
