#!/usr/bin/env bash
# What scripts/test compiles ahead, while suites wait, runs on processors that nothing else wants, and ends with
# all its children.
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() { echo "ahead_test: $*" >&2; exit 1; }

unset OUTRIGGER_AHEAD
. "$root/scripts/lib/ahead.sh"
for suite in e2e follow deploy; do
  leaves_room "$suite" || fail "nothing runs next to $suite"
done
for suite in 'e2e 1.33' short unit; do
  ! leaves_room "$suite" || fail "something runs next to $suite"
done

call_off # of nothing

cat >"$work/command" <<'COMMAND'
#!/usr/bin/env bash
sleep 60 &
echo $! >"$1/child"
chrt -p $$ >"$1/policy"
mv "$1/child" "$1/ready"
wait
COMMAND
chmod +x "$work/command"
ahead "$work/command" "$work" 2>"$work/err"
for _ in $(seq 3000); do # what takes only idle processors may have to wait for one
  [ ! -e "$work/ready" ] || break
  sleep 0.02
done
child=$(cat "$work/ready") || fail "it does not start"
grep -q SCHED_IDLE "$work/policy" || fail "it takes processors from others: $(cat "$work/policy")"
call_off 2>>"$work/err"
! kill -0 "$child" 2>/dev/null || fail "a child of it still runs"
[ ! -s "$work/err" ] || fail "it says: $(cat "$work/err")"
call_off # again
echo "ahead_test: ok"
