#include <algorithm>
#include <cmath>
#include <functional>

#include "cli/doctor/checks.h"
#include "fmt/format.h"

namespace outrigger::cli {
namespace {

using Id = FindingId;

// Below what a scheduler binds per second: some hundreds.
constexpr double kLeast = 200;

void CheckClient(const MapReader& root, Findings* findings) {
  const MapReader client = root.Map("clientConnection");
  const Field<double> qps = client.Number("qps");
  const Field<int64_t> burst = client.Integer("burst");
  const auto shown = [](const auto& field) {
    return field.Given() ? fmt::format("{}", field.value) : "missing";
  };
  if (qps.value < 0) return;  // no limit, whatever burst says
  if (!qps.Broken() && qps.value < kLeast) {
    findings->Add(Id::kClientQps, qps.place, shown(qps), "qps: 500");
  }
  if (!burst.Broken() && static_cast<double>(burst.value) < kLeast) {
    findings->Add(Id::kClientBurst, burst.place, shown(burst), "burst: 1000");
  }
}

bool Any(const std::vector<const AgentInfo*>& agents,
         const std::function<bool(const AgentInfo&)>& wishes) {
  return std::any_of(agents.begin(), agents.end(),
                     [&](const AgentInfo* agent) { return wishes(*agent); });
}

void AddSampled(const Field<int64_t>& share, Findings* findings) {
  if (share.Broken() || share.value < 0 || share.value > 100) return;  // reported already
  findings->Add(Id::kNodesSampled, share.place,
                share.Given() ? std::to_string(share.value) : "missing",
                "percentageOfNodesToScore: 100");
}

void CheckSampled(const DoctorCase& found, Findings* findings) {
  const Field<int64_t> of_all = found.root.Integer("percentageOfNodesToScore");
  bool of_all_counts = found.profiles.empty();
  for (const MapReader& profile : found.profiles) {
    const Field<int64_t> share = profile.Integer("percentageOfNodesToScore");
    of_all_counts |= share.Absent();
    if (!share.Absent() && share.value != 100) AddSampled(share, findings);
  }
  if (of_all_counts && of_all.value != 100) AddSampled(of_all, findings);
}

void CheckBackoff(const MapReader& root, Findings* findings) {
  constexpr int64_t kInitial = 1;
  constexpr int64_t kMost = 2;
  const Field<int64_t> initial = root.Integer("podInitialBackoffSeconds");
  const Field<int64_t> most = root.Integer("podMaxBackoffSeconds");
  if (initial.Given() && initial.value > kInitial) {
    findings->Add(Id::kBackoffLong, initial.place, std::to_string(initial.value),
                  "podInitialBackoffSeconds: 1");
  }
  if (most.Absent() || most.value > kMost) {
    findings->Add(Id::kBackoffLong, most.place,
                  most.Given() ? std::to_string(most.value) : "missing", "podMaxBackoffSeconds: 1");
  }
}

}  // namespace

void CheckScheduler(const DoctorCase& found, Findings* findings) {
  CheckClient(found.root, findings);
  const std::vector<const AgentInfo*> agents = found.Agents();
  // Agents that plan, and those that know what only some nodes have.
  if (Any(agents, [](const AgentInfo& agent) { return agent.factory.wishes.every_node; })) {
    CheckSampled(found, findings);
  }
  if (Any(agents, [](const AgentInfo& agent) { return agent.factory.wishes.quick_retries; })) {
    CheckBackoff(found.root, findings);
  }
}

}  // namespace outrigger::cli
