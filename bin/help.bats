# SPDX-License-Identifier: GPL-2.0-or-later
# What krobot says of itself: all commands, no line wider than a terminal, and a
# manual that has each of them.

bats_require_minimum_version 1.5.0

commands() { "$KROBOT" help | awk '/^  [a-z]/ { print $1 }'; }

@test "every command is in the list, with help of at most 80 columns" {
	[ "$(commands | wc -l)" -ge 10 ]
	[ -z "$("$KROBOT" help | awk 'length > 80')" ]
	for c in $(commands); do
		run "$KROBOT" "$c" -h
		[ "$status" -eq 0 ]
		[ "${output%%$'\n'*}" != "${output%%krobot $c*}" ]
		[ -z "$(printf '%s\n' "$output" | awk 'length > 80')" ] || { echo "$output"; false; }
	done
}

@test "the manual has each command and each option" {
	"$KROBOT" help --scd >"$BATS_TEST_TMPDIR/manual.scd"
	for c in $(commands); do
		grep -q "^\*krobot $c\* " "$BATS_TEST_TMPDIR/manual.scd"
		for o in $("$KROBOT" "$c" -h | grep -oE '^ +(-[a-zA-Z], )?--[a-z-]+' | grep -oE -- '--[a-z-]+'); do
			grep -qF -- "*$o*" "$BATS_TEST_TMPDIR/manual.scd"
		done
	done
}

@test "a command that is not there is named, with where to look" {
	run "$KROBOT" frobnicate
	[ "$status" -eq 129 ]
	[[ "$output" == *"no command 'frobnicate'"*"krobot help"* ]]
}
