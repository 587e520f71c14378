# Sourced by scripts/test: what sanitizers need is compiled while suites wait.
# shellcheck shell=bash

# The suites that leave a part of the processors idle: they wait for leases, deadlines and backoffs. Separated by commas.
AHEAD=${OUTRIGGER_AHEAD-scripts,e2e,follow,lab,deploy}

# leaves_room SUITE: whether the suite is one of these.
leaves_room() { [[ ",$AHEAD," == *",$1,"* ]]; }

# ahead COMMAND...: runs it until call_off, on processors that nothing else wants (SCHED_IDLE: whoever wakes up
# runs at once). A group of processes of its own, but no session: the kernel may share processors by sessions.
ahead() {
  set -m
  chrt --idle 0 ionice -c 3 "$@" >/dev/null 2>&1 </dev/null &
  AHEAD_PID=$!
  set +m
}

# call_off: ends what ahead started, with all its children. How that fared does not matter: a suite does all of
# it again, and has less left to do.
call_off() {
  [ -n "${AHEAD_PID:-}" ] || return 0
  kill -TERM -- "-$AHEAD_PID" 2>/dev/null || true
  wait "$AHEAD_PID" 2>/dev/null || true
  # ninja takes back what is half written.
  for _ in $(seq 200); do
    kill -0 -- "-$AHEAD_PID" 2>/dev/null || break
    sleep 0.05
  done
  AHEAD_PID=""
}
