#include <algorithm>
#include <chrono>

#include "cli/doctor/checks.h"
#include "cli/scheduler_config/scheduler_config.h"
#include "cli/scheduler_config/unchecked.h"
#include "console/format/text.h"
#include "fmt/format.h"
#include "outrigger/base/text.h"

namespace outrigger::cli {
namespace {

using Id = FindingId;

constexpr const char* kDefaultLease = "kube-system/kube-scheduler";
constexpr const char* kNoLease = "none";
constexpr std::chrono::seconds kBindTimeout{630};
constexpr std::chrono::seconds kVolumeTimeout{600};

Place LeasePlace(const MapReader& election) {
  for (const char* field : {"resourceName", "resourceNamespace", "leaderElect"}) {
    if (election.Has(field)) return election.Text(field).place;
  }
  return election.place();
}

std::vector<Field<std::string>> ProfileNames(const DoctorCase& found) {
  std::vector<Field<std::string>> names;
  for (const MapReader& profile : found.profiles) {
    names.push_back(profile.Text("schedulerName"));
    if (names.back().Absent()) names.back().value = kDefaultScheduler;
  }
  if (names.empty()) {
    names.emplace_back();
    names.back().value = kDefaultScheduler;
    names.back().place.path = "profiles";
  }
  return names;
}

void CheckTold(const DoctorCase& found, const AgentInfo& agent, const std::string& lease,
               const Place& place, Findings* findings) {
  const std::optional<std::string> own = found.Given(agent, "scheduler-lease");
  if (!own || *own == lease) return;
  if (lease == kNoLease) {
    findings->Add(Id::kLeaseNone, place, fmt::format("no Lease; agent {} has {}", agent.name, *own),
                  fmt::format("leave --{}.scheduler-lease out, or leaderElect: true", agent.name));
    return;
  }
  findings->Add(Id::kLeaseNotTold, place,
                fmt::format("the Lease {}; agent {} has {}", lease, agent.name, *own),
                fmt::format("leave --{0}.scheduler-lease out, or --{0}.scheduler-lease {1}",
                            agent.name, lease));
}

void CheckLease(const DoctorCase& found, Findings* findings) {
  const MapReader election = found.root.Map("leaderElection");
  const std::optional<std::string>& lease = found.facts.lease;
  if (!lease) return;
  const Place place = LeasePlace(election);
  for (const AgentInfo* agent : found.Agents()) CheckTold(found, *agent, *lease, place, findings);
  const std::vector<Field<std::string>> names = ProfileNames(found);
  const bool second = std::none_of(names.begin(), names.end(), [](const Field<std::string>& name) {
    return name.Broken() || name.value == kDefaultScheduler;
  });
  if (!second || *lease != kDefaultLease) return;
  findings->Add(Id::kLeaseShared, place,
                fmt::format("the Lease {} for {}", *lease, names.front().value),
                fmt::format("leaderElection: {{resourceName: {0}}}, or leaderElect: false for one "
                            "replica (if {0} is not the only scheduler)",
                            names.front().value));
}

void CheckNames(const DoctorCase& found, const AgentInfo& agent, Findings* findings) {
  const std::optional<std::string> told = found.Given(agent, "scheduler-names");
  if (!told) return;
  const std::vector<std::string> known = SplitList(*told);
  const std::vector<Field<std::string>> names = ProfileNames(found);
  std::string all;
  for (const Field<std::string>& name : names) all += (all.empty() ? "" : ",") + name.value;
  for (const Field<std::string>& name : names) {
    if (name.Broken() || std::find(known.begin(), known.end(), name.value) != known.end()) continue;
    findings->Add(Id::kSchedulerNameNotTold, name.place,
                  fmt::format("{}; agent {} has {}", name.value, agent.name, *told),
                  fmt::format("set --{}.scheduler-names {}", agent.name, all));
  }
}

void CheckProfiles(const DoctorCase& found, Findings* findings) {
  for (const UncheckedProfile& profile : ReadUnchecked(found.root)) {
    for (const Field<std::string>& filter : profile.unknown) {
      findings->Add(Id::kFilterNotPlanned, filter.place, filter.value,
                    "nothing, or node labels that pods select instead");
    }
    for (const Field<std::string>& name : profile.without_effect) {
      findings->Add(Id::kIgnoredWithoutEffect, name.place, name.value,
                    "the name in the managedResources of an extender, or leave it out");
    }
  }
}

// What an agent takes otherwise that does not read this file.
std::vector<std::string> Unlike(const DoctorCase& found, const AgentInfo& agent) {
  const SchedulerFacts& facts = found.facts;
  std::vector<std::string> unlike;
  if (!found.Given(agent, "scheduler-names") && facts.names != kDefaultScheduler) {
    unlike.push_back(fmt::format("profiles {}", *facts.names));
  }
  if (!found.Given(agent, "scheduler-lease") && facts.lease && facts.lease != kDefaultLease) {
    unlike.push_back(*facts.lease == kNoLease ? "no Lease" : "the Lease " + *facts.lease);
  }
  if (facts.bind_timeout.value_or(kBindTimeout) != kBindTimeout) {
    unlike.push_back(fmt::format("bind calls of {} s", facts.bind_timeout->count()));
  }
  if (facts.volume_bind_timeout.value_or(kVolumeTimeout) != kVolumeTimeout) {
    unlike.push_back(fmt::format("volumes within {} s", facts.volume_bind_timeout->count()));
  }
  if (!facts.unchecked.empty()) {
    unlike.push_back(fmt::format("not compared: {}", facts.unchecked));
  }
  if (!facts.added_affinity.empty()) unlike.emplace_back("addedAffinity");
  if (facts.members_only.value_or(false)) unlike.emplace_back("calls about members alone");
  return unlike;
}

void CheckRead(const DoctorCase& found, const AgentInfo& agent, Findings* findings) {
  if (!found.told[0].server->scheduler_config.empty() || found.IsAlone(agent)) return;
  const std::vector<std::string> unlike = Unlike(found, agent);
  if (unlike.empty()) return;
  findings->Add(
      Id::kSchedulerConfigUnread, found.EntriesOf(agent).front()->place(),
      fmt::format("{}", fmt::join(unlike, "; ")),
      fmt::format("serve {} with --scheduler-config and this file; give doctor the same flag",
                  agent.name));
}

}  // namespace

void CheckIdentity(const DoctorCase& found, Findings* findings) {
  CheckLease(found, findings);
  for (const AgentInfo* agent : found.Agents()) {
    CheckNames(found, *agent, findings);
  }
  const std::vector<const AgentInfo*> agents = found.Agents();
  const auto planner = std::find_if(agents.begin(), agents.end(), [](const AgentInfo* agent) {
    return agent->factory.wishes.last;
  });
  if (planner == agents.end()) return;
  CheckProfiles(found, findings);
  CheckRead(found, **planner, findings);
}

}  // namespace outrigger::cli
