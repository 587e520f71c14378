# Sourced by the scripts beside it: where things are, how they talk, how missing parts are found.
# shellcheck shell=bash
set -euo pipefail

ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
CACHE=${OUTRIGGER_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/outrigger}
JOBS=${OUTRIGGER_JOBS:-$(nproc)}
export OUTRIGGER_CACHE=$CACHE GOTOOLCHAIN=local

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

# Ninja's own progress line on a terminal; in a pipe only what went wrong.
run_ninja() {
  local dir=$1
  shift
  if [ -t 1 ]; then
    ninja -C "$dir" -j "$JOBS" "$@"
  else
    local log
    log=$(mktemp)
    if ! ninja -C "$dir" -j "$JOBS" "$@" >"$log" 2>&1; then
      grep -vE '^\[[0-9]+/[0-9]+\]' "$log" | tail -n 200
      rm -f "$log"
      return 1
    fi
    tail -n 1 "$log"
    rm -f "$log"
  fi
}
