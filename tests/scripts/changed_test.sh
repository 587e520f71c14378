#!/usr/bin/env bash
# What `scripts/test --full` does for the folders alone that were changed last: these, and all of what they are compiled with.
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() { echo "changed_test: $*" >&2; exit 1; }

ROOT=$work/tree
. "$root/scripts/lib/changed.sh"
git init -q "$ROOT"
commit() { # FILE...: an own commit
  local file
  for file in "$@"; do mkdir -p "$ROOT/${file%/*}" && echo "// $RANDOM" >>"$ROOT/$file"; done
  git -C "$ROOT" add -A
  git -C "$ROOT" -c user.name=a -c user.email=a@b -c commit.gpgsign=false commit -qm "$1"
}
for n in 01 02 03 04 05 06 07 08 09 10 11 12; do commit "src/f$n/a.cc"; done
commit src/f01/a.h # a header counts
commit docs/page.md src/gone/a.cc
rm -r "$ROOT/src/gone"
git -C "$ROOT" add -A && git -C "$ROOT" -c user.name=a -c user.email=a@b -c commit.gpgsign=false commit -qm gone

# Neither committed nor known to git: it comes first.
echo '// more' >>"$ROOT/src/f11/a.cc"
mkdir "$ROOT/include" && echo '// new' >"$ROOT/include/new.h"
[[ $(changed_last 3 '\.(cc|h)$' | paste -sd ' ') == "src/f11/a.cc include/new.h src/f01/a.h" ]] ||
  fail "not committed: $(changed_last 3 '\.(cc|h)$' | paste -sd ' ')"
git -C "$ROOT" checkout -q . && rm -r "$ROOT/include"

[[ $(changed_last 3 '\.(cc|h)$' | paste -sd ' ') == "src/f01/a.h src/f12/a.cc src/f11/a.cc" ]] ||
  fail "changed last: $(changed_last 3 '\.(cc|h)$' | paste -sd ' ')"

# One unit of two folders, one of a test's, and one of a folder that was not changed lately.
mkdir -p "$work/build/Unity"
printf '#include "%s"\n' "$ROOT/src/f12/a.cc" "$ROOT/src/f05/a.cc" >"$work/build/Unity/unity_0.cxx"
cat >"$work/build/compile_commands.json" <<JSON
[{"file": "$ROOT/src/f01/a.cc", "command": "c++ -o one.o -c a.cc"},
 {"file": "$ROOT/src/f04/a.cc", "command": "c++ -o two.o -c a.cc"},
 {"file": "$ROOT/tests/a.cc", "command": "c++ -o test.o -c a.cc"},
 {"file": "$work/build/Unity/unity_0.cxx", "command": "c++ -o both.o -c unity_0.cxx"}]
JSON
[[ $(units "$work/build" | cut -d ' ' -f 1 | paste -sd ' ') == "both.o one.o two.o" ]] ||
  fail "all: $(units "$work/build")"
[[ $(units "$work/build" --changed | cut -d ' ' -f 1 | paste -sd ' ') == "both.o one.o" ]] ||
  fail "changed: $(units "$work/build" --changed)"
echo '[]' >"$work/build/compile_commands.json"
! units "$work/build" 2>/dev/null || fail "a build of nothing passes"
echo "changed_test: ok"
