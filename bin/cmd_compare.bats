# SPDX-License-Identifier: GPL-2.0-or-later
# krobot compare and explain on programs whose figures are known.

bats_require_minimum_version 1.5.0

setup() {
	cd "$BATS_TEST_TMPDIR"
	export KROBOT_HOME=$PWD/home KROBOT_PATH=$PWD/root
	mkdir -p root/tests
	# Says what the label's file holds, one value a run: a machine without noise of its own.
	cat >root/tests/dial <<-END
	#!/bin/sh
	# - size
	head -n 1 "$PWD/values" | sed 's/^/rate: /'
	sed -i 1d "$PWD/values"
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
	printf 'dial:\n  size: [1, 2]\n' >axis.yaml
}

measure() { # A-VALUES B-VALUES, as many each: run in the order A B B A
	: >values
	a=($1) b=($2)
	for i in "${!a[@]}"; do
		if ((i % 2)); then echo "${b[i]}"; echo "${a[i]}"; else echo "${a[i]}"; echo "${b[i]}"; fi
	done >values
	"$KROBOT" run -l old -l new -n "${#a[@]}" j.yaml >/dev/null
}

@test "a clear drop is a regression, status 1" {
	measure "1000 1001 999 1002 998 1000 1001 999" "900 901 899 902 898 900 901 899"
	run --separate-stderr "$KROBOT" compare old new
	echo "$output"
	[ "$status" -eq 1 ]
	[[ "$output" == *"dial.rate"*"-10.0%"*"regression"* ]]
	[[ "$output" == *"n=8"* ]]
	[[ "$output" == *"runs of one boot"* ]]
}

@test "a clear gain is an improvement, status 0" {
	measure "900 901 899 902 898 900 901 899" "1000 1001 999 1002 998 1000 1001 999"
	run --separate-stderr "$KROBOT" compare old new
	[ "$status" -eq 0 ]
	[[ "$output" == *"improvement"* ]]
}

@test "the same against itself is no change" {
	measure "1000 1001 999 1002 998 1000" "1001 999 1000 998 1002 1000"
	run --separate-stderr "$KROBOT" compare --all old new
	[ "$status" -eq 0 ]
	[[ "$output" == *"same"* ]]
}

@test "noise is unsure, and how many more would tell" {
	measure "1000 1300 800 1200" "900 1200 750 1150"
	run --separate-stderr "$KROBOT" compare old new
	[ "$status" -eq 0 ]
	[[ "$output" == *"unsure"*"more"* ]]
}

@test "a label that is not there: what is near, status 125" {
	measure "1 1 1" "1 1 1"
	run --separate-stderr "$KROBOT" compare old nw
	[ "$status" -eq 125 ]
	[[ "$stderr" == *"no label 'nw'; nearest: new"* ]]
	[ -z "$output" ]
}

@test "values of a parameter are compared" {
	for v in 100 50 51 101 99 49 50 100 100 50 51 101; do echo $v; done >values
	"$KROBOT" run -n 6 axis.yaml >/dev/null
	run --separate-stderr "$KROBOT" compare --by size dial
	echo "$output"
	[ "$status" -eq 1 ]
	[[ "$output" == *"regression"* ]]
	run --separate-stderr "$KROBOT" compare --by colour dial
	[ "$status" -eq 125 ]
}

@test "two builds of a test are not compared, unless forced and then labelled" {
	measure "100 100 101 99" "100 100 101 99"
	echo '# another build' >>root/tests/dial
	printf '%s\n' 100 100 101 99 >values
	"$KROBOT" run -l later -n 4 j.yaml >/dev/null
	run --separate-stderr "$KROBOT" compare old later
	[ "$status" -eq 125 ]
	[[ "$stderr" == *"different builds of the test"* ]]
	[ -z "$output" ]
	run --separate-stderr "$KROBOT" compare --json old later
	[ "$output" = "[]" ]
	run --separate-stderr "$KROBOT" compare --force --all old later
	[[ "$output" == *"dial.rate"*"warning: the sides ran different builds"* ]]
}

@test "explain tells how it was judged, and what a metric is" {
	measure "1000 1001 999 1002" "900 901 899 902"
	run --separate-stderr "$KROBOT" compare --explain rate old new
	[[ "$output" == *"95% interval"*"verdict:"* ]]
	run --separate-stderr "$KROBOT" explain dial.rate
	[ "$status" -eq 0 ]
	[[ "$output" == *"what it is told"*"ops/s"*"higher"* ]]
	run --separate-stderr "$KROBOT" explain nonsense
	[ "$status" -eq 125 ]
}

@test "JSON carries the figures" {
	measure "1000 1001 999 1002 998 1000 1001 999" "900 901 899 902 898 900 901 899"
	"$KROBOT" compare --json old new >out.json || [ $? -eq 1 ]
	[ "$(python3 -c 'import json; r = json.load(open("out.json"))[0]
print(r["verdict"], round(r["change"], 3), r["a"]["runs"], r["low"] < r["change"] < r["high"])')" = "regression -0.1 8 True" ]
}

@test "a label named twice is no comparison" {
	measure "1 1 1" "1 1 1"
	run "$KROBOT" compare old old
	[ "$status" -eq 129 ]
	[[ "$output" == *"'old' is named twice"* ]]
}

@test "a label that is no UTF-8 is in the JSON like any other" {
	bad=$(printf 'bad\xff')
	printf '%s\n' 100 90 91 101 99 90 >values
	"$KROBOT" run --json -l old -l "$bad" -n 3 j.yaml >run.json
	"$KROBOT" compare --json old "$bad" >out.json || [ $? -eq 1 ]
	python3 -c 'import json
assert len(json.load(open("run.json"))) == 6
assert json.load(open("out.json"))[0]["head"] == "bad\\xff"'
}
