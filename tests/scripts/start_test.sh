#!/usr/bin/env bash
# scripts/start in a pipe: what it shows, its exit code, a scenario of one's own, and that it leaves nothing
# running.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/tmp" "$work/own scenarios"

fail() { echo "start_test: $*" >&2; exit 1; }
start() { # its folder and its processes are told from others' by TMPDIR
  status=0
  TMPDIR="$work/tmp" timeout 120 "$root/scripts/start" "$@" >"$work/out" 2>"$work/err" </dev/null || status=$?
}
ends_with() {
  ((status == $1)) || { cat "$work/out" "$work/err" >&2; fail "exit code $status of $2"; }
  [[ -z $(ls -A "$work/tmp") ]] || fail "$2 leaves files: $(ls "$work/tmp")"
  ! grep -lF "$work/tmp" /proc/[0-9]*/cmdline 2>/dev/null || fail "$2 leaves processes"
}
shows() { grep -qE -- "$1" "$work/out" || { cat "$work/out" "$work/err" >&2; fail "does not show: $1"; }; }

start
ends_with 0 "the course's scenario"
shows '^scenario: node0 to node8 are created, all of them cordoned$'
shows '^default/pod1, attempt 1$'
shows '^  Filter +NodeUnschedulable +node0 +node\(s\) were unschedulable$'
shows '^scenario: pod1 is pending, Unschedulable: 0/9 nodes are available: 9 node\(s\) were unschedulable\.$'
shows '^default/pod1, attempt 2$'
shows '^  -> node10$'
shows '^scenario: pod1 is bound to node10$'
grep -q $'\x1b' "$work/out" "$work/err" && fail "colours in a pipe"
[[ -s $work/err ]] && fail "something on stderr: $(cat "$work/err")"
# One after the other: what the scheduler does, then what comes of it.
tail -n 1 "$work/out" | grep -q '^scenario: pod1 is bound to node10$' || fail "the scenario does not have the last word"

# A copy of the scenario, changed, in another folder; by make, from there.
own="$work/own scenarios/mine.go"
awk '/^func scenario\(\) \{$/ { print; print "\tcreateNode(\"node1\", cordoned)\n\ttime.Sleep(time.Second)"
  print "\tcreatePod(\"pod1\")\n\twaitBound(\"pod1\", 10*time.Second)\n\tsay(whereIs(\"pod1\"))\n\tos.Exit(7)"; next } { print }' \
  "$root/docs/learn/scenario/main.go" >"$own"
(cd "$work/own scenarios" && start --step 1 --seed 1 --scenario mine.go && printf '%s' "$status" >"$work/status")
status=$(cat "$work/status")
ends_with 7 "a scenario of one's own"
shows '^  Select +node1 '
shows '^scenario: pod1 is bound to node1$'
grep -q node0 "$work/out" && fail "not the scenario of one's own"

# What ends the script ends everything, in the middle of a scenario, too.
awk '/^func scenario\(\) \{$/ { print; print "\tsay(\"for long\")\n\ttime.Sleep(time.Hour)"; next } { print }' \
  "$root/docs/learn/scenario/main.go" >"$work/own scenarios/long.go"
TMPDIR="$work/tmp" "$root/scripts/start" --scenario "$work/own scenarios/long.go" >"$work/out" 2>"$work/err" </dev/null &
script=$!
for ((i = 0; i < 1200; i++)); do
  if grep -q '^scenario: for long$' "$work/out"; then break; fi
  sleep 0.1
done
shows '^scenario: for long$'
kill -TERM "$script"
status=0
wait "$script" || status=$?
ends_with 130 "a script that gets SIGTERM"
grep -qx 'start: interrupted, everything is stopped' "$work/err" || fail "it does not print that all is stopped: $(cat "$work/err")"

sed 's/createPod("pod1")/creatPod("pod1")/' "$own" >"$work/own scenarios/wrong.go"
start --scenario "$work/own scenarios/wrong.go"
ends_with 1 "a scenario that does not compile"
grep -q 'wrong.go:.*undefined: creatPod' "$work/err" || fail "the compiler's words are not shown: $(cat "$work/err")"
for arguments in "--step 0" "--step 8" "--step x" "--seed x" "--scenario $work/none.go" "--step" "--no-such-flag"; do
  # shellcheck disable=SC2086 # two words
  start $arguments
  ends_with 2 "$arguments"
done
make -C "$root" --no-print-directory -n start STEP=3 SCENARIO="$own" SEED=5 |
  grep -F -- "--step '3' --scenario '$own' --seed '5'" >/dev/null ||
  fail "make start does not hand on what it is given"
echo "start_test: ok"
