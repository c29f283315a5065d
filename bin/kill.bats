# SPDX-License-Identifier: GPL-2.0-or-later
# kill -9 of krobot, its guard, its agent and the test, alone and together, at
# random moments: the database opens, no half run is visible, no process is
# left, and import restores everything.

bats_require_minimum_version 1.5.0

setup() {
	cd "$BATS_TEST_TMPDIR"
	export KROBOT_HOME=$PWD/home KROBOT_PATH=$PWD/root
	# The leak check's helper is a child like others: killed, its parent waits for ever.
	export ASAN_OPTIONS=detect_leaks=0
	mkdir -p root/tests
	# Leaves its parents as daemons do, and prints two values that belong together.
	cat >root/tests/forks <<-END
	#!/bin/sh
	# - size
	setsid sh -c 'sleep 7654321 & sleep 7654321' &
	echo "a: 1"
	sleep 0.0\$size
	echo "b: 2"
	END
	chmod +x root/tests/forks
	printf 'forks:\n  size: [1, 3]\n' >j.yaml
}

left() { pgrep -f '^sleep 7654321$|krobot-agent.*'"$PWD" || true; }

@test "100 kills at random moments" {
	RANDOM=4711
	for i in $(seq 100); do
		"$KROBOT" run -n 50 j.yaml >>out 2>>err 3>&- &
		pid=$!
		sleep "0.$(printf %03d $((RANDOM % 400)))"
		tree=$(pgrep -P $pid || true)
		deep=$(for p in $tree; do pgrep -P "$p" || true; done)
		deeper=$(for p in $deep; do pgrep -P "$p" || true; done)
		case $((RANDOM % 5)) in
		0) victims=$pid ;;
		1) victims=$tree ;;
		2) victims=$deep ;;
		3) victims=$deeper ;;
		4) victims="$pid $tree $deep" ;;
		esac
		# shellcheck disable=SC2086
		kill -9 $victims 2>/dev/null || true
		kill -9 $pid 2>/dev/null || true
		wait $pid 2>/dev/null || true
	done
	# One more start sweeps what was left when all supervisors died at once.
	"$KROBOT" run j.yaml >>out 2>>err
	for i in $(seq 100); do
		[ -n "$(left)" ] || break
		sleep 0.1
	done
	[ -z "$(left)" ]

	[ "$(sqlite3 home/data/krobot.db 'PRAGMA integrity_check')" = ok ]
	half=$(sqlite3 home/data/krobot.db "SELECT count(*) FROM run r WHERE state = 'ok'
		AND (SELECT count(*) FROM sample s WHERE s.run_id = r.id) <> 2")
	[ "$half" -eq 0 ]
	kept=$(sqlite3 home/data/krobot.db "SELECT count(*) FROM run WHERE state = 'ok'")
	[ "$kept" -gt 0 ]
	whole=$(find home/data/results -name exit | wc -l)

	rm home/data/krobot.db*
	"$KROBOT" import >imported
	again=$(sqlite3 home/data/krobot.db "SELECT count(*) FROM run WHERE state = 'ok'")
	unparsed=$(sqlite3 home/data/krobot.db "SELECT count(*) FROM run WHERE state = 'unparsed'")
	[ "$again" -ge "$kept" ]
	[ $((again + unparsed)) -le "$whole" ]
}
