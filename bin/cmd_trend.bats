#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later

bats_require_minimum_version 1.5.0

# A level of 100 that becomes 110 at the 31st of 60 rows; 1 % of noise.
step() {
	awk 'BEGIN {
		srand(7); print "commit,ns"
		for (i = 1; i <= 60; i++)
			printf "c%d,%.3f\n", i, (i > 30 ? 110 : 100) * (0.99 + 0.02 * rand())
	}'
}

setup() {
	step >"$BATS_TEST_TMPDIR/step.csv"
}

@test "a step is named with its commit and size" {
	run "$KROBOT" trend --csv "$BATS_TEST_TMPDIR/step.csv"
	[ "$status" = 0 ]
	[[ "$output" == *"ns: 60 points"*"1 change"*"at c31,"* ]]
	[[ "$output" =~ \+(9|10)\.[0-9]% ]]
}

@test "a change for the worse is status 1" {
	run "$KROBOT" trend --csv "$BATS_TEST_TMPDIR/step.csv" --better lower
	[ "$status" = 1 ]
	run "$KROBOT" trend --csv "$BATS_TEST_TMPDIR/step.csv" --better higher
	[ "$status" = 0 ]
}

@test "--json has every figure" {
	run "$KROBOT" trend --json --csv - <"$BATS_TEST_TMPDIR/step.csv"
	[ "$status" = 0 ]
	python3 - "$output" <<-'P'
		import json, sys
		(series,) = json.loads(sys.argv[1])
		(c,) = series["changes"]
		assert c["at"] == "c31" and c["before"] == "c30", c
		assert c["change_low"] < c["change"] < c["change_high"] and 0.09 < c["change"] < 0.12, c
		assert 0 < c["p"] <= 0.05 and c["mail"] is True
	P
}

@test "--plot draws points, levels and the change" {
	run "$KROBOT" trend --plot --csv "$BATS_TEST_TMPDIR/step.csv"
	[ "$status" = 0 ]
	[[ "$output" == *"|"*"="*"."*"^"* ]]
	[ "$(LC_ALL=C grep -c '[^ -~]' <<<"$output")" = 0 ]
	[ "$(awk 'length > 100' <<<"$output" | wc -l)" = 0 ]
}

@test "--svg is one well-formed picture, whatever the names are" {
	sed '1s/ns/"<script>alert(1)\&"/' "$BATS_TEST_TMPDIR/step.csv" >"$BATS_TEST_TMPDIR/x.csv"
	"$KROBOT" trend --svg --csv "$BATS_TEST_TMPDIR/x.csv" >"$BATS_TEST_TMPDIR/x.svg"
	python3 - "$BATS_TEST_TMPDIR/x.svg" <<-'P'
		import sys, xml.etree.ElementTree as E
		root = E.parse(sys.argv[1]).getroot()
		tags = [e.tag.split('}')[1] for e in root.iter()]
		assert 'script' not in tags and tags.count('circle') == 60, tags
	P
}

@test "empty and bad files are refused with their line" {
	printf 'v\n1\nx\n' >"$BATS_TEST_TMPDIR/bad.csv"
	run --separate-stderr "$KROBOT" trend --csv "$BATS_TEST_TMPDIR/bad.csv"
	[ "$status" = 128 ]
	[[ "$stderr" == *"bad.csv: line 3: 'x' is not a number" ]]
	: >"$BATS_TEST_TMPDIR/empty.csv"
	run "$KROBOT" trend --csv "$BATS_TEST_TMPDIR/empty.csv"
	[ "$status" = 128 ]
	run "$KROBOT" trend --csv /no/such/file
	[ "$status" = 128 ]
	run "$KROBOT" trend
	[ "$status" = 129 ]
	run "$KROBOT" trend --csv "$BATS_TEST_TMPDIR/step.csv" nometric
	[ "$status" = 128 ]
}

@test "gaps make a change a range" {
	awk -F, -v OFS=, 'NR > 26 && NR <= 36 { $2 = "" } 1' "$BATS_TEST_TMPDIR/step.csv" \
		>"$BATS_TEST_TMPDIR/gap.csv"
	run "$KROBOT" trend --csv "$BATS_TEST_TMPDIR/gap.csv"
	[[ "$output" == *"any of 11 fits nearly as well: c26 to c36"* ]]
	[[ "$output" == *"10 without data just before it"* ]]
}

@test "files of another tool are read" {
	[ -d "$SHARED/cases/series" ] || skip
	for f in "$SHARED"/cases/series/otava-sample{,-semicolons,-unix-time}.csv; do
		run "$KROBOT" trend --csv "$f"
		[ "$status" = 0 ]
		[[ "$output" == *"metric1: 10 points"*"metric2: 10 points"* ]]
	done
	run --separate-stderr "$KROBOT" trend --csv "$SHARED/cases/series/otava-sample_multi_branch.csv"
	[ "$status" = 128 ]
	run "$KROBOT" trend --branch main --csv "$SHARED/cases/series/otava-sample_multi_branch.csv"
	[ "$status" = 0 ]
}
