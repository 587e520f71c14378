#!/usr/bin/env bash
# scripts/demo in a pipe: its exit code, what it shows, and that it leaves nothing behind. With a
# program that answers wrongly it must fail.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/tmp"
export OUTRIGGER_TICK=3600 # a machine on which the demo is built for long prints nothing of that

fail() { echo "demo_test: $*" >&2; exit 1; }
demo() { # its folder and its processes are told from others' by TMPDIR
  status=0
  TMPDIR="$work/tmp" timeout 240 "$root/scripts/demo" "$@" >"$work/out" 2>"$work/err" </dev/null ||
    status=$?
}
meanwhile() { # NAME: this demo runs during the next ones
  mkdir "$work/$1"
  TMPDIR="$work/$1" timeout 240 "$root/scripts/demo" "$1" >"$work/$1.out" 2>"$work/$1.err" </dev/null &
}
ended() { # NAME PID: as after demo NAME
  status=0
  wait "$2" || status=$?
  mv "$work/$1.out" "$work/out"
  mv "$work/$1.err" "$work/err"
  ((status == 0)) || { cat "$work/out" "$work/err" >&2; fail "exit code $status of demo $1"; }
}
left_nothing() {
  [[ -z $(ls -A "${1:-$work/tmp}") ]] || fail "files are left: $(ls "${1:-$work/tmp}")"
  ! grep -lF "${1:-$work/tmp}" /proc/[0-9]*/cmdline 2>/dev/null || fail "processes are left"
}
shows() {
  grep -qE -- "$1" "$work/out" || { cat "$work/out" "$work/err" >&2; fail "does not show: $1"; }
ends_well() { # what every demo ends with, nothing left of it
  shows '^demo: all [0-9]+ promises kept$'
  [[ -s $work/err ]] && fail "something on stderr: $(cat "$work/err")"
  [[ -z $(awk 'length > 100' "$work/out") ]] || fail "lines of more than 100 columns"
  left_nothing
}
}

demo
((status == 0)) || { cat "$work/out" "$work/err" >&2; fail "exit code $status"; }
shows '^web +idle +fits +10 +2 +12$'
shows 'steady +fits +8 +8 +16 +<- placed$'
shows 'low-memory +fits +6 +7 +13 +<- placed$'
shows 'erratic +cpu: risk 0\.33 > 0\.30'
shows 'control +not offered'
shows '^giant is pending; its condition PodScheduled is Unschedulable:'
shows 'steady +fits +- +- +- +<- placed$' # cured
shows '[0-9]+ calls of kube-scheduler'
shows '^demo: all [0-9]+ promises kept$'
grep -q $'\x1b' "$work/out" "$work/err" && fail "colours in a pipe"
[[ -s $work/err ]] && fail "something on stderr: $(cat "$work/err")"
[[ -z $(awk 'length > 100' "$work/out") ]] || fail "lines of more than 100 columns"
left_nothing

# They mostly wait, and run during the next three now that what all need is built.
meanwhile load
load=$!
OUTRIGGER_DEMO_JSON="$work/day.json" meanwhile penalty
penalty=$!

demo gang
((status == 0)) || { cat "$work/out" "$work/err" >&2; fail "exit code $status of demo gang"; }
shows 'neither gang can start'
shows 'red +6 of 6 pods are placed$'
shows 'blue +6 of 6 pods are placed$'
shows 'gang default/(red|blue) waits: cpu'
shows '6 members need cpu 1, .*, 2 fit; 4 more nodes with cpu 1'
ends_well

demo devices
((status == 0)) || { cat "$work/out" "$work/err" >&2; fail "exit code $status of demo devices"; }
shows '^ +claim default/pair-2-foozers: 2 foozer on one numa wanted, best has 1 free'
shows '^ +Nearest: +a; would help: count 3 in request gpus$'
shows '^ +Allocated: three has gpus gpu.example.com/[ab]/gpu-0'
ends_well

demo queue
((status == 0)) || { cat "$work/out" "$work/err" >&2; fail "exit code $status of demo queue"; }
shows '^ +[0-9.]+ s +blue-besteffort +groupPriority +1 +BestEffort$'
shows 'inversions: [1-9][0-9]* of 28 pairs of pods$'
shows '^ +1 +default/red-guaranteed +10 +Guaranteed +waits$'
shows 'inversions: 0 of 28 pairs of pods$'
ends_well

# An agent that takes every risk places pods elsewhere, and the demo must say so.
cat >"$work/reckless" <<SCRIPT
#!/bin/sh
OUTRIGGER_SAFE_MAX_RISK=1 exec "${OUTRIGGER_BIN:-$root/build/dev/bin/outrigger}" "\$@"
SCRIPT
chmod +x "$work/reckless"
OUTRIGGER_BIN="$work/reckless" demo
((status == 1)) || fail "exit code $status with an agent that takes every risk"
shows '^NOT AS PROMISED: pod giant'
left_nothing

ended load "$load"
shows '^ +[0-9.]+ s +5 % +[0-9]+m \+- [0-9]+m +55 % +[0-9]+m \+- [0-9]+m +a( a)*$'
shows '^ +New pods avoid a [0-9.]+ s later\.$'
shows '^ +a +cpu: risk (0\.[0-9]+|1(\.0+)?) > 0\.300?$'
shows '^ +They come back [0-9.]+ s later\.$'
shows '^demo: all [0-9]+ promises kept$'
[[ -s $work/err ]] && fail "something on stderr: $(cat "$work/err")"
[[ -z $(awk 'length > 100' "$work/out") ]] || fail "lines of more than 100 columns"
left_nothing "$work/load"

ended penalty "$penalty"
shows '^ +[0-9:]+ +gold +1000 -> +880 +start default/train-1 +gap [0-9.]+ ms +#+$'
shows '^ +[0-9:]+ +gold +9[0-9]{2} -> 1000 +recovery +gap [0-9.]+ ms +#+$'
shows '^ +[0-9:]+ +pod report-3 of class gold is created with priority 1000$'
shows '^ +gold +1000 +1000 +[0-9.]+ +501 +class silver +3 +3 +at base$'
# On a slow machine they have begun to recover when the agent is stopped.
shows '^ +gold: (8[89]|9[0-9])[0-9] -> 1000$'
shows '^ +silver: (3[89]|4[0-9])[0-9] -> 500$'
shows '^demo: all [0-9]+ promises kept$'
[[ -s $work/err ]] && fail "something on stderr: $(cat "$work/err")"
[[ -z $(awk 'length > 100' "$work/out") ]] || fail "lines of more than 100 columns"
"$root/scripts/plot-penalty" "$work/day.json" >"$work/day.svg"
grep -q 'id="gold"' "$work/day.svg" || fail "the day cannot be drawn"
left_nothing "$work/penalty"

OUTRIGGER_BIN=/ demo --no-such-flag
((status == 2)) || fail "exit code $status for an unknown argument"
echo "demo_test: ok"
