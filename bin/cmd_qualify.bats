#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later

bats_require_minimum_version 1.5.0

setup() {
	cd "$BATS_TEST_TMPDIR"
	export KROBOT_HOME=$PWD/home KROBOT_PATH=$PWD/root
	mkdir -p root/tests
	cat >root/tests/dial <<-'END'
	#!/bin/sh
	# - size
	echo "rate: 1000"
	END
	chmod +x root/tests/dial
	cat >root/tests/dial.yaml <<-'END'
	name: dial
	about: Says what it is told.
	parameters:
	  size: { kind: count, default: 1, help: nothing }
	metrics:
	  rate: { unit: ops/s, better: higher, headline: true, meaning: what it is told }
	END
	printf 'dial:\n  size: 1\n' >j.yaml
}

@test "runs of one boot say nothing about boots: not qualified, status 125" {
	"$KROBOT" run -l old -n 3 j.yaml >/dev/null
	run --separate-stderr "$KROBOT" qualify dial
	[ "$status" -eq 125 ]
	[[ "$output" == *"dial.rate"*"1 boots, 3 runs"*"not qualified: too few boots, 5 more are needed"* ]]
	run --separate-stderr "$KROBOT" qualify --json dial
	[ "$status" -eq 125 ]
	python3 -c 'import json, sys
(m,) = json.loads(sys.argv[1])
assert m["qualified"] is False and m["boots"] == 1 and m["within_boots"] == 0, m' "$output"
}

@test "no such job: status 125; trend says so too" {
	"$KROBOT" run -l old -n 1 j.yaml >/dev/null
	run --separate-stderr "$KROBOT" qualify dail
	[ "$status" -eq 125 ]
	[ -n "$stderr" ]
	run --separate-stderr "$KROBOT" trend dail rate
	[ "$status" -eq 125 ]
	run --separate-stderr "$KROBOT" trend dial rat
	[ "$status" -eq 125 ]
	[[ "$stderr" == *"no metric 'rat'"* ]]
	run "$KROBOT" trend dial rate
	[ "$status" -eq 0 ]
	[[ "$output" == *"1 points, too few to look for a change"* ]]
}
