# SPDX-License-Identifier: GPL-2.0-or-later
# krobot run, import, log, show on small programs written here.

bats_require_minimum_version 1.5.0

setup() {
	cd "$BATS_TEST_TMPDIR"
	export KROBOT_HOME=$PWD/home KROBOT_PATH=$PWD/root
	mkdir -p root/tests root/stats
}

# program NAME BODY: a test in the manner of LKP, with its options declared.
program() {
	printf '#!/bin/sh\n# - size\n# - nr_task\n%s\n' "$2" >"root/tests/$1"
	chmod +x "root/tests/$1"
}

job() { # NAME TEXT
	printf '%s\n' "$2" >"$1.yaml"
}

@test "a job file is run, parsed and kept" {
	program hello 'echo "rate: $size"; echo "rate: 14"; echo chatter'
	job j 'hello:
  size: [10, 20]'
	run --separate-stderr "$KROBOT" run j.yaml
	[ "$status" -eq 0 ]
	[ "${lines[0]%% *}" = "[1/2]" ]
	run --separate-stderr "$KROBOT" log --metric hello.rate
	[ "$status" -eq 0 ]
	[[ "$output" == *"j-10"*"12"* ]]
	[[ "$output" == *"j-20"*"17"* ]]
}

@test "LKP's scripts run unchanged: parameters as variables, a stats filter on stdout" {
	program widget '. "$LKP_SRC/lib/say.sh"; say "size=$size task=$nr_task cpus=$nr_cpu"'
	mkdir root/lib
	echo 'say() { echo "$@"; }' >root/lib/say.sh
	cat >root/stats/widget <<-'END'
	#!/bin/sh
	sed -n 's/^size=\([0-9]*\)k task=\([0-9]*\) cpus=[0-9].*/kib: \1\ntasks: \2/p'
	END
	chmod +x root/stats/widget
	job j 'suite: widget
testcase: widget
nr_task: 50%
widget:
  size: 64k'
	run --separate-stderr "$KROBOT" run j.yaml
	echo "$output $stderr"
	[ "$status" -eq 0 ]
	run --separate-stderr "$KROBOT" show 1
	[[ "$output" == *"widget.kib: 64"* ]]
	half=$(($(nproc --all) / 2))
	[[ "$output" == *"widget.tasks: $((half ? half : 1))"* ]]
}

@test "a failed test says so, with its last words, and is status 1" {
	program bad 'i=0; while [ $i -lt 30 ]; do echo "line $i" >&2; i=$((i + 1)); done; exit 3'
	job j 'bad:
  size: 1'
	run --separate-stderr "$KROBOT" run j.yaml
	[ "$status" -eq 1 ]
	[[ "$output" == *": failed ("* ]]
	[[ "$stderr" == *"line 10"*"line 29"* ]]
	[[ "$stderr" != *"line 9"$'\n'* ]]
}

@test "a test that skips is status 125, one beside good ones is not" {
	program no 'echo "needs a unicorn"; exit 77'
	program yes 'echo "v: 1"'
	job no 'no:
  size: 1'
	job yes 'yes:
  size: 1'
	run --separate-stderr "$KROBOT" run no.yaml
	[ "$status" -eq 125 ]
	[[ "$output" == *"skipped (needs a unicorn)"* ]]
	run --separate-stderr "$KROBOT" run no.yaml yes.yaml
	[ "$status" -eq 0 ]
}

@test "no metric is never a number: the run is unparsed" {
	program mute 'echo nothing to see'
	job j 'mute:
  size: 1'
	run --separate-stderr "$KROBOT" run j.yaml
	[ "$status" -eq 128 ]
	[[ "$output" == *"unparsed (no metric was recognised)"* ]]
}

