#!/usr/bin/env bash
# The files of deploy/monitoring are what the program prints, and ask for metrics and labels that there are; each alert has
# a severity and a runbook, fires when it should, and not when it should not, as Prometheus evaluates it.
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
export OUTRIGGER=${OUTRIGGER_BIN:-$root/build/dev/bin/outrigger}
work=$(mktemp -d)
export work
trap 'rm -rf "$work"' EXIT
fail() { echo "monitoring_test: $*" >&2; exit 1; }
cd "$root"

python3 - <<'PY'
import json, os, re, subprocess, sys, yaml

failures = []
FOLDER = "deploy/monitoring/"
# kube-scheduler's: whether pods wait for a scheduler that does not call. Prometheus' own: whether it reaches us.
OTHERS = {"scheduler_pending_pods": {"queue"}, "up": set()}
TARGET = {"job", "instance"}  # Prometheus adds them

def run(*args):
    return subprocess.run([os.environ["OUTRIGGER"], *args], capture_output=True, text=True, check=True).stdout

def documented(file):
    """Name and labels of the metrics in rows "| `name` | type | labels |": unit tests hold them to what is exposed."""
    for line in open(file):
        cells = [cell.strip() for cell in line.split("|")]
        if len(cells) > 4 and cells[2] in ("counter", "gauge", "histogram"):
            yield cells[1].strip("`"), cells[2], set(re.findall(r"`(\w+)`", cells[3]))

def known():
    metrics = {**OTHERS}
    rows = [*documented("docs/metrics.md"), *documented("docs/annotators.md")]
    for agent in json.loads(run("agents", "-o", "json")):
        for metric in agent["metrics"]:
            rows.append((metric["name"], metric["kind"], {"agent", metric.get("label", "agent")}))
    for name, kind, labels in rows:
        if kind == "histogram":
            metrics[name + "_bucket"] = labels | {"le"}
        else:
            metrics[name] = labels
    return metrics

def faults(expr, metrics):
    """What is wrong with the names in an expression."""
    text = re.sub(r'"(\\.|[^"\\])*"', '""', expr)
    used = {}
    for name, selector in re.findall(r"\b((?:outrigger|process|scheduler)_\w+|up\b)(?:\{([^}]*)\})?", text):
        labels = metrics.get(name)
        if labels is None:
            yield f"there is no metric {name}"
            continue
        used[name] = labels
        for label in set(re.findall(r"(\w+)\s*(?:=|!)", selector)) - labels - TARGET:
            yield f"{name} has no label {label}"
    if not used:
        yield "it names no metric"
    for labels in re.findall(r"\b(?:by|on|without|ignoring)\s*\(([^)]*)\)", text):
        for label in re.findall(r"\w+", labels):
            if label not in TARGET.union(*used.values()):
                yield f"no metric has the label {label}"

def check(place, expr, metrics):
    failures.extend(f"{place}: {fault}: {expr}" for fault in faults(expr, metrics))

def anchors(file):
    return {re.sub(r"[^\w -]", "", h.lower()).strip().replace(" ", "-") for h in re.findall(r"^#+ (.*)", open(file).read(), re.M)}

def check_alert(rule):
    place = rule["alert"]
    if rule["labels"].get("severity") not in ("page", "ticket"):
        failures.append(f"{place}: severity is neither page nor ticket")
    for key in ("summary", "description", "runbook"):
        if not rule["annotations"].get(key):
            failures.append(f"{place}: no {key}")
    runbook = rule["annotations"].get("runbook", "")
    pages = re.findall(r"([\w/]+/\w+\.md)(?:#([\w-]+))?", runbook)
    if not pages:
        failures.append(f"{place}: the runbook names no page")
    for page, anchor in pages:
        if not os.path.exists(page) or anchor and anchor not in anchors(page):
            failures.append(f"{place}: no {page}#{anchor}")
    for words in re.findall(r"`outrigger ([a-z ]*[a-z])", runbook):
        if f"## `outrigger {words}`" not in open("docs/commands.md").read():
            failures.append(f"{place}: there is no command {words}")

metrics = known()
for file, page in (("prometheus-rules.yaml", "alerts"), ("outrigger-dashboard.json", "dashboard")):
    if open(FOLDER + file).read() != run("docs", page):
        failures.append(f"{file} is not what outrigger docs {page} prints: run scripts/update-docs")

