#!/usr/bin/env bash
# Every test that docs/security.md names exists: `Suite.Name`, or `Suite/Row` of a table of rows.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

fail() { echo "security_page_test: $*" >&2; exit 1; }

# exists NAME: there is a test of that name
exists() {
  local suite=${1%%[./]*} name=${1#*[./]} file
  if [[ $1 == *.* ]]; then
    grep -rqE "^TEST(_F|_P)?\($suite, $name\)" --include='*_test.cc' src agents
  else
    file=$(grep -rlE "^class $suite( |$)" --include='*_test.cc' src agents) && grep -q "{\"$name\"" "$file"
  fi
}

# shellcheck disable=SC2016 # backticks of the page
named=$(sed -n '/^| attack/,/^$/p' docs/security.md | grep -oE '`[A-Z][A-Za-z]+[./][A-Za-z0-9]+`' | tr -d '`' | sort -u)
count=0
for test in $named; do
  exists "$test" || fail "docs/security.md names $test, and there is no such test"
  count=$((count + 1))
done
((count >= 20)) || fail "only $count tests are named"
rows=$(sed -n '/^| attack/,/^$/p' docs/security.md | tail -n +3 | grep -c '^|')
# shellcheck disable=SC2016
proven=$(sed -n '/^| attack/,/^$/p' docs/security.md | tail -n +3 | grep -cE '`[A-Z][A-Za-z]+[./]')
((rows == proven)) || fail "$((rows - proven)) attacks of docs/security.md name no test"
! exists HttpServer.HasNoSuchTest || fail "finds tests that do not exist"
! exists HttpRefusals/NoSuchRow || fail "finds rows that do not exist"
echo "security_page_test: $count tests for $rows attacks exist"
