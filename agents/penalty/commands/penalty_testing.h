#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fake_elections.h"
#include "fake_objects.h"
#include "penalty/classes/journal_store.h"
#include "penalty/classes/ledger.h"
#include "penalty/classes/mapping.h"
#include "penalty/commands/penalty_cluster.h"

// A cluster in memory with classes, a journal and PodGroups, for the commands about penalties.

namespace outrigger::cli {

inline constexpr penalty::Millis kJournalBegan = 1'764'000'000'000;

class FakePenalty final : public PenaltyObjects {
 public:
  absl::StatusOr<std::vector<PriorityClass>> ListClasses(const CallLimits& /*limits*/) override {
    return server.Classes();
  }
  absl::StatusOr<std::vector<PodGroup>> ListGroups(const CallLimits& /*limits*/) override {
    return groups;
  }
  absl::Status ForEachPod(absl::FunctionRef<void(const Pod& pod)> visit) override {
    for (const Pod& pod : pods) visit(pod);
    return pods_error;
  }
  absl::StatusOr<std::optional<std::chrono::seconds>> LeaseDuration(
      std::string_view /*namespace_*/, std::string_view /*name*/,
      const CallLimits& /*limits*/) override {
    return std::optional<std::chrono::seconds>();
  }
  void Record(const PriorityClass& about, std::string_view reason,
              const std::string& note) override {
    events.push_back(std::string(reason) + " " + about.name + ": " + note);
  }

  PenaltyCluster Cluster() { return {&server, &server, &elections, this}; }

  /// A pod that names a class, in namespace team.
  void AddPod(const std::string& name, const std::string& class_name, int32_t priority,
              const std::string& phase = "Running") {
    Pod& pod = pods.emplace_back();
    pod.namespace_ = "team";
    pod.name = name;
    pod.priority_class_name = class_name;
    pod.priority = priority;
    pod.phase = phase;
  }
  /// Puts a stand-in of a class there, as an agent of that namespace has made it.
  void PutStandIn(const std::string& of, int32_t value,
                  const std::string& name_space = "kube-system") {
    PriorityClass made;
    made.name = penalty::StandInName(of, value, "PreemptLowerPriority");
    made.value = value;
    made.preemption_policy = "PreemptLowerPriority";
    made.labels = penalty::JournalLabels();
    made.annotations.Set(std::string(penalty::kStandsForAnnotation), of);
    made.annotations.Set(std::string(penalty::kMappedInAnnotation), name_space);
    server.Put(made);
  }
  void PutMapping(const std::map<std::string, std::string>& entries) {
    ConfigMap map;
    map.namespace_ = "kube-system";
    map.name = penalty::JournalMapName({penalty::JournalMapKind::kMapping});
    for (const auto& [name, stand_in] : entries) map.data[name] = stand_in;
    server.PutMap(map);
  }
  /// Puts a class there; with a base it is penalised.
  void PutClass(const std::string& name, int32_t value, const std::string& base = "") {
    PriorityClass made;
    made.name = name;
    made.value = value;
    made.description = "the class " + name;
    made.labels.Set("team", "blue");
    if (!base.empty()) made.annotations.Set("outrigger.dev/base-value", base);
    server.Put(made);
  }
  /// Adds an account to the ledger that WriteJournal() writes.
  void AddAccount(const std::string& name, int64_t base, int64_t written) {
    penalty::ClassAccount account;
    account.name = name;
    account.base = base;
    account.written = base;
    account.account = {.penalty = static_cast<double>(base - written),
                       .changed = kJournalBegan + 1000,
                       .starts = 3,
                       .completions = 1,
                       .unwritten_since = 0};
    account.since = kJournalBegan;
    ASSERT_TRUE(ledger.Add(account).ok());
    ledger.OnReplaced(name, {.at = kJournalBegan + 2000,
                             .before = base,
                             .after = written,
                             .gap_us = 4000,
                             .cause = "start default/job-1"});
  }
  void WriteJournal() {
    penalty::JournalStore store(&server, "kube-system");
    ASSERT_TRUE(store.Write(&ledger, /*later=*/true, {}).ok());
  }
  /// "name=value base" of a class, or "name is away".
  std::string ClassText(const std::string& name) const {
    const auto there = server.Find(name);
    if (!there) return name + " is away";
    const std::string* const base = there->annotations.Find("outrigger.dev/base-value");
    return name + "=" + std::to_string(there->value) + (base == nullptr ? "" : " of " + *base);
  }

  testing::FakeObjects server;
  testing::FakeElections elections;
  std::vector<PodGroup> groups;
  std::vector<Pod> pods;
  absl::Status pods_error;
  std::vector<std::string> events;
  penalty::Ledger ledger{kJournalBegan};
};

}  // namespace outrigger::cli