@test "a parser that fails loses nothing" {
	program t 'echo precious'
	printf '#!/bin/sh\nexit 1\n' >root/stats/t
	chmod +x root/stats/t
	job j 't:
  size: 1'
	run --separate-stderr "$KROBOT" run j.yaml
	[ "$status" -eq 128 ]
	grep -rq precious home/data/results
}

@test "a run that takes too long ends, and nothing is left of it" {
	program slow 'setsid sh -c "sleep 987 & sleep 988" & sleep 989'
	job j 'slow:
  size: 1'
	run --separate-stderr "$KROBOT" run --timeout 1s j.yaml
	[ "$status" -eq 1 ]
	[[ "$output" == *": timeout"* ]]
	! pgrep -f '^sleep 98[789]$'
}

@test "labels take turns: A B B A" {
	program t 'echo "v: 1"'
	job j 't:
  size: 1'
	run --separate-stderr "$KROBOT" run -l A -l B -n 2 j.yaml
	[ "$status" -eq 0 ]
	[ "$(printf '%s\n' "${lines[@]}" | cut -d' ' -f3 | tr -d ':\n')" = "ABBA" ]
}

@test "the database can be lost: import makes it again" {
	program t 'echo "v: 7"'
	job j 't:
  size: 1'
	"$KROBOT" run -n 3 j.yaml
	"$KROBOT" log --metric t.v >before
	rm home/data/krobot.db*
	run --separate-stderr "$KROBOT" import
	[ "$output" = "3 runs imported, 0 of them lost; 0 folders could not be read" ]
	"$KROBOT" log --metric t.v >after
	diff before after
}

@test "a folder from elsewhere is imported with one command" {
	program t 'echo "v: 7"'
	job j 't:
  size: 1'
	"$KROBOT" run j.yaml
	cp -r home/data/results elsewhere
	KROBOT_HOME=$PWD/other run --separate-stderr "$KROBOT" import elsewhere
	[ "$output" = "1 runs imported, 0 of them lost; 0 folders could not be read" ]
	KROBOT_HOME=$PWD/other "$KROBOT" log --metric t.v | grep -q ' 7$'
}

@test "JSON says which" {
	program t 'echo "v: 7"'
	program f 'exit 1'
	job j 't:
  size: 1'
	job k 'f:
  size: 1'
	run --separate-stderr "$KROBOT" run --json j.yaml k.yaml
	[ "$status" -eq 1 ]
	[ "$(printf '%s' "$output" | python3 -c 'import json,sys; print([r["state"] for r in json.load(sys.stdin)])')" = "['ok', 'failed']" ]
}

@test "usage errors are 129, trouble is 128" {
	run "$KROBOT" run
	[ "$status" -eq 129 ]
	run "$KROBOT" run --runs=many x.yaml
	[ "$status" -eq 129 ]
	run "$KROBOT" run --dry-run --json x.yaml
	[ "$status" -eq 129 ]
	run "$KROBOT" run nowhere.yaml
	[ "$status" -eq 128 ]
	run "$KROBOT" frobnicate
	[ "$status" -eq 129 ]
}

@test "monitors make a run of their own, which explains and is never judged" {
	program t 'sleep 0.2; echo "v: 7"'
	job j 't:
  size: 1
proc-vmstat:
meminfo:
  interval: 1'
	run --separate-stderr "$KROBOT" run -n 2 j.yaml
	echo "$output" "$stderr"
	[ "$status" -eq 0 ]
	[ "${#lines[@]}" -eq 3 ]
	[[ "${lines[2]}" == "[3/3] j-1 (profile): ok"* ]]
	[ ! -e "$(ls -d home/data/results/*/*-0000)/monitors" ]
	run --separate-stderr "$KROBOT" show 3
	[[ "$output" == *"meminfo.MemTotal"* ]]
	[[ "$output" == *"proc-vmstat.pgfault"* ]]
	run --separate-stderr "$KROBOT" log --metric t.v
	[[ "$output" == *": 7 7" ]]
}