spec = yaml.safe_load(open(FOLDER + "prometheus-rules.yaml"))["spec"]
rules = [rule for group in spec["groups"] for rule in group["rules"]]
for rule in rules:
    check_alert(rule)
    check(rule["alert"], rule["expr"], metrics)

dashboard = json.load(open(FOLDER + "outrigger-dashboard.json"))
panels = [p for row in dashboard["panels"] for p in [row, *row.get("panels", [])] if p["type"] != "row"]
ids = [p["id"] for row in dashboard["panels"] for p in [row, *row.get("panels", [])]]
if len(ids) != len(set(ids)):
    failures.append("two panels have one id")
exprs = [(p["title"], t["expr"]) for p in panels for t in p["targets"]]
for title, expr in exprs:
    check(title, expr, metrics)
shown = " ".join(expr for _, expr in exprs)
for agent in json.loads(run("agents", "-o", "json")):
    failures.extend(f"no panel has {m['name']}" for m in agent["metrics"] if m["name"] not in shown)

# What is found in wrong ones.
for expr in ("rate(outrigger_gone_total[5m])", 'outrigger_gang_partial{cause="x"} > 0', "sum by (verb) (outrigger_gang_partial)", "1 > 0"):
    if not list(faults(expr, metrics)):
        failures.append(f"nothing is found in {expr}")

def fired(labels, name):
    severity = next(rule["labels"]["severity"] for rule in rules if rule["alert"] == name)
    return {"exp_labels": {**labels, "severity": severity}}

def case(name, series, fires):
    """A case of promtool: at 80 minutes these alerts fire, with these labels, and no others."""
    tests = [{"eval_time": "80m", "alertname": rule["alert"],
              "exp_alerts": [fired(fires[rule["alert"]], rule["alert"])] if rule["alert"] in fires else []}
             for rule in rules]
    return {"name": name, "interval": "1m", "alert_rule_test": tests,
            "input_series": [{"series": key, "values": values} for key, values in series.items()]}

