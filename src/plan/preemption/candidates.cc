#include "plan/preemption/candidates.h"

#include <algorithm>
#include <map>
#include <memory>
#include <string_view>
#include <utility>

#include "outrigger/plan/group.h"
#include "outrigger/plan/order.h"
#include "plan/groups/other_gangs.h"

namespace outrigger::plan {
namespace {

int64_t SinceOf(const Pod& pod) {
  return pod.scheduled_time != 0 ? pod.scheduled_time : pod.creation_time;
}

// Pods that would be back at once, or that nobody can evict.
bool Stays(const Pod& pod) {
  const bool of_daemon_set = pod.controller && pod.controller->kind == "DaemonSet";
  return of_daemon_set || pod.annotations.Contains(kMirrorAnnotation);
}

// The group that the pod belongs to as a whole; nullptr: it is a single one.
const GroupState* GangOf(const Pod& pod, std::span<const GroupState> groups) {
  const auto membership = MembershipOf(pod, nullptr);
  const GroupState* group = membership ? FindGroup(groups, *membership) : nullptr;
  return group == nullptr || group->independent ? nullptr : group;
}

// What goes with the pod. The name of a single pod, and of a gang of another scheduler, is given
// once all are known.
UnitKey KeyOf(const Pod& pod, const GroupState* gang) {
  if (gang != nullptr) return gang->key;
  std::string name = OtherGangOf(pod);
  if (name.empty()) name = pod.uid;
  return {Dialect::kNone, pod.namespace_, "", std::move(name)};
}

class Collector {
 public:
  Collector(int32_t below, std::span<const GroupState> groups) : below_(below), groups_(groups) {}

  void Add(const cluster::PodRecord& record) {
    auto pod = std::make_shared<const Pod>(record.Unpack());
    if (pod->being_deleted) return leaving_.push_back(&record);
    const GroupState* gang = GangOf(*pod, groups_);
    Entry& entry = entries_[KeyOf(*pod, gang)];
    Victim& victim = entry.candidate.victim;
    entry.stays |= record.is_assumed() || Stays(*pod) || (gang != nullptr && gang->preferred);
    victim.priority =
        victim.pods.empty() ? pod->priority : std::max(victim.priority, pod->priority);
    victim.since = std::max(victim.since, SinceOf(*pod));
    victim.pods.push_back(std::move(pod));
    entry.candidate.records.push_back(&record);
  }

  Candidates Take() {
    Candidates all{.candidates = {}, .leaving = std::move(leaving_)};
    for (auto& [key, entry] : entries_) {
      Victim& victim = entry.candidate.victim;
      if (entry.stays || victim.priority >= below_) continue;
      victim.key = key;
      std::sort(victim.pods.begin(), victim.pods.end(),
                [](const auto& a, const auto& b) { return a->name < b->name; });
      if (key.dialect == Dialect::kNone) victim.key.name = victim.pods[0]->name;
      all.candidates.push_back(std::move(entry.candidate));
    }
    std::sort(all.candidates.begin(), all.candidates.end(),
              [](const Candidate& a, const Candidate& b) { return a.victim.key < b.victim.key; });
    return all;
  }

 private:
  struct Entry {
    Candidate candidate;
    bool stays = false;
  };
  const int32_t below_;
  const std::span<const GroupState> groups_;
  std::map<UnitKey, Entry> entries_;
  std::vector<const cluster::PodRecord*> leaving_;
};

void DrawOnBudgets(const std::vector<DisruptionBudget>& budgets, Candidate* candidate) {
  for (const auto& pod : candidate->victim.pods) {
    for (size_t i = 0; i < budgets.size(); ++i) {
      const DisruptionBudget& budget = budgets[i];
      const bool covers = budget.namespace_ == pod->namespace_ && budget.selector &&
                          budget.selector->Matches(pod->labels);
      if (covers) candidate->budgets.push_back(i);
    }
  }
}

void CountRunTime(int64_t now, Candidate* candidate) {
  for (const auto& pod : candidate->victim.pods) {
    candidate->run_time += std::max<int64_t>(0, now - SinceOf(*pod));
  }
}

}  // namespace

Candidates CandidatesBelow(int32_t priority, const cluster::Snapshot& snapshot,
                           std::span<const GroupState> groups, const PreemptionOptions& options) {
  Collector collector(priority, groups);
  snapshot.ForEachPod([&](const cluster::PodPtr& pod) {
    if (!pod->node_name().empty() && !pod->is_terminal()) collector.Add(*pod);
  });
  Candidates all = collector.Take();
  std::erase_if(all.candidates, [&](const Candidate& candidate) {
    return candidate.victim.since > options.now - options.min_run_time;
  });
  for (Candidate& candidate : all.candidates) {
    DrawOnBudgets(options.budgets, &candidate);
    CountRunTime(options.now, &candidate);
  }
  return all;
}

}  // namespace outrigger::plan
