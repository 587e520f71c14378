#!/usr/bin/env bash
# The alerts of docs/metrics.md fire when they should, and not when they should not, as Prometheus
# evaluates them.
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() { echo "alerts_test: $*" >&2; exit 1; }

"$root/scripts/setup" --prometheus
promtool=${OUTRIGGER_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/outrigger}/prometheus/promtool

{
  printf 'groups:\n- name: outrigger\n  rules:\n'
  # shellcheck disable=SC2016 # the fences of the page, not commands
  sed -n '/^```yaml$/,/^```$/{/^```/d;s/^/  /;p}' "$root/docs/metrics.md"
} >"$work/rules.yaml"
alerts=$(grep -c 'alert:' "$work/rules.yaml") || fail "docs/metrics.md has no alerts"

cat >"$work/tests.yaml" <<'TESTS'
rule_files: [rules.yaml]
evaluation_interval: 1m
tests:
  - name: all that can go wrong
    interval: 1m
    input_series:
      - {series: 'up{job="outrigger"}', values: '0x30'}
      - {series: 'outrigger_extender_errors_total{agent="safe",verb="filter",kind="abandoned"}', values: '0+5x30'}
      - {series: 'outrigger_extender_errors_total{agent="safe",verb="filter",kind="agent"}', values: '0+5x30'}
      - {series: 'outrigger_extender_requests_total{agent="safe",verb="filter"}', values: '7x30'}
      - {series: 'outrigger_http_tls_handshakes_failed_total{listener="extender"}', values: '0+1x30'}
      - {series: 'scheduler_pending_pods{queue="backoff",job="scheduler"}', values: '3x30'}
    alert_rule_test:
      - {eval_time: 25m, alertname: OutriggerDown, exp_alerts: [{exp_labels: {job: outrigger}}]}
      - {eval_time: 25m, alertname: OutriggerErrors, exp_alerts: [{exp_labels: {agent: safe, verb: filter, kind: agent}}]}
      - {eval_time: 25m, alertname: OutriggerTooSlow, exp_alerts: [{exp_labels: {agent: safe, verb: filter}}]}
      - {eval_time: 25m, alertname: OutriggerNotCalled, exp_alerts: [{}]}
      - {eval_time: 25m, alertname: OutriggerHandshakes, exp_alerts: [{exp_labels: {listener: extender}}]}
  - name: no agent is scraped
    interval: 1m
    input_series: [{series: 'other', values: '1x30'}]
    alert_rule_test:
      - {eval_time: 25m, alertname: OutriggerDown, exp_alerts: [{exp_labels: {job: outrigger}}]}
  - name: all is well, and no node fits some pods
    interval: 1m
    input_series:
      - {series: 'up{job="outrigger"}', values: '1x30'}
      - {series: 'outrigger_extender_errors_total{agent="safe",verb="filter",kind="agent"}', values: '2x30'}
      - {series: 'outrigger_extender_errors_total{agent="safe",verb="bind",kind="abandoned"}', values: '0x15 5x15'}
      - {series: 'outrigger_extender_requests_total{agent="safe",verb="filter"}', values: '7x30'}
      - {series: 'outrigger_http_tls_handshakes_failed_total{listener="extender"}', values: '4x30'}
      - {series: 'scheduler_pending_pods{queue="unschedulable",job="scheduler"}', values: '3x30'}
    alert_rule_test:
      - {eval_time: 25m, alertname: OutriggerDown, exp_alerts: []}
      - {eval_time: 25m, alertname: OutriggerErrors, exp_alerts: []}
      - {eval_time: 25m, alertname: OutriggerTooSlow, exp_alerts: []}
      - {eval_time: 25m, alertname: OutriggerNotCalled, exp_alerts: []}
      - {eval_time: 25m, alertname: OutriggerHandshakes, exp_alerts: []}
TESTS
tested=$(grep -o 'alertname: [A-Za-z]*' "$work/tests.yaml" | sort -u | wc -l)
((alerts == tested)) || fail "$alerts alerts in docs/metrics.md, $tested are tested"
(cd "$work" && "$promtool" test rules tests.yaml) || fail "see above"
echo "alerts_test: $alerts alerts"