@test "a label with an escape sequence moves no cursor" {
	program t 'echo "v: 7"'
	job j 't:
  size: 1'
	run --separate-stderr "$KROBOT" run -l "$(printf 'evil\033[2J')" j.yaml
	[ "$status" -eq 0 ]
	[[ "$output" != *$'\033'* ]]
	[[ "$output" == *'evil\x1b[2J'* ]]
	run --separate-stderr "$KROBOT" run --dry-run -l "$(printf 'evil\033[2J')" j.yaml
	[[ "$output" != *$'\033'* ]]
}

@test "SIGTERM ends it and leaves nothing" {
	program slow 'setsid sleep 7654 & sleep 7654'
	job j 'slow:
  size: 1'
	"$KROBOT" run j.yaml 3>&- &
	pid=$!
	for i in $(seq 100); do pgrep -f '^sleep 7654$' >/dev/null && break; sleep 0.1; done
	kill -TERM $pid
	wait $pid || true
	for i in $(seq 100); do pgrep -f '^sleep 7654$' >/dev/null || break; sleep 0.1; done
	! pgrep -f '^sleep 7654$'
	run --separate-stderr "$KROBOT" import
	[[ "$output" == "1 runs imported, 1 of them lost;"* ]]
}

@test "a damaged folder is named and left out, the others are imported" {
	program t 'echo "v: 7"'
	job j 't:
  size: 1'
	"$KROBOT" run -n 3 j.yaml
	rm home/data/krobot.db*
	: >"$(ls -d home/data/results/*/*-0000)/facts"
	: >"$(ls -d home/data/results/*/*-0001)/journal"
	run --separate-stderr "$KROBOT" import
	[ "$status" -eq 128 ]
	[ "$output" = "1 runs imported, 0 of them lost; 2 folders could not be read" ]
	[[ "$stderr" == *"facts is empty or missing"* ]]
	[[ "$stderr" == *"does not say when the run began"* ]]
}

# tree PID: it and all that it has started.
tree() {
	echo "$1"
	for child in $(pgrep -P "$1"); do tree "$child"; done
}

machine() { cat /proc/sys/kernel/randomize_va_space /sys/kernel/mm/transparent_hugepage/enabled; }

@test "settings that a job names hold during its run, and are put back, also after kill -9" {
	[ -w /proc/sys/kernel/randomize_va_space ] || skip "settings cannot be written here"
	[ -w /sys/kernel/mm/transparent_hugepage/enabled ] || skip "no transparent huge pages"
	before=$(machine)
	other=$(($(cat /proc/sys/kernel/randomize_va_space) == 2 ? 1 : 2))
	program peek 'echo "aslr: $(cat /proc/sys/kernel/randomize_va_space)"
	echo "never: $(grep -c "\[never\]" /sys/kernel/mm/transparent_hugepage/enabled)"
	[ "$size" = 0 ] || { : >'"$PWD"'/began; exec sleep 9876; }'
	settings="randomize_va_space: $other
transparent_hugepage:
  thp_enabled: never
cpufreq_governor: no-such-governor-is-tried"
	job set "$settings
peek:
  size: 0"
	job stay "$settings
peek:
  size: 1"
	job plain 'peek:
  size: 0'
	# A machine with a governor would refuse this one.
	[ -d /sys/devices/system/cpu/cpufreq/policy0 ] && sed -i /cpufreq/d set.yaml stay.yaml

	run --separate-stderr "$KROBOT" run set.yaml
	[ "$status" -eq 0 ]
	[ "$(machine)" = "$before" ]
	run --separate-stderr "$KROBOT" show 1
	[[ "$output" == *"peek.aslr: $other"* ]]
	[[ "$output" == *"peek.never: 1"* ]]
	if grep -q cpufreq set.yaml; then grep -rq '^unavailable cpufreq_governor' home/data/results; fi

	"$KROBOT" run stay.yaml 3>&- &
	pid=$!
	for i in $(seq 100); do [ -e began ] && break; sleep 0.1; done
	[ -e began ]
	all=$(tree $pid)
	# shellcheck disable=SC2086
	kill -9 $all
	wait $pid || true
	[ "$(cat /proc/sys/kernel/randomize_va_space)" = "$other" ]
	run --separate-stderr "$KROBOT" run plain.yaml
	[ "$status" -eq 0 ]
	[ "$(machine)" = "$before" ]
}

