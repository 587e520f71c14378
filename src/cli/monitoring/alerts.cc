#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/monitoring/monitoring.h"
#include "fmt/format.h"

namespace outrigger::cli {
namespace {

// Page: pods do not start, or get what others have. A ticket waits for the morning.
constexpr std::string_view kPage = "page";
constexpr std::string_view kTicket = "ticket";

// Characters of a line of YAML.
constexpr size_t kLine = 120;

struct Alert {
  std::string_view name;
  std::string expr;
  std::string_view wait;  // so long the expression has to hold; empty: once is enough
  std::string_view severity;
  std::string_view summary;      // one line
  std::string_view description;  // what is wrong, and for whom
  std::string_view runbook;      // what to do first, and the page that has more
};

// A labelled counter appears with its first value, and increase() does not see that one.
std::string Rises(std::string_view counter, std::string_view window) {
  return fmt::format("increase({0}[{1}]) > 0 or {0} > 0 unless {0} offset {1}", counter, window);
}

// The replicas of an agent have one job, and no others are of it (docs/connect.md).
std::string NoneLeads(std::string_view gauge) {
  return fmt::format("sum by (job) ({}) == 0", gauge);
}

std::vector<Alert> AlertsOfCalls() {
  return {
      {"OutriggerDown", R"(up{job=~".*outrigger.*"} == 0 or absent(up{job=~".*outrigger.*"}))",
       "1m", kPage, "Prometheus does not reach an outrigger process",
       "An agent that is down counts nothing. Pods wait unless the agent's entry in the "
       "scheduler's "
       "configuration is ignorable. Agents that only score (congestion, reward) can wait for the "
       "morning.",
       "`kubectl -n kube-system get pods -l app.kubernetes.io/name=outrigger`, then `kubectl "
       "logs`; "
       "if they run, check the scrape: docs/connect.md#prometheus"},
      {"OutriggerErrors",
       R"(sum by (agent, verb, kind) (rate(outrigger_extender_errors_total{kind!="abandoned", )"
       R"(verb=~"filter|bind"}[5m])) > 0)",
       "5m", kPage,
       "{{ $labels.verb }} calls of agent {{ $labels.agent }} fail: {{ $labels.kind }}",
       "kube-scheduler tries these pods again, and they do not start.",
       "`curl -s http://127.0.0.1:PORT/readyz?verbose` on the admin port and the agent's log name "
       "the "
       "cause; docs/metrics.md#calls-of-the-scheduler explains the kinds"},
      {"OutriggerScoreErrors",
       R"(sum by (agent, verb, kind) (rate(outrigger_extender_errors_total{kind!="abandoned", )"
       R"(verb!~"filter|bind"}[5m])) > 0)",
       "5m", kTicket,
       "{{ $labels.verb }} calls of agent {{ $labels.agent }} fail: {{ $labels.kind }}",
       "Pods start, but without this agent's opinion. kube-scheduler does not log it.",
       "Read the agent's log; docs/metrics.md#calls-of-the-scheduler explains the kinds"},
      {"OutriggerTooSlow",
       R"(sum by (agent, verb) (rate(outrigger_extender_errors_total{kind="abandoned"}[5m])) > 0)",
       "15m", kTicket,
       "The scheduler gives up {{ $labels.verb }} calls of agent {{ $labels.agent }}",
       "The calls take longer than the extender's httpTimeout. A restart of the scheduler abandons "
       "some calls, too.",
       "Compare the duration in the dashboard with httpTimeout: `outrigger doctor`; "
       "docs/connect.md#how-long-a-hung-agent-holds-up-a-pod"},
      {"OutriggerNotCalled",
       R"(sum(rate(outrigger_extender_requests_total[5m])) == 0 and on() )"
       R"(sum(scheduler_pending_pods{queue=~"active|backoff"}) > 0)",
       "10m", kTicket, "Pods are pending, and the scheduler calls no agent",
       "The agents are up, but the scheduler does not reach them, or has no such extender. Pods "
       "of all schedulers count: with a second one, add its job to scheduler_pending_pods. Pods "
       "that no node fits do not count.",
       "`outrigger doctor --scheduler-config FILE FILE` and kube-scheduler's log; docs/doctor.md"},
      {"OutriggerHandshakes",
       R"(rate(outrigger_http_tls_handshakes_failed_total{listener="extender"}[5m]) > 0)", "5m",
       kTicket, "TLS handshakes with the scheduler fail",
       "A certificate has expired or is of another authority, or something else calls the port.",
       "Read the agent's log for the cause; docs/connect.md#tls"},
  };
}

std::vector<Alert> AlertsOfGangs() {
  return {
      {"OutriggerGangNotLeading", NoneLeads("outrigger_gang_leading"), "1m", kPage,
       "No replica of agent gang is in charge", "No gang is planned, and no gated pod starts.",
       "`kubectl -n kube-system get lease` shows the holder; docs/gang.md#when-the-agent-is-down"},
      {"OutriggerQosNotLeading", NoneLeads("outrigger_qos_leading"), "1m", kPage,
       "No replica of agent qos is in charge",
       "No pod of the queue gets a place, and no gated pod starts.",
       "`kubectl -n kube-system get lease` shows the holder; docs/gang.md#when-the-agent-is-down"},
      {"OutriggerQueueHeadOld", "max by (job) (outrigger_qos_head_age_seconds) > 3600", "", kTicket,
       "The first unit of the queue has waited for over an hour",
       "Later units get only room that the first one does not need.",
       "`outrigger explain queue` shows what it lacks; agents/gang/qos/README.md"},
      {"OutriggerGangPartial", "max by (job) (outrigger_gang_partial) > 0", "", kTicket,
       "{{ $value }} gangs are bound in part", "Bound members hold nodes while the others wait.",
       "`outrigger explain gang NAME` shows why the others wait; docs/gang.md#a-lost-member"},
      {"OutriggerGangResourceMissing",
       R"(max by (job) (outrigger_gang_resource_missing{pods="waiting"}) > 0)", "", kTicket,
       "{{ $value }} waiting gang members do not ask for calls",
       "kube-scheduler places these pods by itself, so their gangs can start in part.",
       "`kubectl get events -A --field-selector reason=GangResourceMissing` names them; "
       "docs/gang.md#members-only"},
      {"OutriggerGangGatesFail", R"(max by (job) (outrigger_gang_gated{by="failing"}) > 0)", "",
       kTicket, "The API server refuses to remove {{ $value }} scheduling gates",
       "These pods have a place and cannot start.",
       "`kubectl get events -A --field-selector reason=GangNotReleased`, then `outrigger agents "
       "--rbac`; docs/gang.md#gates"},
      {"OutriggerGangTimeouts", "increase(outrigger_gang_timeouts_total[1h]) > 0", "", kTicket,
       "Gangs gave up their nodes because they were incomplete",
       "They had places for all members, and some did not come in time.",
       "`kubectl get events -A --field-selector reason=GangTimedOut` names them; "
       "docs/gang.md#events"},
      {"OutriggerGangNominationsFail",
       Rises(R"(outrigger_gang_nominations_total{result="failed"})", "1h"), "", kTicket,
       "Nominations of pods cannot be written", "Other pods can take the nodes of a gang.",
       "Read the agent's log and check its rights: `outrigger agents --rbac`; "
       "docs/desk.md#a-pods-nomination"},
  };
}

std::vector<Alert> AlertsOfOthers() {
  return {
      {"OutriggerPenaltyNotLeading", NoneLeads("outrigger_penalty_leading"), "5m", kPage,
       "No replica of agent penalty holds the Lease",
       "A PriorityClass that is being replaced stays away, and its new pods are refused. With "
       "replacement other than recreate this can wait for the morning.",
       "`kubectl get priorityclass`, then `outrigger explain penalty`; agents/penalty/README.md"},
      {"OutriggerPenaltyRefused",
       Rises(R"(outrigger_penalty_replacements_total{result=~"stuck|refused"})", "1h"), "", kTicket,
       "A PriorityClass could not get its penalty", "It keeps the value that it has.",
       "`kubectl get events -A --field-selector reason=PenaltyRefused` says why; "
       "docs/penalty.md#which-classes-are-left-alone"},
      {"OutriggerPenaltyErrors", Rises("outrigger_penalty_errors_total", "1h"), "", kTicket,
       "API calls of agent penalty fail: {{ $labels.call }}", "Penalties come late.",
       "Read the agent's log and check its rights: `outrigger agents --rbac penalty`; "
       "agents/penalty/README.md"},
      {"OutriggerRewardNotLeading", NoneLeads("outrigger_reward_leading"), "5m", kTicket,
       "No replica of agent reward holds the Lease", "Nothing is learned; scores stay as they are.",
       "`kubectl -n kube-system get lease` shows the holder; agents/reward/README.md"},
      {"OutriggerRewardErrors", Rises("outrigger_reward_errors_total", "1h"), "", kTicket,
       "Agent reward fails: {{ $labels.call }}", "Outcomes are lost if a restart comes now.",
       "Read the agent's log and check its rights: `outrigger agents --rbac reward`; "
       "agents/reward/README.md"},
      {"OutriggerDevicesLost",
       Rises(R"(outrigger_devices_allocations_total{result="lost"})", "10m"), "", kPage,
       "A DevicePool lost the entry of a bound pod", "Two pods can get one device.",
       "`outrigger devices` shows who holds what; the agent's log names the pool; "
       "agents/devices/README.md"},
      {"OutriggerDevicesAllocationsFail",
       Rises(R"(outrigger_devices_allocations_total{result="failed"})", "1h"), "", kTicket,
       "Allocations of devices fail at the API server", "kube-scheduler tries these pods again.",
       "Read the agent's log and check its rights: `outrigger agents --rbac devices`; "
       "docs/devices.md"},
      {"OutriggerDevicesStatusWritesFail",
       Rises(R"(outrigger_devices_status_writes_total{result="failed"})", "1h"), "", kTicket,
       "Statuses of device pools or claims cannot be written", "They show what was true before.",
       "Read the agent's log and check its rights: `outrigger agents --rbac devices`; "
       "docs/devices.md"},
      {"OutriggerAnnotateNotLeading", NoneLeads("outrigger_annotate_leader"), "1m", kTicket,
       "No annotator writes", "Agents safe and congestion go on with the last values.",
       "`kubectl -n kube-system get lease` shows the holder; docs/annotators.md"},
      {"OutriggerAnnotatePending", "min_over_time(outrigger_annotate_pending_nodes[15m]) > 0", "",
       kTicket, "{{ $value }} nodes or more wait for their annotations",
       "Agents go on with the last values.",
       "`curl -s http://127.0.0.1:PORT/readyz?verbose` on the annotator's admin port says why; "
       "docs/annotators.md"},
      {"OutriggerAnnotateRoundsFail", "rate(outrigger_annotate_failed_rounds_total[10m]) > 0", "",
       kTicket, "Rounds of an annotator fail", "Agents go on with the last values.",
       "The annotator's log names the cause, in most cases the source: docs/annotators.md"},
  };
}

// A folded scalar, which needs no quotes.
std::string Folded(std::string_view key, std::string_view text, size_t indent) {
  std::string yaml = fmt::format("{:{}}{}: >-\n", "", indent, key);
  const size_t room = kLine - indent - 2;
  while (!text.empty()) {
    const size_t space = text.size() > room ? text.rfind(' ', room) : text.size();
    const std::string_view line = text.substr(0, space);
    yaml += fmt::format("{:{}}{}\n", "", indent + 2, line);
    text.remove_prefix(std::min(text.size(), line.size() + 1));
  }
  return yaml;
}

std::string RuleOf(const Alert& alert) {
  constexpr size_t kIndent = 10;
  std::string yaml = fmt::format("        - alert: {}\n", alert.name);
  yaml += Folded("expr", alert.expr, kIndent);
  if (!alert.wait.empty()) yaml += fmt::format("          for: {}\n", alert.wait);
  yaml +=
      fmt::format("          labels: {{severity: {}}}\n          annotations:\n", alert.severity);
  for (const auto& [key, text] :
       {std::pair("summary", alert.summary), std::pair("description", alert.description),
        std::pair("runbook", alert.runbook)}) {
    yaml += Folded(key, text, kIndent + 2);
  }
  return yaml;
}

}  // namespace

std::string AlertRules() {
  std::string yaml =
      "# Written by scripts/update-docs from src/cli/monitoring/alerts.cc; do not edit.\n"
      "# page: pods do not start, or get what others have. ticket: it can wait for the morning.\n"
      "apiVersion: monitoring.coreos.com/v1\n"
      "kind: PrometheusRule\n"
      "metadata:\n"
      "  name: outrigger\n"
      "spec:\n"
      "  groups:\n"
      "    - name: outrigger\n"
      "      rules:\n";
  for (const auto& alerts : {AlertsOfCalls(), AlertsOfGangs(), AlertsOfOthers()}) {
    for (const Alert& alert : alerts) yaml += RuleOf(alert);
  }
  return yaml;
}

}  // namespace outrigger::cli
