#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later

bats_require_minimum_version 1.5.0

setup() {
	cd "$BATS_TEST_TMPDIR"
	echo '{"t.throughput": [100, 101, 99, 100, 100.5, 99.5], "t.same": [5, 5, 5, 5, 5, 5]}' >aaa.matrix.json
	echo '{"t.throughput": [80, 81, 79, 80, 80.5, 79.5], "t.same": [5, 5, 5, 5, 5, 5]}' >bbb.matrix.json
	printf 'size: 512G\nruntime: 300\n' >axes.yaml
}

@test "matrices are judged, the commit is the file's name up to the first dot" {
	run "$KROBOT" compare --matrix aaa.matrix.json bbb.matrix.json
	[ "$status" = 1 ]
	[[ "$output" == *" aaa "*" bbb "* ]]
	[[ "$output" == *"t.throughput"*"-20.0% ["*"] regression"* ]]
	run "$KROBOT" compare --matrix bbb.matrix.json aaa.matrix.json
	[ "$status" = 0 ]
	[[ "$output" == *"+25.0% ["*"] improvement"* ]]
}

@test "LKP's rule and table" {
	run "$KROBOT" compare --rule lkp --axes axes.yaml --matrix aaa.matrix.json bbb.matrix.json
	[ "$status" = 0 ]
	[[ "$output" == *$'size/runtime:\n  512G/300\n\ncommit: \n  aaa\n  bbb\n'* ]]
	[[ "$output" == *$'\n    100.00           -20.0%      80.00        t.throughput' ]]
	same=$("$KROBOT" compare --format lkp --axes axes.yaml --matrix aaa.matrix.json bbb.matrix.json)
	[ "$same" = "$output" ]
}

@test "each format is well-formed" {
	for format in json csv markdown html; do
		run "$KROBOT" compare --format $format --matrix aaa.matrix.json bbb.matrix.json
		[ "$status" = 1 ]
		printf '%s\n' "$output" >out.$format
	done
	python3 - <<-'P'
		import csv, json, xml.etree.ElementTree as E
		(throughput,) = [r for r in json.load(open('out.json')) if r['metric'] == 't.throughput']
		assert throughput['verdict'] == 'regression' and throughput['boots'] == 6, throughput
		(line,) = [r for r in csv.DictReader(open('out.csv')) if r['metric'] == 't.throughput']
		assert abs(float(line['change']) - throughput['change']) < 1e-9
		E.parse('out.html')
	P
	grep -q '^| t.throughput | 100 +-0.7% n=6 | 80 +-' out.markdown
}

@test "several jobs come in one table" {
	cp aaa.matrix.json aaa.second.json
	cp bbb.matrix.json bbb.second.json
	run "$KROBOT" compare --matrix aaa.matrix.json bbb.matrix.json aaa.second.json bbb.second.json
	[ "$status" = 1 ]
	[[ "$output" == *"matrix.json"*"t.throughput"*"second.json"*"t.throughput"* ]]
}

@test "bad input is named" {
	run --separate-stderr "$KROBOT" compare --matrix aaa.matrix.json
	[ "$status" = 128 ]
	[[ "$stderr" == *"nothing to compare with"* ]]
	printf '{"a": [1,\n 2' >ccc.matrix.json
	run --separate-stderr "$KROBOT" compare --matrix aaa.matrix.json ccc.matrix.json
	[ "$status" = 128 ]
	[[ "$stderr" == *"ccc.matrix.json: line 2: an array does not end"* ]]
	run "$KROBOT" compare --format xml --matrix aaa.matrix.json bbb.matrix.json
	[ "$status" = 129 ]
	run "$KROBOT" compare --rule x --matrix aaa.matrix.json bbb.matrix.json
	[ "$status" = 129 ]
}
