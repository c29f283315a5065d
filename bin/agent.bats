#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# The agent by itself: $AGENT is the program.  What it promises stands in
# lib/run/guard.h, exec.h and result.h.

bats_require_minimum_version 1.5.0

setup() {
	dir=$BATS_TEST_TMPDIR
	mkdir -p "$dir/state" "$dir/r"
	mark=krobot-bats-$$-$BATS_TEST_NUMBER
}

teardown() {
	[ -z "$(left)" ]
}

# Processes of this test: each has $mark among its arguments.
left() {
	pgrep -f "sleep.*$mark|$mark.*sleep|^$mark" || true
}

# program: stdin is the script
program() {
	cat >"$dir/program"
	chmod +x "$dir/program"
}

plan() { # LINE...
	{
		printf '%s\n' "version 1" "test t" "program $dir/program"
		printf '%s\n' "$@"
	} >"$dir/plan"
}

agent() {
	"$AGENT" run "$dir/plan" "$dir/r" "$dir/state" 3>&-
}

field() { # KEY
	sed -n "s/^$1 //p" "$dir/r/exit"
}

@test "the environment is as stated, and nothing else" {
	program <<-'S'
		#!/bin/sh
		env -u PWD -u SHLVL -u _ | sort
	S
	plan "param size=64M" "param odd=a b" "env LKP_SRC=/lkp" "param RESULT_ROOT=/evil"
	SECRET=1 LANG=de_DE.UTF-8 HOME=/some/home agent
	sed -E 's/^(memory|nr_cpu|nr_node)=[0-9]+[GM]?$/\1=N/' "$dir/r/stdout" >"$dir/got"
	cat >"$dir/want" <<-E
		HOME=/some/home
		LANG=C
		LC_ALL=C
		LKP_SRC=/lkp
		PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
		RESULT_ROOT=$(realpath "$dir/r")
		TMP=$(realpath "$dir/r")/work
		memory=N
		nr_cpu=N
		nr_node=N
		odd=a b
		size=64M
	E
	diff "$dir/want" "$dir/got"
}

@test "the folder is fresh, and gone afterwards" {
	program <<-'S'
		#!/bin/sh
		pwd; ls -A; mkdir -p a/b; echo x >a/b/c; ln -s / root
	S
	plan
	agent
	[ "$(cat "$dir/r/stdout")" = "$(realpath "$dir/r")/work" ]
	[ ! -e "$dir/r/work" ]
	[ "$(field state)" = ok ]
	[ "$(field status)" = 0 ]
	[ -z "$(field reason)" ]
	[ -d /bin ]
}

