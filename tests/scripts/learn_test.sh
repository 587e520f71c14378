#!/usr/bin/env bash
# Goes through docs/learn in a copy of the tree: model solutions of the exercises pass scripts/learn-check, the
# program as it is does not, and what step 8 asks its reader to do works and prints what the page shows.
#
#   tests/scripts/learn_test.sh [--update]
#
#   --update   writes what the commands of step 8 print into the page
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
copy=$(mktemp -d)
trap 'rm -rf "$copy"' EXIT
tree=$copy/tree

fail() { echo "learn_test: $*" >&2; exit 1; }
must() { "$@" >"$copy/log" 2>&1 || { cat "$copy/log" >&2; fail "failed: $*"; }; }
prints() { grep -qF -- "$1" "$copy/log" || { cat "$copy/log" >&2; fail "no \"$1\""; }; }
ends_with() { # CODE COMMAND...
  local code=0
  "${@:2}" >"$copy/log" 2>&1 || code=$?
  [[ $code == "$1" ]] || { cat "$copy/log" >&2; fail "exit code $code, not $1: ${*:2}"; }
}

mkdir "$tree"
git -C "$root" ls-files -z --cached --others --exclude-standard |
  (cd "$root" && while IFS= read -rd '' file; do [[ ! -e $file ]] || printf '%s\0' "$file"; done |
    tar -c --null --no-recursion -T -) | tar -x -C "$tree"

ends_with 2 "$tree/scripts/learn-check"
ends_with 2 "$tree/scripts/learn-check" 4
prints "takes one of 3, 5 and 7"

# What the program does that is no solution is in tests/e2e/learn; here it is the exit code.
[[ -n ${OUTRIGGER_BIN:-} ]] || fail "OUTRIGGER_BIN is not set: it must name the outrigger program"
ends_with 1 "$tree/scripts/learn-check" 5
prints "hint"
prints "not solved yet"
unset OUTRIGGER_BIN # from here on it is the copy's

for solution in "$root"/tests/scripts/learn/step*.patch; do
  must git -C "$tree" apply "$solution"
done
# Few agents, to save time. The page's commands build in the same folder.
must cmake --preset dev -S "$tree" -B "$tree/build/dev" -DOUTRIGGER_AGENTS_DEFAULT=OFF -DOUTRIGGER_AGENT_CONGESTION=ON \
  -DOUTRIGGER_AGENT_NODE_NUMBER=ON
for step in 3 5 7; do
  must "$tree/scripts/learn-check" "$step"
  [[ $(tail -n 1 "$copy/log") == solved ]] || fail "step $step: $(cat "$copy/log")"
done

must "$root/tests/scripts/learn/run-page" "$@" "$root/docs/learn/step8.md" "$tree"
echo "learn_test: ok"
