#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# KROBOT: the program under test.

setup() {
	export KROBOT_PATH="$BATS_TEST_TMPDIR/lkp"
	mkdir -p "$KROBOT_PATH/programs/touch" "$KROBOT_PATH/jobs/touch"
	printf '#!/bin/sh\n# - size\n# - nr_task\n\necho size=$size\n' > "$KROBOT_PATH/programs/touch/run"
	chmod +x "$KROBOT_PATH/programs/touch/run"
	job="$KROBOT_PATH/jobs/touch/touch.yaml"
	printf 'suite: touch\nnr_task: 50%%\n\ntouch:\n  size:\n    - 1G\n    - 2G\n' > "$job"
}

@test "one line a job" {
	run "$KROBOT" expand "$job"
	[ "$status" -eq 0 ]
	[ "$output" = "$(printf 'touch-50%%-1G\ntouch-50%%-2G')" ]
}

@test "--path prints the job file in front" {
	run "$KROBOT" expand --path "$job"
	[ "${lines[1]}" = "$(printf '%s\ttouch-50%%-2G.yaml' "$job")" ]
}

@test "--set overrides keys, nested ones too" {
	run "$KROBOT" expand --set touch.size=4K -s nr_task='[1, 2]' "$job"
	[ "$output" = "$(printf 'touch-1-4K\ntouch-2-4K')" ]
	run "$KROBOT" expand --set nonsense "$job"
	[ "$status" -eq 129 ]
	run "$KROBOT" expand --set 'size={a' "$job"
	[ "$status" -eq 128 ]
	[[ "$output" == *"--set: size:"* ]]
}

@test "--host resolves for another machine" {
	printf 'nr_cpu: 480\nnr_node: 8\nmemory: 4T\n' > "$BATS_TEST_TMPDIR/host"
	run "$KROBOT" expand --host "$BATS_TEST_TMPDIR/host" --json "$job"
	[ "$status" -eq 0 ]
	[[ "${lines[0]}" == *'"env": {"suite": "touch", "nr_task": "240", "size": "1G"}'* ]]
	printf '%s\n' "$output" | python3 -c 'import json, sys; [json.loads(l) for l in sys.stdin]'
}

@test "a wrong file is trouble with its place" {
	printf 'touch:\n  siez: 1G\n  nr_tsk: 2\n' > "$job"
	run "$KROBOT" expand "$job"
	[ "$status" -eq 128 ]
	[ "$output" = "krobot expand: $job:3:3: nobody knows 'nr_tsk'; did you mean 'nr_task'?" ]
}

@test "a test that is nowhere is said, on stderr" {
	printf 'testcase: nowhere\nnowhere:\n  a: [1, 2]\n' > "$job"
	run "$KROBOT" expand "$job"
	[ "$status" -eq 0 ]
	[ "${lines[0]}" = "$job:1: no test 'nowhere' in the trees of KROBOT_PATH" ]
	[ "$("$KROBOT" expand "$job" 2> /dev/null)" = touch-defaults ]
}

@test "a file of a gigabyte, a folder and a pipe are refused at once" {
	truncate -s 1G "$BATS_TEST_TMPDIR/large.yaml"
	run timeout 5 "$KROBOT" expand "$BATS_TEST_TMPDIR/large.yaml"
	[ "$status" -eq 128 ]
	[[ "$output" == *"large.yaml:1:1: more than 1048576 bytes" ]]
	run timeout 5 "$KROBOT" expand "$BATS_TEST_TMPDIR"
	[ "$status" -eq 128 ]
	mkfifo "$BATS_TEST_TMPDIR/pipe.yaml"
	run timeout 5 "$KROBOT" expand "$BATS_TEST_TMPDIR/pipe.yaml"
	[ "$status" -eq 128 ]
	[[ "$output" == *": not a file" ]]
}

@test "each of our job files expands" {
	unset KROBOT_PATH
	for f in "$JOBS"/*.yaml; do
		run "$KROBOT" expand "$f"
		[ "$status" -eq 0 ]
		[ -n "$output" ]
	done
}

# Examples in jobs/README.md are blocks of YAML, each followed by the names it gives.
@test "each example of the format's page gives the names it says" {
	export KROBOT_PATH="$BATS_TEST_TMPDIR/page"
	mkdir -p "$KROBOT_PATH/jobs" "$KROBOT_PATH/tests" "$KROBOT_PATH/setup"
	printf '#!/bin/sh\n# - size\n# - nr_task\n# - test\n' > "$KROBOT_PATH/tests/stream"
	printf '#!/bin/sh\n# - fs\n' > "$KROBOT_PATH/setup/fs"
	awk -v dir="$KROBOT_PATH/jobs" '
		/^```yaml/ { name = $2 ? $2 : "a.yaml"; n += name == "a.yaml"
			file = dir "/" (name == "a.yaml" ? sprintf("%02d.yaml", n) : name); next }
		/^```names/ { file = dir "/" sprintf("%02d.want", n); next }
		/^```/ { file = ""; next }
		file { print > file }' "$JOBS/README.md"
	for want in "$KROBOT_PATH"/jobs/*.want; do
		n=$(basename "$want" .want)
		run "$KROBOT" expand "$KROBOT_PATH/jobs/$n.yaml"
		[ "$status" -eq 0 ]
		[ "${output//$n-/a-}" = "$(cat "$want")" ] || { echo "example $n: $output"; false; }
	done
	[ "$(ls "$KROBOT_PATH"/jobs/*.want | wc -l)" -ge 7 ]
	[ "$(ls "$KROBOT_PATH"/jobs/??.yaml | wc -l)" -eq "$(ls "$KROBOT_PATH"/jobs/*.want | wc -l)" ]
}