@test "warm-up runs come first, are kept, and are never judged" {
	program t 'echo "v: 7"'
	job j 'warmup: 2
t:
  size: 1'
	run --separate-stderr "$KROBOT" run -n 2 -l A -l B j.yaml
	[ "$status" -eq 0 ]
	[ "$(printf '%s\n' "${lines[@]}" | sed 's/ j-1.*//' | tr '\n' ' ')" = \
		"[warm-up 1] [warm-up 2] [warm-up 1] [warm-up 2] [1/4] [2/4] [3/4] [4/4] " ]
	[ "$("$KROBOT" log --metric t.v | grep -c ': 7 7$')" -eq 2 ]
	"$KROBOT" show 1 | grep -q 'warm-up .*not judged'
	! "$KROBOT" show 5 | grep -q warm-up
	rm home/data/krobot.db*
	[ "$("$KROBOT" import)" = "8 runs imported, 0 of them lost; 0 folders could not be read" ]
	[ "$("$KROBOT" log --metric t.v | grep -c ': 7 7$')" -eq 2 ]
}

@test "warm-up until stable says whether it became so" {
	program settles 'n=$(cat '"$PWD"'/counter 2>/dev/null || echo 0)
echo $((n + 1)) >'"$PWD"'/counter
if [ "$size" = 2 ]; then n=$((n % 2)); elif [ $n -ge 2 ]; then n=2; fi
echo "v: $((100 + 100 * n))"'
	cat >root/tests/settles.yaml <<-'END'
	name: settles
	parameters:
	  size: { kind: count, default: 1, help: what it does in the end }
	metrics:
	  v: { unit: s, better: lower, headline: true, meaning: a number }
	END
	job j 'warmup: until-stable 5% 60s
settles:
  size: 1'
	run --separate-stderr "$KROBOT" run j.yaml
	[ "$status" -eq 0 ]
	[ "${#lines[@]}" -eq 6 ]
	[[ "${lines[5]}" == "[1/1] j-1: ok"* ]]
	"$KROBOT" show 6 | grep -q 'warm-up *steady$'

	job k 'warmup: until-stable 5% 1s
settles:
  size: 2'
	run --separate-stderr "$KROBOT" run k.yaml
	[ "$status" -eq 0 ]
	[[ "${lines[-1]}" == "[1/1] k-2 (unsteady): ok"* ]]
}

@test "a warm-up that is neither a count nor until stable is refused before any run" {
	program t 'echo "v: 7"'
	job j 'warmup: sometimes
t:
  size: 1'
	run "$KROBOT" run j.yaml
	[ "$status" -eq 128 ]
	[[ "$output" == *"j-1: warmup: 'sometimes' is neither a count"* ]]
	[ ! -d home/data/results/j-1 ]
}

@test "show tells the clock and the steal time of a run, or that they are not told" {
	program t 'echo "v: 7"'
	job j 't:
  size: 1'
	"$KROBOT" run j.yaml
	run "$KROBOT" show 1
	grep -qE '^  clock +([0-9]+ MHz while busy|not told by this machine)$' <<<"$output"
	grep -qE '^  steal +([0-9.]+ s, [0-9.]+ % of one CPU|not told by this machine)$' <<<"$output"
	"$KROBOT" show --json 1 | python3 -c 'import json, sys
r = json.load(sys.stdin)
assert {"busy_khz", "steal_ns", "warmup", "warmed"} <= set(r), r'
}
