#!/usr/bin/env bash
# scripts/plot-load: the risk is what the program explains, a bar is as long as a score; nothing to draw is an error.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

fail() { echo "plot_load_test: $*" >&2; exit 1; }

# A program that explains two of the nodes that it is asked about.
cat >"$work/program" <<'SH'
#!/usr/bin/env bash
cat <<'JSON'
{"nodes": [{"name": "m11-d0", "agents": [{"why": "cpu: use 11.0 % +- 0.0 %, risk 0, balance 0.9"}]},
           {"name": "m91-d20", "agents": [{"why": "cpu: use 91.0 % +- 20.0 %, alpha 1, beta 2, risk 0.801, balance 0.1"}]},
           {"name": "m93-d20", "agents": [{"why": "cpu: no statistics"}]}]}
JSON
SH
chmod +x "$work/program"
"$root/scripts/plot-load" risk "$work/program" >"$work/risk.svg"

cat >"$work/page.json" <<'JSON'
{"rows": [{"namespace": "default", "type": "D", "image": "web:1", "node": "fine", "score": 1, "value": 0.93, "successes": 4, "failures": 0},
          {"namespace": "default", "type": "<D>", "image": "web:1", "node": "early", "score": 0.25, "value": 0.2, "successes": 0, "failures": 3.5}],
 "truncated": false}
JSON
"$root/scripts/plot-load" reward "$work/page.json" >"$work/reward.svg"

cat >"$work/load.json" <<'JSON'
{"series": [{"time": 0, "truth": 20, "measured": 40, "forecast": 40, "safe": 30},
            {"time": 60, "truth": 80, "measured": 20, "forecast": 120, "safe": 70}]}
JSON
"$root/scripts/plot-load" load "$work/load.json" >"$work/load.svg"

python3 - "$work/risk.svg" "$work/reward.svg" "$work/load.svg" <<'PY'
import sys, xml.etree.ElementTree as xml

SVG = "{http://www.w3.org/2000/svg}"
risk, reward, load = (xml.parse(file).getroot() for file in sys.argv[1:])
cells = {rect.get("data-at"): rect for rect in risk.iter(SVG + "rect") if rect.get("data-at")}
assert {at: cell.get("data-risk") for at, cell in cells.items()} == {"11,0": "0", "91,20": "0.801"}, cells
low, high = cells["11,0"], cells["91,20"]
assert float(low.get("x")) < float(high.get("x")) and float(low.get("y")) > float(high.get("y"))
assert low.get("fill") != high.get("fill")
assert len(list(risk.iter(SVG + "circle"))) == 2, "one node is rejected, and one mark is in the legend"
bars = {rect.get("data-pair"): float(rect.get("width")) for rect in reward.iter(SVG + "rect") if rect.get("data-pair")}
assert sorted(bars) == ["<D> early", "D fine"] and bars["<D> early"] * 4 == bars["D fine"], bars
lines = {line.get("data-line"): [tuple(map(float, at.split(","))) for at in line.get("points").split()]
         for line in load.iter(SVG + "polyline")}
assert sorted(lines) == ["forecast", "measured", "safe", "truth"], lines
(x0, y0), (x1, y1) = lines["truth"]
assert x0 < x1 and y0 > y1, "time goes to the right, load upwards"
assert lines["measured"][1][1] == y0, "the same load is as high in each line"
PY

refuses() { # MESSAGE CODE ARGUMENT...
  local message=$1 code=$2 status=0
  shift 2
  "$root/scripts/plot-load" "$@" >"$work/out" 2>"$work/err" || status=$?
  ((status == code)) || fail "exit code $status, want $code, of $*"
  grep -q -- "$message" "$work/out" "$work/err" || fail "no '$message' of $*: $(cat "$work/err")"
}
echo '{"rows": [], "truncated": false}' >"$work/empty.json"
echo '{"rows": [{"class": "gold"}]}' >"$work/other.json"
refuses 'learned nothing' 1 reward "$work/empty.json"
refuses 'nothing that can be drawn' 1 reward "$work/other.json"
echo '{"series": []}' >"$work/none.json"
refuses 'no points' 1 load "$work/none.json"
refuses 'nothing that can be drawn' 1 load "$work/empty.json"
refuses 'No such file' 1 reward "$work/missing"
refuses 'Connection refused' 1 reward http://127.0.0.1:1
refuses 'No such file' 1 risk "$work/missing"
refuses 'explain pod' 1 risk false
refuses 'scripts/plot-load risk' 2
refuses 'scripts/plot-load risk' 2 reward
refuses 'scripts/plot-load load' 2 load
refuses 'scripts/plot-load risk' 0 --help
echo "plot_load_test: ok"
