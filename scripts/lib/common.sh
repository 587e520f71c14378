# Sourced by the scripts beside it: where things are, how they talk, how missing parts are found.
# shellcheck shell=bash
set -euo pipefail

ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
CACHE=${OUTRIGGER_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/outrigger}
# prometheus and promtool, which `scripts/setup --prometheus` unpacks.
# shellcheck disable=SC2034  # for those who source this
PROMETHEUS=$CACHE/prometheus
JOBS=${OUTRIGGER_JOBS:-$(nproc)}
# What suites build the program with; `scripts/test --full` has release, so that what is shipped is what is tested.
# shellcheck disable=SC2034  # for those who source this
PRESET=${OUTRIGGER_PRESET:-dev}
export OUTRIGGER_CACHE=$CACHE
. "$ROOT/scripts/lib/go.sh"

say() { printf '%s\n' "$*" >&2; }
die() {
  say "error: $*"
  exit 1
}

# The Go that scripts/setup found or installed.
go_on_path() {
  if [ -x "$CACHE/go/bin/go" ] && ! go_new_enough go; then PATH="$CACHE/go/bin:$PATH"; fi
  go_new_enough go || die "no Go >= 1.26 on the PATH: run scripts/setup --e2e"
  export PATH
}

go_new_enough() {
  local version
  version=$("$1" env GOVERSION 2>/dev/null) || return 1
  [[ $version =~ ^go([0-9]+)\.([0-9]+) ]] || return 1
  ((BASH_REMATCH[1] > 1 || BASH_REMATCH[2] >= 26))
}

# agent_names: the agents of the tree, one a line.
agent_names() {
  grep -rhoE '^outrigger_add_agent\([a-z0-9-]+' --include=CMakeLists.txt "$ROOT/agents" | cut -d'(' -f2 | sort
}

# build_preset PRESET [TARGET ...]: configures when needed and builds.
build_preset() {
  local preset=$1
  shift
  if [ ! -f "$ROOT/build/$preset/build.ninja" ]; then
    (cd "$ROOT" && cmake --preset "$preset" >"$ROOT/build-$preset.log" 2>&1) || {
      cat "$ROOT/build-$preset.log" >&2
      rm -f "$ROOT/build-$preset.log"
      die "configuring preset $preset failed"
    }
    rm -f "$ROOT/build-$preset.log"
  fi
  run_ninja "$ROOT/build/$preset" "$@"
}

# build_program SCRIPT: exports OUTRIGGER_BIN, the program that SCRIPT shows: that of the environment, or else
# the one that is built here (preset dev).
build_program() {
  local log
  if [ -z "${OUTRIGGER_BIN:-}" ]; then
    # Progress belongs to stderr, and to a terminal.
    if [ -t 2 ]; then say "$1: building outrigger (preset dev)"; fi
    log=$(mktemp)
    if [ -t 2 ]; then build_preset dev outrigger >&2; else build_preset dev outrigger >"$log"; fi || {
      cat "$log" >&2
      rm -f "$log"
      die "the build failed"
    }
    rm -f "$log"
    OUTRIGGER_BIN=$ROOT/build/dev/bin/outrigger
  fi
  OUTRIGGER_BIN=$(realpath -- "$OUTRIGGER_BIN")
  export OUTRIGGER_BIN
}

# Ninja's own output on a terminal; in a pipe only what went wrong, and how far it is.
run_ninja() {
  local dir=$1 status=0 log
  shift
  if [ -t 1 ]; then
    ninja -C "$dir" -j "$JOBS" "$@"
    return
  fi
  log=$(mktemp)
  patiently --log "$log" "building in ${dir#"$ROOT"/}" ninja -C "$dir" -j "$JOBS" "$@" || status=$?
  if [ "$status" != 0 ]; then
    grep -vE '^\[[0-9]+/[0-9]+\]' "$log" | tail -n 200
  else
    tail -n 1 "$log"
  fi
  rm -f "$log"
  return "$status"
}

# patiently [--log FILE] WHAT COMMAND...: runs the command, with its output in FILE if there is one. A
# command that takes minutes prints a line to stderr every 30 seconds: what runs and how far it is, by
# the last n/m of ninja or ctest, or the last n% of make, in FILE. Where one runs inside another only the
# inner one's words are printed. The exit code is the command's.
patiently() {
  local log="" what status=0 outer="" ticker=""
  if [ "$1" = --log ]; then
    log=$2
    shift 2
  fi
  what=$1
  shift
  if [ -f "${OUTRIGGER_PROGRESS:-}" ]; then
    outer=$(cat "$OUTRIGGER_PROGRESS")
  else
    OUTRIGGER_PROGRESS=$(mktemp)
    export OUTRIGGER_PROGRESS
    tick &
    ticker=$!
  fi
  printf '%s\n%s\n' "$what" "$log" >"$OUTRIGGER_PROGRESS"
  if [ -n "$log" ]; then "$@" >"$log" 2>&1 || status=$?; else "$@" || status=$?; fi
  if [ -z "$ticker" ]; then
    printf '%s\n' "$outer" >"$OUTRIGGER_PROGRESS"
  else
    kill "$ticker" 2>/dev/null || true
    wait "$ticker" 2>/dev/null || true
    rm -f "$OUTRIGGER_PROGRESS"
    unset OUTRIGGER_PROGRESS
  fi
  return "$status"
}

# Prints a line every OUTRIGGER_TICK (30) seconds until it is killed.
tick() {
  exec >/dev/null # a pipe that waits for its end must not wait for this
  local start=$SECONDS what log step sleeper=""
  trap 'kill "$sleeper" 2>/dev/null; exit 0' TERM
  while kill -0 $$ 2>/dev/null; do # the script may be killed without a word
    sleep "${OUTRIGGER_TICK:-30}" &
    sleeper=$!
    wait "$sleeper" || true
    { read -r what && read -r log; } <"$OUTRIGGER_PROGRESS" || true
    step=$(grep -oE '^(\[| *) *[0-9]+(/[0-9]+|%)' "${log:-/dev/null}" 2>/dev/null | tail -n 1 | tr -d '[ ' || true)
    say "... $what${step:+, ${step/\// of }} ($((SECONDS - start)) s)"
  done
}

# run_ctest DIR [ARGUMENT ...]: runs the tests of a build folder. Prints one line a test program, and what failed
# in it: a failure between hundreds of lines of what passed is not found.
run_ctest() {
  local dir=$1 status=0 log
  shift
  log=$(mktemp)
  GTEST_BRIEF=1 patiently --log "$log" "testing ${dir#"$ROOT"/}" \
    ctest --test-dir "$dir" --output-on-failure --no-tests=error -j "$JOBS" "$@" || status=$?
  grep -vE '^(Test project|      Start )' "$log"
  rm -f "$log"
  return "$status"
}
