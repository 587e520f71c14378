#!/usr/bin/env bash
# What takes minutes prints a line every half minute, and scripts/test warns above its budget. Where the
# disk has no room for what they write, they warn before.
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
. "$root/scripts/lib/common.sh"
. "$root/scripts/lib/report.sh"
. "$root/scripts/lib/room.sh"
fail() { echo "progress_test: $*" >&2; exit 1; }

# A build of nine steps that waits after the third until its progress was printed.
build() {
  printf '[%d/9] step\n' 1 2 3
  wait_for "building it, 3 of 9 ("
  return 3
}
wait_for() {
  for _ in $(seq 1000); do
    ! grep -qF "$1" "$work/err" || return 0
    sleep 0.02
  done
  fail "never printed: $1"
}
suite() {
  patiently --log "$work/log" "building it" build || echo "status $?" >"$work/inner"
  wait_for "... the suite ("
}

unset OUTRIGGER_PROGRESS # of the run that this test is part of
export OUTRIGGER_TICK=0.05 TMPDIR=$work
patiently "the suite" suite >"$work/out" 2>"$work/err" || fail "exit code $?"
[[ $(cat "$work/inner") == "status 3" ]] || fail "the exit code of the command is lost"
[[ ! -s $work/out ]] || fail "progress on stdout: $(cat "$work/out")"
[[ -z $(compgen -G "$work/tmp.*") ]] || fail "a file is left"
before=$(wc -l <"$work/err")
sleep 0.2
[[ $(wc -l <"$work/err") == "$before" ]] || fail "it goes on after the end"

rows=("unit|passed|310|600" "e2e 1.33|FAILED|150|99")
[[ $(report 2700) != *warning* ]] || fail "a warning within the budget"
[[ $(report 2701) == *"e2e 1.33             FAILED    150 s     99 s of processors"*"all suites: 45 min 01 s"*"warning: this took more than 45 minutes"* ]] ||
  fail "not the table and a warning but '$(report 2701)'"

# Nothing is there yet, and of the disk 5 GB are free.
(
  mkdir "$work/tree"
  ROOT=$work/tree CACHE=$work/none HOME=$work/none XDG_CACHE_HOME=$work/none GOCACHE=$work/none GOMODCACHE=$work/none
  ccache() { echo "$work/none"; }
  df() { printf 'Filesystem 1048576-blocks Used Available Capacity Mounted\n/dev/a 9999 4879 5120 49%% /\n'; }
  check_room format unit 2>"$work/err"
  [ ! -s "$work/err" ] || fail "no room for unit: $(cat "$work/err")"
  check_room format unit e2e "sanitize 500" 2>"$work/err"
) || exit 1
grep -q "^warning: 5 GB free in $work/tree, 21 GB needed; " "$work/err" || fail "it says: $(cat "$work/err")"
echo "progress_test: ok"
