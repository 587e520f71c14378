#!/usr/bin/env bash
# Proves scripts/new-agent in a copy of the tree: what it makes builds, passes its own test and the
# contract, and is formatted; what it should refuse it refuses. What --with-cluster makes also places
# pods under the real kube-scheduler. No page of docs/ wants an edit. In the same copy it goes through docs/learn.
#
#   tests/scripts/new_agent_test.sh [--update]
#
#   --update   writes what the commands of docs/learn/step8.md print into the page
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
copy=$(mktemp -d)
trap 'rm -rf "$copy"' EXIT
tree=$copy/tree

fail() { echo "new_agent_test: $*" >&2; exit 1; }
must() { "$@" >"$copy/log" 2>&1 || { cat "$copy/log" >&2; fail "failed: $*"; }; }
refuses() { # NAME TEXT: the script refuses NAME and says TEXT
  if "$tree/scripts/new-agent" "$1" >"$copy/log" 2>&1; then fail "accepted '$1'"; fi
  grep -qF "$2" "$copy/log" || { cat "$copy/log" >&2; fail "'$1' was refused without '$2'"; }
}

mkdir "$tree"
git -C "$root" ls-files -z --cached --others --exclude-standard |
  (cd "$root" && while IFS= read -rd '' file; do [[ ! -e $file ]] || printf '%s\0' "$file"; done |
    tar -c --null --no-recursion -T -) | tar -x -C "$tree"

# First, so that the page's agent gets the port that a reader's gets.
# Where the tree is built with another preset, the compiler cache has the objects of that one: the copy's dev is it.
python3 - "$tree/CMakePresets.json" "${OUTRIGGER_PRESET:-dev}" <<'PY'
import json, sys

presets = json.load(open(sys.argv[1]))
of = {preset["name"]: preset for preset in presets["configurePresets"]}
of["dev"]["cacheVariables"] = of[sys.argv[2]]["cacheVariables"] | {"OUTRIGGER_BUILD_BENCHMARKS": "OFF"}
json.dump(presets, open(sys.argv[1], "w"))
PY
build=$tree/build/dev # at the depth of the tree itself, so that ccache knows its objects
for solution in "$root"/tests/scripts/learn/step*.patch; do
  must git -C "$tree" apply "$solution"
done
must cmake --preset dev -S "$tree" -B "$build" -DOUTRIGGER_AGENTS_DEFAULT=OFF -DOUTRIGGER_AGENT_CONGESTION=ON \
  -DOUTRIGGER_AGENT_NODE_NUMBER=ON
must "$root/tests/scripts/learn/go-through" "$@" "$tree"
rm -r "$tree/agents/node-number"

refuses "" "is not a name"
refuses Quota "is not a name"
refuses 4you "is not a name"
refuses my_agent "is not a name"
refuses ../x "is not a name"
refuses a--b "is not a name"
refuses a- "is not a name"
refuses congestion "is there already"
refuses std "would hide a namespace"
refuses filter "has a meaning of its own"

must "$tree/scripts/new-agent" node-quota # two words
must "$tree/scripts/new-agent" switch     # a keyword of C++
must "$tree/scripts/new-agent" --with-cluster apart
refuses node-quota "is there already"
refuses --with-nodes "is not an option"
ports=$(sed -n 's/.*PORT \([0-9]*\).*/\1/p' "$tree"/agents/*/CMakeLists.txt)
[[ -z $(sort <<<"$ports" | uniq -d) ]] || fail "a port twice: $ports"
[[ -z $(compgen -G "$tree/.new-agent.*") ]] || fail "left a half-made folder"
must "$tree/dockerfiles/generate" --check
grep -qx 'ARG AGENTS=node-quota' "$tree/dockerfiles/Dockerfile.node-quota" || fail "its image has other agents"
[[ ! -e $tree/dockerfiles/Dockerfile.node-number ]] || fail "the image of an agent that is gone is left"
grep -q "scheduler/predicates" "$tree"/agents/{node-quota,switch,apart}/* && fail "copied an alias"

# The worked example of CONTRIBUTING.md, followed to the letter.
must "$tree/scripts/new-agent" price
block() { # N: the Nth C++ block of CONTRIBUTING.md
  awk -v wanted="$1" '/^```cpp$/ { n++; on = 1; next } /^```$/ { on = 0 } on && n == wanted' \
    "$tree/CONTRIBUTING.md"
}
block 1 >"$tree/agents/price/price.cc"
block 2 >"$tree/agents/price/price_test.cc"
# shellcheck disable=SC2016 # backticks of Markdown
row=$(sed -n 's/^ *\(| `max` .*|\)$/\1/p' "$tree/CONTRIBUTING.md")
[[ -n $row ]] || fail "CONTRIBUTING.md has no row for the settings table"
sed -i "s/^| \`label\` .*/$row/" "$tree/agents/price/README.md"

if clang_format=$(command -v clang-format-14); then
  must "$clang_format" --dry-run -Werror --style=file "$tree"/agents/{node-quota,switch,price,apart}/*.cc
fi

must cmake --preset dev -S "$tree" -B "$build" -DOUTRIGGER_AGENT_CONGESTION=OFF \
  -DOUTRIGGER_AGENT_NODE_QUOTA=ON -DOUTRIGGER_AGENT_SWITCH=ON -DOUTRIGGER_AGENT_PRICE=ON \
  -DOUTRIGGER_AGENT_APART=ON
must cmake --build "$build" --target outrigger_agent_node_quota_test \
  outrigger_agent_switch_test outrigger_agent_price_test outrigger_agent_apart_test \
  outrigger_contract_test outrigger_settings_page_test outrigger
must ctest --test-dir "$build" \
  -R '^(agent_node_quota|agent_switch|agent_price|agent_apart|contract|settings_page)$' \
  --output-on-failure --no-tests=error
grep -q "100% tests passed, 0 tests failed out of 6" "$copy/log" || fail "not all six tests ran"

control_plane=$("$root/scripts/control-plane" | tail -n 1)
. "$root/scripts/lib/go.sh"
cd "$root/tests"
must env OUTRIGGER_BIN="$build/bin/outrigger" OUTRIGGER_NEW_AGENT=apart \
  OUTRIGGER_CONTROL_PLANE="$control_plane" \
  "${OUTRIGGER_GO:-go}" test -tags newagent -count=1 -timeout 5m \
  -run '^TestPodsArePlacedByACopyOfTheSecondExample$' ./e2e/server
echo "new_agent_test: ok"
