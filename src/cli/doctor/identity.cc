#include <algorithm>

#include "cli/doctor/checks.h"
#include "cli/format/text.h"
#include "cli/scheduler_config/scheduler_config.h"
#include "cli/scheduler_config/unchecked.h"
#include "fmt/format.h"
#include "outrigger/base/text.h"

namespace outrigger::cli {
namespace {

using Id = FindingId;

constexpr const char* kDefaultLease = "kube-system/kube-scheduler";
constexpr const char* kNoLease = "none";

// The Lease as agents name it; nothing where it cannot be read.
std::optional<std::string> LeaseOf(const MapReader& election) {
  const Field<bool> elect = election.Truth("leaderElect");
  const Field<std::string> name_space = election.Text("resourceNamespace");
  const Field<std::string> name = election.Text("resourceName");
  if (elect.Broken() || name_space.Broken() || name.Broken()) return std::nullopt;
  if (!elect.Or(true)) return kNoLease;
  return fmt::format("{}/{}", name_space.value.empty() ? "kube-system" : name_space.value,
                     name.value.empty() ? "kube-scheduler" : name.value);
}

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
  const std::optional<std::string> own = found.Told(agent, "scheduler-lease");
  if (!own || *own == lease) return;
  if (lease == kNoLease) {
    findings->Add(Id::kLeaseNone, place, fmt::format("no Lease; agent {} has {}", agent.name, *own),
                  fmt::format("set --{}.scheduler-lease none, or leaderElect: true", agent.name));
    return;
  }
  findings->Add(Id::kLeaseNotTold, place,
                fmt::format("the Lease {}; agent {} has {}", lease, agent.name, *own),
                fmt::format("set --{}.scheduler-lease {}", agent.name, lease));
}

void CheckLease(const DoctorCase& found, Findings* findings) {
  const MapReader election = found.root.Map("leaderElection");
  const std::optional<std::string> lease = LeaseOf(election);
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
  const std::optional<std::string> told = found.Told(agent, "scheduler-names");
  if (!told) return;
  const std::vector<std::string> known = SplitList(*told);
  const std::vector<Field<std::string>> names = ProfileNames(found);
  std::string all;
  for (const Field<std::string>& name : names) all += (all.empty() ? "" : ",") + name.value;
  for (const Field<std::string>& name : names) {
    if (name.Broken() || std::find(known.begin(), known.end(), name.value) != known.end()) continue;
    findings->Add(Id::kSchedulerNameNotTold, name.place,
                  fmt::format("{}; agent {} is told {}", name.value, agent.name, *told),
                  fmt::format("tell the agent: --{}.scheduler-names {}", agent.name, all));
  }
}

void CheckUnchecked(const DoctorCase& found, const AgentInfo& agent, Findings* findings) {
  const std::optional<std::string> setting = found.Told(agent, "unchecked");
  if (!setting) return;
  const auto checks = plan::SchedulerChecks::Parse(*setting);
  if (!checks.ok()) return;  // the agent itself refuses it
  const std::vector<UncheckedProfile> profiles = ReadUnchecked(found.root);
  const std::string wanted = UncheckedText(profiles);
  const std::string fix = wanted.empty() ? fmt::format("leave --{}.unchecked out", agent.name)
                                         : fmt::format("set --{}.unchecked {}", agent.name, wanted);
  for (const UncheckedProfile& profile : profiles) {
    for (const Field<std::string>& name : profile.without_effect) {
      findings->Add(Id::kIgnoredWithoutEffect, name.place, name.value,
                    "the name among the managedResources of an extender, or leave it out");
    }
    const auto known = checks->profiles.find(profile.name);
    const plan::UncheckedByProfile& has =
        known == checks->profiles.end() ? checks->everywhere : known->second;
    const auto add = [&](Id id, const plan::UncheckedByProfile& more) {
      const std::string items = UncheckedText({{profile.name, profile.place, more, {}}});
      if (items.empty()) return;
      findings->Add(id, profile.place,
                    fmt::format("{} of profile {}; agent {} has \"{}\"", items, profile.name,
                                agent.name, *setting),
                    fix);
    };
    add(Id::kUncheckedMissing, Without(profile.unchecked, has));
    add(Id::kUncheckedTooMuch, Without(has, profile.unchecked));
  }
}

}  // namespace

void CheckIdentity(const DoctorCase& found, Findings* findings) {
  CheckLease(found, findings);
  for (const AgentInfo* agent : found.Agents()) {
    CheckNames(found, *agent, findings);
    CheckUnchecked(found, *agent, findings);
  }
}

}  // namespace outrigger::cli
