#!/usr/bin/env bash
# scripts/control-plane without a Go that it can use: it says what installs one.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

fail() { echo "control_plane_test: $*" >&2; exit 1; }
says() { # says TEXT GO
  if OUTRIGGER_CACHE="$work/cache" OUTRIGGER_GO="$2" "$root/scripts/control-plane" \
    >"$work/out" 2>"$work/err"; then
    fail "$2 was taken"
  fi
  grep -qF -- "$1" "$work/err" || fail "does not say \"$1\": $(cat "$work/err")"
}

says 'no go command (/nowhere/go): run scripts/setup --e2e' /nowhere/go
printf '#!/bin/sh\necho go1.19\n' >"$work/go"
chmod +x "$work/go"
says "is go1.19, 1.26 or newer is needed: run scripts/setup --e2e" "$work/go"
echo "control_plane_test: ok"
