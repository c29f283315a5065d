#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later

bats_require_minimum_version 1.5.0

@test "doctor judges this machine, and says so by its status" {
	run "$KROBOT" doctor --seconds 1
	if grep -q '^bad ' <<<"$output"; then [ "$status" = 1 ]; else [ "$status" = 0 ]; fi
	for name in governor turbo C-states SMT THP swap steal load hypervisor clocksource \
		mitigations PMU "isolated CPUs" throttling; do
		grep -qE "^(good|note|bad|unknown) +$name " <<<"$output"
	done
}

@test "doctor --json is the same in JSON" {
	run "$KROBOT" doctor --json --seconds 1
	[ "$status" -le 1 ]
	python3 - "$status" "$output" <<-'P'
		import json, sys
		lines = json.loads(sys.argv[2])
		assert len(lines) >= 14
		for l in lines:
		    assert set(l) == {"check", "verdict", "value", "why", "advice"}, l
		bad = any(l["verdict"] == "bad" for l in lines)
		assert bad == (sys.argv[1] == "1")
	P
}

@test "doctor refuses what it does not know" {
	run -129 "$KROBOT" doctor now
	run -129 "$KROBOT" doctor --seconds 0
}

@test "doctor -h fits the screen" {
	run -0 "$KROBOT" doctor -h
	[ "$(awk 'length > 80' <<<"$output")" = "" ]
}
