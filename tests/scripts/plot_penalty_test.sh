#!/usr/bin/env bash
# scripts/plot-penalty: each change is a step of its class's line, at its time and value; nothing to draw is an error.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

fail() { echo "plot_penalty_test: $*" >&2; exit 1; }

# The newest first, as the agent has them. 100 seconds, and values from 400 to 1000.
rows='[
  {"class": "gold", "at": "2026-11-25T10:01:40.000Z", "before": 700, "after": 1000, "cause": "recovery", "gapMicroseconds": 1},
  {"class": "gold", "at": "2026-11-25T10:00:50Z", "before": 900, "after": 700, "cause": "completion a/b", "gapMicroseconds": null},
  {"class": "<tin>", "at": "2026-11-25T10:00:25.000Z", "before": 500, "after": 400, "cause": "start a/c", "gapMicroseconds": 1},
  {"class": "gold", "at": "2026-11-25T10:00:00.000Z", "before": 1000, "after": 900, "cause": "start a/b", "gapMicroseconds": 1}]'
printf '{"classes": [], "changes": %s}' "$rows" >"$work/explained.json"
printf '{"rows": %s, "truncated": false}' "$rows" >"$work/page.json"

"$root/scripts/plot-penalty" "$work/explained.json" >"$work/explained.svg"
"$root/scripts/plot-penalty" "$work/page.json" >"$work/page.svg"
cmp "$work/explained.svg" "$work/page.svg" || fail "the page gives another picture"

python3 - "$work/page.svg" <<'PY'
import re, sys, xml.etree.ElementTree as xml

SVG = "{http://www.w3.org/2000/svg}"
root = xml.parse(sys.argv[1]).getroot()
paths = list(root.iter(SVG + "path"))
lines = {path.get("id"): path.get("d") for path in paths if path.get("id")}
assert sorted(lines) == ["<tin>", "gold"], lines
begin, gold = re.match(r"M[0-9.]+ ([0-9.]+)", lines["gold"]), re.findall(r"H([0-9.]+)V([0-9.]+)", lines["gold"])
tin = re.findall(r"H([0-9.]+)V([0-9.]+)", lines["<tin>"])
assert len(gold) == 3 and len(tin) == 1, lines
(x0, y900), (x50, y700), (x100, y1000) = [(float(x), float(y)) for x, y in gold]
x25, y400 = float(tin[0][0]), float(tin[0][1])
assert float(begin[1]) == y1000, (begin[1], y1000)  # it begins with the value of before
assert abs((x50 - x0) * 2 - (x100 - x0)) < 0.5 and abs((x25 - x0) * 4 - (x100 - x0)) < 0.5 and x0 < x25
assert abs((y900 - y1000) * 6 - (y400 - y1000)) < 1 and abs((y700 - y1000) * 2 - (y400 - y1000)) < 0.5 and y1000 < y900
# A mark after each start and completion, and one of each in the legend.
assert len(list(root.iter(SVG + "circle"))) == 2, "completions"
assert len(paths) - len(lines) == 3, "starts"
PY

refuses() { # MESSAGE CODE ARGUMENT...
  local message=$1 code=$2 status=0
  shift 2
  "$root/scripts/plot-penalty" "$@" >"$work/out" 2>"$work/err" || status=$?
  ((status == code)) || fail "exit code $status, want $code, of $*"
  grep -q -- "$message" "$work/out" "$work/err" || fail "no '$message' of $*: $(cat "$work/err")"
}
echo '{"rows": [], "truncated": false}' >"$work/empty.json"
echo '{"rows": [{"node": "n1"}]}' >"$work/other.json"
echo 'no JSON' >"$work/text"
refuses 'no class has changed' 1 "$work/empty.json"
refuses 'no changes of agent penalty' 1 "$work/other.json"
refuses 'no changes of agent penalty' 1 "$work/text"
refuses 'No such file' 1 "$work/missing"
refuses 'Connection refused' 1 http://127.0.0.1:1
refuses 'scripts/plot-penalty URL' 2
refuses 'scripts/plot-penalty URL' 0 --help
echo "plot_penalty_test: ok"
