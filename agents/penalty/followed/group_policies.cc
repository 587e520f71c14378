#include "followed/group_policies.h"

#include <utility>

#include "fmt/format.h"
#include "outrigger/base/mutex.h"

namespace outrigger::penalty {

GroupPolicies::Source::Source(const CustomKind& kind, std::function<void()> changed)
    : kind_(kind), changed_(std::move(changed)) {}

absl::Status GroupPolicies::Source::Upsert(const CustomObjectName& object, std::string_view json) {
  auto read = GroupIncrementsOf(json);
  if (!read.ok()) return read.status();
  GroupIncrements& said = *read;
  const std::string name(object.name);
  {
    const MutexLock lock(mutex_);
    GroupIncrements& known = said_[name];
    if (!said.problem.empty() && known.problem != said.problem) {
      problems_.push_back({.api_version = kind_.group.empty()
                                              ? std::string(kind_.version)
                                              : fmt::format("{}/{}", kind_.group, kind_.version),
                           .kind = std::string(kind_.kind),
                           .namespace_ = "",
                           .name = name,
                           .uid = said.uid,
                           .warning = true,
                           .reason = "PenaltyPolicyMalformed",
                           .action = "Penalising",
                           .note = said.problem + "; it is ignored"});
    }
    known = std::move(said);
    if (!known.start && !known.completion && known.problem.empty()) said_.erase(name);
    if (problems_.empty()) return absl::OkStatus();
  }
  changed_();
  return absl::OkStatus();
}

void GroupPolicies::Source::Remove(const CustomObjectName& object) {
  const MutexLock lock(mutex_);
  said_.erase(std::string(object.name));
}

// PodGroups may wait for this list.
void GroupPolicies::Source::EndReplace(std::string_view /*version*/) {
  changed_();
}

void GroupPolicies::Source::Choose(const std::string& name, std::string_view word,
                                   GroupPolicy* chosen) const {
  const MutexLock lock(mutex_);
  const auto found = said_.find(name);
  if (found == said_.end()) return;
  const std::string of = fmt::format("{} {}", word, name);
  if (found->second.start) {
    chosen->policy.start = *found->second.start;
    chosen->start_of = of;
  }
  if (found->second.completion) {
    chosen->policy.completion = *found->second.completion;
    chosen->completion_of = of;
  }
}

void GroupPolicies::Source::TakeProblems(std::vector<ClusterEvent>* problems) {
  const MutexLock lock(mutex_);
  for (ClusterEvent& problem : problems_) problems->push_back(std::move(problem));
  problems_.clear();
}

GroupPolicies::GroupPolicies(CustomObjectAccess* cluster, const std::function<void()>& changed)
    : queues_(kQueueKind, changed),
      namespaces_(kNamespaceKind, changed),
      followed_{cluster->Follow(kQueueKind, &queues_),
                cluster->Follow(kNamespaceKind, &namespaces_)} {}

absl::Status GroupPolicies::Usable() const {
  for (const auto& followed : followed_) {
    absl::Status usable = followed->Usable();
    if (!usable.ok() && !absl::IsNotFound(usable)) return usable;
  }
  return absl::OkStatus();
}

GroupPolicy GroupPolicies::Of(const PodGroup& group, const Policy& of_class) const {
  GroupPolicy chosen{of_class};
  namespaces_.Choose(group.namespace_, "namespace", &chosen);
  queues_.Choose(group.queue, "queue", &chosen);
  return chosen;
}

std::vector<ClusterEvent> GroupPolicies::TakeProblems() {
  std::vector<ClusterEvent> problems;
  queues_.TakeProblems(&problems);
  namespaces_.TakeProblems(&problems);
  return problems;
}

}  // namespace outrigger::penalty
