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

// Agents to which a sample of the nodes does harm: those that plan, unless they nominate all pods
// that they planned, and those that know what only some nodes have.
std::vector<const AgentInfo*> HarmedBySamples(const DoctorCase& found) {
  std::vector<const AgentInfo*> agents = found.Agents();
  std::erase_if(agents, [&](const AgentInfo* agent) {
    return !agent->factory.wishes.every_node || found.Told(*agent, "nominate") == "all";
  });
  return agents;
}

// With what else helps, if it helps all that are harmed.
std::string SampledHint(const std::vector<const AgentInfo*>& harmed) {
  std::string hint = "percentageOfNodesToScore: 100";
  const AgentInfo& first = *harmed.front();
  if (harmed.size() > 1 || first.factory.settings.Find("nominate") == nullptr) return hint;
  return hint + fmt::format(" (or tell agent {0}: --{0}.nominate all)", first.name);
}

void AddSampled(const Field<int64_t>& share, const std::string& hint, Findings* findings) {
  if (share.Broken() || share.value < 0 || share.value > 100) return;  // reported already
  findings->Add(Id::kNodesSampled, share.place,
                share.Given() ? std::to_string(share.value) : "missing", hint);
}

void CheckSampled(const DoctorCase& found, Findings* findings) {
  const std::vector<const AgentInfo*> harmed = HarmedBySamples(found);
  if (harmed.empty()) return;
  const std::string hint = SampledHint(harmed);
  const Field<int64_t> of_all = found.root.Integer("percentageOfNodesToScore");
  bool of_all_counts = found.profiles.empty();
  for (const MapReader& profile : found.profiles) {
    const Field<int64_t> share = profile.Integer("percentageOfNodesToScore");
    of_all_counts |= share.Absent();
    if (!share.Absent() && share.value != 100) AddSampled(share, hint, findings);
  }
  if (of_all_counts && of_all.value != 100) AddSampled(of_all, hint, findings);
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
  CheckSampled(found, findings);
  if (Any(agents, [](const AgentInfo& agent) { return agent.factory.wishes.quick_retries; })) {
    CheckBackoff(found.root, findings);
  }
}

}  // namespace outrigger::cli