CALL = 'agent="safe",verb="filter"'
HERE = 'job="outrigger",instance="a"'
WRONG = {  # series, values, alert, its labels
    'up{job="kube-system/outrigger"}': ("0x90", "OutriggerDown", {"job": "kube-system/outrigger"}),
    f'outrigger_extender_errors_total{{{CALL},kind="agent"}}':
        ("0+5x90", "OutriggerErrors", {"agent": "safe", "verb": "filter", "kind": "agent"}),
    'outrigger_extender_errors_total{agent="safe",verb="prioritize",kind="agent"}':
        ("0+5x90", "OutriggerScoreErrors", {"agent": "safe", "verb": "prioritize", "kind": "agent"}),
    f'outrigger_extender_errors_total{{{CALL},kind="abandoned"}}': ("0+5x90", "OutriggerTooSlow", {"agent": "safe", "verb": "filter"}),
    'scheduler_pending_pods{queue="backoff",job="scheduler"}': ("3x90", "OutriggerNotCalled", {}),
    'outrigger_http_tls_handshakes_failed_total{listener="extender"}': ("0+1x90", "OutriggerHandshakes", {"listener": "extender"}),
    f'outrigger_gang_leading{{{HERE}}}': ("0x90", "OutriggerGangNotLeading", {"job": "outrigger"}),
    f'outrigger_qos_leading{{{HERE}}}': ("0x90", "OutriggerQosNotLeading", {"job": "outrigger"}),
    f'outrigger_qos_head_age_seconds{{{HERE}}}': ("4000x90", "OutriggerQueueHeadOld", {"job": "outrigger"}),
    f'outrigger_gang_partial{{{HERE}}}': ("1x90", "OutriggerGangPartial", {"job": "outrigger"}),
    f'outrigger_gang_resource_missing{{{HERE},pods="waiting"}}': ("2x90", "OutriggerGangResourceMissing", {"job": "outrigger"}),
    f'outrigger_gang_gated{{{HERE},by="failing"}}': ("2x90", "OutriggerGangGatesFail", {"job": "outrigger"}),
    'outrigger_gang_timeouts_total{agent="gang"}': ("0x60 1x30", "OutriggerGangTimeouts", {"agent": "gang"}),
    # A labelled counter comes with its first value.
    'outrigger_gang_nominations_total{result="failed"}': ("_x70 1x20", "OutriggerGangNominationsFail", {"result": "failed"}),
    f'outrigger_penalty_leading{{{HERE}}}': ("0x90", "OutriggerPenaltyNotLeading", {"job": "outrigger"}),
    'outrigger_penalty_replacements_total{result="stuck"}': ("_x70 1x20", "OutriggerPenaltyRefused", {"result": "stuck"}),
    'outrigger_penalty_errors_total{call="get"}': ("1x60 2x30", "OutriggerPenaltyErrors", {"call": "get"}),
    f'outrigger_reward_leading{{{HERE}}}': ("0x90", "OutriggerRewardNotLeading", {"job": "outrigger"}),
    'outrigger_reward_errors_total{call="store"}': ("_x70 1x20", "OutriggerRewardErrors", {"call": "store"}),
    'outrigger_devices_allocations_total{result="lost"}': ("_x75 1x15", "OutriggerDevicesLost", {"result": "lost"}),
    'outrigger_devices_allocations_total{result="failed"}': ("_x70 1x20", "OutriggerDevicesAllocationsFail", {"result": "failed"}),
    'outrigger_devices_status_writes_total{result="failed"}': ("_x70 1x20", "OutriggerDevicesStatusWritesFail", {"result": "failed"}),
    f'outrigger_annotate_leader{{{HERE}}}': ("0x90", "OutriggerAnnotateNotLeading", {"job": "outrigger"}),
    f'outrigger_annotate_pending_nodes{{{HERE}}}': ("3x90", "OutriggerAnnotatePending", {"job": "outrigger", "instance": "a"}),
    'outrigger_annotate_failed_rounds_total': ("0+1x90", "OutriggerAnnotateRoundsFail", {}),
}
REQUESTS = {f'outrigger_extender_requests_total{{{CALL}}}': "7x90"}
WELL = {  # what happened long ago, what another replica does, and what is another's business
    **REQUESTS, **{series: "2x90" for series in WRONG if "_total" in series and "abandoned" not in series},
    f'outrigger_extender_errors_total{{{CALL},kind="abandoned"}}': "0x75 5x15",
    'up{job="outrigger"}': "1x90",
    'scheduler_pending_pods{queue="unschedulable",job="scheduler"}': "3x90",
    **{f'outrigger_{agent}_leading{{job="outrigger",instance="{at}"}}': f"{leads}x90"
       for agent in ("gang", "qos", "penalty", "reward") for at, leads in (("a", 0), ("b", 1))},
    'outrigger_qos_head_age_seconds': "3000x90", 'outrigger_gang_partial': "0x90",
    'outrigger_gang_resource_missing{pods="bound"}': "2x90", 'outrigger_gang_gated{by="no place"}': "2x90",
    'outrigger_annotate_leader{job="outrigger"}': "1x90", 'outrigger_annotate_pending_nodes': "3x75 0 3x14",
}
cases = [
    case("all that can go wrong", {**REQUESTS, **{series: values for series, (values, _, _) in WRONG.items()}},
         {alert: labels for _, alert, labels in WRONG.values()}),
    case("no agent is scraped", {"other": "1x90"}, {"OutriggerDown": {}}),
    case("all is well, and no node fits some pods", WELL, {}),
]
untested = {rule["alert"] for rule in rules} ^ {alert for _, alert, _ in WRONG.values()}
failures.extend(f"{alert}: the cases here do not let it fire" for alert in untested)

def write(file, data):
    yaml.safe_dump(data, open(os.path.join(os.environ["work"], file), "w"))

write("rules.yaml", spec)
write("bare.yaml", {"groups": [{"name": "bare", "rules": [{**rule, "annotations": {}} for rule in rules]}]})
write("tests.yaml", {"rule_files": ["bare.yaml"], "evaluation_interval": "1m", "tests": cases})
print("\n".join(failures))
print(f"monitoring_test: {len(rules)} alerts, {len(panels)} panels, {len(failures)} failures")
sys.exit(bool(failures) or len(rules) < 20 or len(panels) < 40)
PY

"$root/scripts/setup" --prometheus
promtool=${OUTRIGGER_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/outrigger}/prometheus/promtool
cd "$work"
"$promtool" check rules rules.yaml >out 2>&1 || fail "$(cat out)"
"$promtool" test rules tests.yaml >out 2>&1 || fail "$(cat out)"
