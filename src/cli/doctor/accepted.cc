#include <map>

#include "cli/doctor/checks.h"
#include "fmt/format.h"

namespace outrigger::cli {
namespace {

using Id = FindingId;

void CheckWeight(const Entry& entry, Findings* findings) {
  const Field<int64_t> weight = entry.fields.Integer("weight");
  if (!entry.Has(kPrioritizeVerb) || weight.Broken() || weight.value > 0) return;
  findings->Add(Id::kWeightNotPositive, weight.place,
                weight.Given() ? std::to_string(weight.value) : "missing", "weight: 1");
}

void CheckBinders(const std::vector<Entry>& entries, Findings* findings) {
  const Entry* binder = nullptr;
  for (const Entry& entry : entries) {
    if (!entry.Has(kBindVerb)) continue;
    if (binder != nullptr) {
      const bool both =
          binder->agent != nullptr && entry.agent != nullptr && binder->agent != entry.agent;
      findings->Add(
          Id::kBindersSeveral, entry.verbs[kBindVerb].place,
          fmt::format("bindVerb, which {} has, too", binder->Title()),
          both ? InOneProcess(*binder->agent, *entry.agent) : "bindVerb in one of the two alone");
    } else {
      binder = &entry;
    }
  }
}

void CheckResources(const std::vector<Entry>& entries, Findings* findings) {
  std::map<std::string, std::string> places;
  for (const Entry& entry : entries) {
    for (const MapReader& resource : entry.fields.List("managedResources")) {
      const Field<std::string> name = resource.Text("name");
      if (!name.Given()) continue;
      const auto [first, added] = places.emplace(name.value, name.place.path);
      if (added) continue;
      findings->Add(Id::kManagedResourceTwice, name.place,
                    fmt::format("{}, as in {}", name.value, first->second),
                    "the name in one of the two alone");
    }
  }
}

void CheckPercentage(const MapReader& fields, Findings* findings) {
  const Field<int64_t> share = fields.Integer("percentageOfNodesToScore");
  if (!share.Given() || (share.value >= 0 && share.value <= 100)) return;
  findings->Add(Id::kPercentageRefused, share.place, std::to_string(share.value),
                "percentageOfNodesToScore: 100");
}

void CheckBackoffRange(const MapReader& root, Findings* findings) {
  constexpr int64_t kInitial = 1;
  constexpr int64_t kMost = 10;
  const Field<int64_t> initial = root.Integer("podInitialBackoffSeconds");
  const Field<int64_t> most = root.Integer("podMaxBackoffSeconds");
  if (initial.Given() && initial.value <= 0) {
    findings->Add(Id::kBackoffRefused, initial.place, std::to_string(initial.value),
                  "podInitialBackoffSeconds: 1");
  } else if (!initial.Broken() && !most.Broken() && most.Or(kMost) < initial.Or(kInitial)) {
    findings->Add(Id::kBackoffRefused, most.place,
                  fmt::format("{}, below the initial {}", most.Or(kMost), initial.Or(kInitial)),
                  "podInitialBackoffSeconds: 1 and podMaxBackoffSeconds: 1 (or more)");
  }
}

void CheckProfileNames(const std::vector<MapReader>& profiles, Findings* findings) {
  std::map<std::string, std::string> places;
  for (const MapReader& profile : profiles) {
    const Field<std::string> name = profile.Text("schedulerName");
    if (!name.Given()) continue;
    const auto [first, added] = places.emplace(name.value, profile.place().path);
    if (added) continue;
    findings->Add(Id::kProfileTwice, name.place,
                  fmt::format("{}, as in {}", name.value, first->second),
                  "a schedulerName of its own");
  }
}

void CheckParallelism(const MapReader& root, Findings* findings) {
  const Field<int64_t> workers = root.Integer("parallelism");
  if (!workers.Given() || workers.value > 0) return;
  findings->Add(Id::kParallelismRefused, workers.place, std::to_string(workers.value),
                "parallelism: 16 (the default)");
}

// Not set and 0 are the defaults of kube-scheduler.
absl::Duration Or(const Field<absl::Duration>& field, absl::Duration fallback) {
  return field.value == absl::ZeroDuration() ? fallback : field.value;
}

void CheckLeaseTimes(const MapReader& election, Findings* findings) {
  const Field<absl::Duration> lease = election.Duration("leaseDuration");
  const Field<absl::Duration> renew = election.Duration("renewDeadline");
  if (lease.Broken() || renew.Broken() || !election.Truth("leaderElect").Or(true)) return;
  const absl::Duration held = Or(lease, absl::Seconds(15));
  const absl::Duration renewed = Or(renew, absl::Seconds(10));
  if (held > renewed) return;
  findings->Add(Id::kLeaseRefused, (renew.Given() ? renew : lease).place,
                fmt::format("leaseDuration {}, not above the renewDeadline {}",
                            absl::FormatDuration(held), absl::FormatDuration(renewed)),
                "leaseDuration: 15s and renewDeadline: 10s (the defaults)");
}

}  // namespace

void CheckAccepted(const DoctorCase& found, Findings* findings) {
  for (const Entry& entry : found.entries) CheckWeight(entry, findings);
  CheckBinders(found.entries, findings);
  CheckResources(found.entries, findings);
  CheckPercentage(found.root, findings);
  for (const MapReader& profile : found.profiles) CheckPercentage(profile, findings);
  CheckBackoffRange(found.root, findings);
  CheckProfileNames(found.profiles, findings);
  CheckParallelism(found.root, findings);
  CheckLeaseTimes(found.root.Map("leaderElection"), findings);
}

}  // namespace outrigger::cli
