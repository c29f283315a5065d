# SPDX-License-Identifier: GPL-2.0-or-later
# krobot test on a real Debian kernel in QEMU, one kernel against itself; skipped
# where the kernel or QEMU is not to be had.

bats_require_minimum_version 1.5.0

KERNEL=debian:linux-image-6.12-cloud-amd64

setup() {
	cd "$BATS_TEST_TMPDIR"
	# The caches stay where they are: a kernel is unpacked once.
	export XDG_DATA_HOME=$PWD/data XDG_STATE_HOME=$PWD/state
	unset KROBOT_HOME
	printf 'mprotect-toggle:\n  size: 1M\n  iterations: 2\n  nr_process: 2\n  warmup_process: 1\n' >j.yaml
	[ -n "$(command -v qemu-system-x86_64)" ] || skip "no qemu-system-x86_64"
	"$KROBOT" test -h >/dev/null
}

qemus() { pgrep -f "qemu-system.*$PWD" || true; }

have_kernel() {
	case $output$stderr in *"no such package"*|*"apt-get"*) skip "no kernel to be had" ;; esac
}

@test "a kernel against itself: boots in turn, a table, no regression" {
	run --separate-stderr "$KROBOT" test --kernels $KERNEL,$KERNEL --boots 1 --mode tcg j.yaml
	have_kernel
	echo "$output" "$stderr"
	[ "$status" -eq 0 ]
	[[ "$output" == *"iteration_ns_per_page"*"unsure"* ]]
	[ "$(sqlite3 data/krobot/krobot.db "SELECT count(DISTINCT boot_id) FROM run WHERE state = 'ok'")" -eq 2 ]
	[ "$(sqlite3 data/krobot/krobot.db "SELECT DISTINCT mode FROM boot")" = tcg ]
}

@test "killed and started again, it goes on; no machine is left behind" {
	"$KROBOT" test --kernels $KERNEL,$KERNEL --boots 2 --mode tcg j.yaml >/dev/null 2>err 3>&- &
	pid=$!
	for i in $(seq 600); do
		[ "$(ls -d data/krobot/results/*/*-0000/exit 2>/dev/null | wc -l)" -ge 1 ] && break
		kill -0 $pid 2>/dev/null || break
		sleep 0.1
	done
	output=$(cat err) stderr=
	have_kernel
	kill -9 $pid
	wait $pid || true
	for i in $(seq 50); do [ -n "$(qemus)" ] || break; sleep 0.1; done
	[ -z "$(qemus)" ]
	run --separate-stderr "$KROBOT" test --kernels $KERNEL,$KERNEL --boots 2 --mode tcg j.yaml
	echo "$output" "$stderr"
	[ "$status" -eq 0 ]
	[[ "$stderr" == *"going on with session"* ]]
	[ "$(sqlite3 data/krobot/krobot.db "SELECT count(*) FROM run WHERE state = 'ok'")" -eq 4 ]
	[ "$(sqlite3 data/krobot/krobot.db "SELECT count(DISTINCT session) FROM run")" -eq 1 ]
	[ -z "$(ls state/krobot/tests)" ]
}

@test "what cannot be tested is 125, what is wrong is 128 or 129" {
	run --separate-stderr "$KROBOT" test --kernels nowhere.deb,nowhere.deb j.yaml
	[ "$status" -eq 128 ]
	run --separate-stderr "$KROBOT" test --kernels one j.yaml
	[ "$status" -eq 129 ]
	printf 'mprotect-toggle:\n  size: 1M\nneed_memory: 900G\n' >big.yaml
	run --separate-stderr "$KROBOT" test --kernels $KERNEL,$KERNEL big.yaml
	[ "$status" -eq 125 ]
	[[ "$stderr" == *"skipped"*"900G"* ]]
}