@test "the result folder is whole" {
	program <<-'S'
		#!/bin/sh
		echo out; echo err >&2
	S
	plan 'job {"test":"t"}'
	agent
	[ "$(cat "$dir/r/stdout" "$dir/r/stderr")" = "out
err" ]
	grep -q '^job {"test":"t"}$' "$dir/r/plan"
	grep -q '^boot.kernel '"$(uname -r)"'$' "$dir/r/facts"
	grep -q "^env.cpus_online $(nproc --all)$" "$dir/r/facts"
	[ "$(cut -d' ' -f1 "$dir/r/journal" | tr '\n' ' ')" = "began ended " ]
	[ -e "$dir/r/kmsg" ]
	[ "$(field wall_ns)" -gt 0 ]
	[ "$(field minor_faults)" -gt 0 ]
	[ -z "$(ls "$dir/state/running")" ]
}

@test "exit 77 is a skip with the last words as its reason" {
	program <<-'S'
		#!/bin/sh -x
		echo first >&2; echo "perf is not here" >&2; exit 77
	S
	plan
	agent
	[ "$(field state)" = skipped ]
	[ "$(field reason)" = "perf is not here" ]
}

@test "failures say how" {
	program <<-'S'
		#!/bin/sh
		printf 'bad \033[31mthing\n' >&2; exit 3
	S
	plan
	agent
	[ "$(field state)" = failed ]
	[ "$(field reason)" = 'exit status 3: bad \\x1B[31mthing' ] ||
		[ "$(field reason)" = 'exit status 3: bad \\x1b[31mthing' ]
	rm -r "$dir/r" && mkdir "$dir/r"
	program <<-'S'
		#!/bin/sh
		kill -SEGV $$
	S
	agent
	[ "$(field state)" = failed ]
	[ "$(field signal)" = 11 ]
	[ "$(field reason)" = "killed by signal 11 (Segmentation fault)" ]
}

@test "a program that cannot be started is a failed run" {
	plan
	rm -f "$dir/program"
	agent
	[ "$(field state)" = failed ]
	[[ "$(field reason)" == "cannot start $dir/program: No such file or directory" ]]
	[ ! -e "$dir/r/work" ]
}

@test "a workload that finds itself wrong is invalid" {
	program <<-'S'
		#!/bin/sh
		echo "x: 1"; echo " krobot.invalid: 1 no"; echo "krobot.invalid: 1 huge pages came"; exit 1
	S
	plan
	agent
	[ "$(field state)" = invalid ]
	[ "$(field reason)" = "huge pages came" ]
}

@test "a grandchild that has become a daemon dies at the deadline" {
	program <<-S
		#!/bin/sh
		setsid sh -c 'setsid sh -c "exec -a $mark sleep 1000" </dev/null >/dev/null 2>&1 & exit' &
		setsid bash -c '(exec -a $mark sleep 1000) & disown; exit' &
		bash -c 'exec -a $mark sleep 1000'
	S
	plan "deadline_secs 1" "grace_secs 1"
	agent
	[ "$(field state)" = timeout ]
	[ "$(field reason)" = "not done after 1 s" ]
	[ -z "$(left)" ]
}

@test "a tree that ignores TERM is killed" {
	program <<-S
		#!/bin/bash
		trap '' TERM
		(trap '' TERM; while :; do bash -c 'exec -a $mark sleep 1000'; done) &
		while :; do bash -c 'exec -a $mark sleep 1000'; done
	S
	plan "deadline_secs 1" "grace_secs 1"
	agent
	[ "$(field state)" = timeout ]
	[ "$(field signal)" = 9 ]
	[ -z "$(left)" ]
}

@test "TERM leaves time to end well" {
	program <<-'S'
		#!/bin/bash
		trap 'echo saved; exit 0' TERM
		while :; do sleep 0.05; done
	S
	plan "deadline_secs 1" "grace_secs 20"
	agent
	[ "$(field state)" = timeout ]
	[ "$(field status)" = 0 ]
	[ "$(cat "$dir/r/stdout")" = saved ]
}

@test "what is left when the test ends is killed and counted" {
	program <<-S
		#!/bin/bash
		setsid bash -c 'exec -a $mark sleep 1000' &
		bash -c 'exec -a $mark sleep 1000' &
		until [ \$(pgrep -c -f "^$mark") = 2 ]; do sleep 0.01; done
	S
	plan
	agent
	[ "$(field state)" = ok ]
	[ "$(field leftovers)" = 2 ]
	[ -z "$(left)" ]
}

@test "loud output is cut and fails the run" {
	program <<-'S'
		#!/bin/sh
		exec yes
	S
	plan "out_max_bytes 100000"
	agent
	[ "$(field state)" = failed ]
	[ "$(field reason)" = "more than 100000 bytes on stdout" ]
	[ "$(stat -c %s "$dir/r/stdout")" = 100000 ]
}

@test "output that ends at the limit is not cut" {
	program <<-'S'
		#!/bin/sh
		head -c 100000 /dev/zero
	S
	plan "out_max_bytes 100000"
	agent
	[ "$(field state)" = ok ]
	[ "$(field stdout_bytes)" = 100000 ]
}

@test "a folder takes one run" {
	program <<-'S'
		#!/bin/sh
	S
	plan
	agent
	run -128 agent
	[[ "$output" == *"holds a run already"* ]]
}

@test "a bad plan is refused with its line's key" {
	program <<-'S'
		#!/bin/sh
	S
	plan "progam x"
	run -128 agent
	[[ "$output" == *"plan: unknown key 'progam'"* ]]
	[ ! -e "$dir/r/exit" ]
	[ -z "$(ls "$dir/state/running")" ]
}

# kill_at NUMBER: runs a tree, kills a random choice of caller, guard, agent and
# test after a random while, and looks at what is left.
kill_at() {
	local n=$1 caller guard agent test i r=$dir/k$1 victims=
	mkdir "$r"
	bash -c '"$@" & wait' - "$AGENT" run "$dir/plan" "$r" "$dir/state" 3>&- 2>/dev/null &
	caller=$!
	sleep "0.0$((RANDOM % 10))$((RANDOM % 10))"
	guard=$(pgrep -P $caller || true)
	agent=$([ -z "$guard" ] || pgrep -P "$guard" || true)
	test=$([ -z "$agent" ] || pgrep -P "$agent" || true)
	i=$((RANDOM % 15 + 1))
	[ $((i & 1)) = 0 ] || victims+=" $caller"
	[ $((i & 2)) = 0 ] || victims+=" $guard"
	[ $((i & 4)) = 0 ] || victims+=" $agent"
	[ $((i & 8)) = 0 ] || victims+=" $test"
	# shellcheck disable=SC2086
	[ -z "$victims" ] || kill -9 $victims 2>/dev/null || true
	wait $caller 2>/dev/null || true
	# A run that nothing has hit ends by its deadline; one without a caller at once.
	for i in $(seq 300); do
		[ -n "$(pgrep -f "$AGENT run .* $r " || true)" ] || break
		sleep 0.02
	done
	"$AGENT" sweep "$dir/state"
	[ -z "$(left)" ] || { echo "round $n, killed$victims: left $(left)"; return 1; }
	[ ! -e "$r/work" ]
	[ ! -e "$r/exit" ] || {
		grep -q '^ended ' "$r/journal"
		grep -qE '^state (ok|failed|timeout)$' "$r/exit"
	}
}

@test "kill -9 at random moments leaves no process and no half result" {
	program <<-S
		#!/bin/bash
		(setsid bash -c '(exec -a $mark sleep 1000) & exit') &
		bash -c 'exec -a $mark sleep 1000' &
		exec -a $mark sleep 1000
	S
	plan "deadline_secs 1" "grace_secs 0"
	for n in $(seq 40); do
		kill_at "$n"
	done
	[ -z "$(ls "$dir/state/running")" ]
}

dirty=/proc/sys/vm/dirty_expire_centisecs

@test "a setting holds for the run and is put back" {
	[ -w $dirty ] || skip "settings cannot be written"
	before=$(cat $dirty)
	program <<-S
		#!/bin/sh
		cat $dirty
	S
	plan "set dirty_expire_centisecs=777" "set no_turbo=1"
	agent
	[ "$(cat "$dir/r/stdout")" = 777 ]
	[ "$(cat $dirty)" = "$before" ]
	grep -q "^was ${dirty#/}=$before$" "$dir/r/setup"
	grep -q "^set ${dirty#/}=777$" "$dir/r/setup"
	[ -e /sys/devices/system/cpu/intel_pstate/no_turbo ] || grep -q '^unavailable no_turbo=1$' "$dir/r/setup"
	[ -z "$(ls "$dir/state/settings")" ]
}

@test "a setting that cannot be is a skipped run" {
	program <<-'S'
		#!/bin/sh
		echo ran
	S
	plan "set thp_enabeld=never"
	agent
	[ "$(field state)" = skipped ]
	[ "$(field reason)" = "set-up: unknown setting 'thp_enabeld'" ]
	[ ! -s "$dir/r/stdout" ]
}

@test "settings are put back after a kill" {
	[ -w $dirty ] || skip "settings cannot be written"
	before=$(cat $dirty)
	program <<-S
		#!/bin/bash
		exec -a $mark sleep 1000
	S
	plan "set dirty_expire_centisecs=777"
	for who in agent both; do
		rm -r "$dir/r" && mkdir "$dir/r"
		"$AGENT" run "$dir/plan" "$dir/r" "$dir/state" 3>&- 2>/dev/null &
		guard=$!
		until [ -n "$(left)" ]; do sleep 0.02; done
		agent=$(pgrep -P $guard)
		[ "$(cat $dirty)" = 777 ]
		if [ $who = both ]; then kill -9 $guard "$agent"; else kill -9 "$agent"; fi
		wait $guard || true
		[ $who = agent ] || "$AGENT" sweep "$dir/state"
		[ "$(cat $dirty)" = "$before" ]
		[ -z "$(ls "$dir/state/settings" "$dir/state/running" | grep -v :)" ]
	done
}

@test "monitors sample from the run's beginning to its end" {
	program <<-'S'
		#!/bin/sh
		sleep 0.35
	S
	plan "monitor proc-vmstat interval_secs=0.1" "monitor pressure interval_secs=60" "monitor nope"
	agent
	[ "$(field state)" = ok ]
	[ "$(field monitor_cpu_ns)" -gt 0 ]
	[ "$(grep -c '^time: ' "$dir/r/monitors/proc-vmstat")" -ge 4 ]
	[ "$(grep -c '^pgfault ' "$dir/r/monitors/proc-vmstat")" = "$(grep -c '^time: ' "$dir/r/monitors/proc-vmstat")" ]
	grep -q '^monitor_unavailable nope: no monitor of that name$' "$dir/r/journal"
	# began <= each time <= ended
	awk '$1 == "began" || $1 == "ended" { at[$1] = $2 }
		$1 == "time:" { sub(/\./, "", $2); if ($2 < at["began"]) bad = 1; last = $2 }
		END { exit bad || !last }' "$dir/r/journal" "$dir/r/monitors/proc-vmstat"
	[ ! -e /proc/pressure/cpu ] || grep -q '^/proc/pressure/cpu$' "$dir/r/monitors/pressure"
}

@test "monitors that are programs run beside the test, and are not counted" {
	type -P perf vmstat || skip "neither perf nor vmstat here"
	program <<-'S'
		#!/bin/sh
		sleep 1.5
	S
	plan "monitor perf-stat interval_secs=0.5" "monitor vmstat interval_secs=1" \
		"monitor perf-profile interval_secs=1" "monitor turbostat"
	agent
	[ "$(field state)" = ok ]
	[ "$(field leftovers)" = 0 ]
	[ -z "$(pgrep -f "$dir/r/monitors" || true)" ]
	if type -P perf; then
		grep -qE '^ *[0-9.]+,[0-9]+,,page-faults,' "$dir/r/monitors/perf-stat"
		[ -s "$dir/r/monitors/perf-profile" ]
	else
		grep -q '^monitor_unavailable perf-stat: no program perf$' "$dir/r/journal"
	fi
	# sh and sleep need next to nothing; perf and vmstat do not
	[ "$(field user_ns)" -lt 100000000 ]
}

@test "what the kernel says meanwhile is kept, and a warning noted" {
	[ -w /dev/kmsg ] || skip "the kernel's log cannot be written"
	echo "krobot-before-$mark" >/dev/kmsg
	program <<-S
		#!/bin/sh
		echo "<4>WARNING: this is a test of krobot: $mark" >/dev/kmsg
	S
	plan
	agent
	[ "$(field state)" = ok ]
	grep -qE "^\[ *[0-9]+\.[0-9]{6}\] WARNING: this is a test of krobot: $mark\$" "$dir/r/kmsg"
	run ! grep -q "krobot-before" "$dir/r/kmsg"
	grep -q "^warning WARNING: this is a test of krobot: $mark\$" "$dir/r/trouble"
}

@test "a sweep leaves a run under way alone" {
	program <<-S
		#!/bin/bash
		until [ -e $dir/go ]; do sleep 0.02; done
	S
	plan
	"$AGENT" run "$dir/plan" "$dir/r" "$dir/state" 3>&- &
	until [ -e "$dir/r/stdout" ]; do sleep 0.02; done
	"$AGENT" sweep "$dir/state"
	touch "$dir/go"
	wait $!
	[ "$(field state)" = ok ]
}
