#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <queue>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "cluster/snapshot.h"
#include "fmt/format.h"
#include "gang/plan/group.h"
#include "gang/plan/groups.h"
#include "gang/plan/groups/markers.h"
#include "gang/plan/order.h"
#include "gang/plan/preemption.h"
#include "outrigger/base/text.h"
#include "outrigger/k8s/pod.h"

namespace outrigger::plan {
namespace {

using Answer = Preemption::Answer;
using Cost = std::pair<int64_t, int64_t>;

/// A victim that may be evicted, with what it costs. Records live as long as the snapshot.
struct Candidate {
  Victim victim;
  std::vector<const cluster::PodRecord*> records;  // of its pods
  std::vector<size_t> budgets;  // which its pods draw on; once for each pod and budget
  int64_t run_time = 0;         // of all its pods together, seconds
};

/// A victim of lower priority that may not be evicted, and why: one of a few kinds of reasons.
struct Protected {
  Candidate candidate;
  std::string_view why;
  std::string detail = {};  // of this one: "other"
};

/// Who is on nodes.
struct Candidates {
  std::vector<Candidate> candidates;               // by key
  std::vector<Protected> kept;                     // by key, too
  std::vector<const cluster::PodRecord*> leaving;  // being deleted: their places will be free
};

// YuniKorn's task groups have names of their own in each application, which is the gang.
std::string ApplicationOf(const Pod& pod) {
  constexpr std::string_view kAppId = "yunikorn.apache.org/app-id";
  for (const std::string_view id :
       {pod.labels.Get("applicationId"), pod.labels.Get(kAppId), pod.annotations.Get(kAppId)}) {
    if (!id.empty()) return std::string(id);
  }
  return fmt::format("of {}", pod.controller ? pod.controller->uid : pod.uid);
}

// Returns which gang of another scheduler the pod says it is in, by a marker that is not read as a
// group (plan/groups/markers.h); empty: none. Pods of one namespace are together if it is equal.
std::string OtherGangOf(const Pod& pod) {
  for (const UnreadMarker& marker : kUnreadMarkers) {
    const std::string_view name =
        (marker.in_annotations ? pod.annotations : pod.labels).Get(marker.key);
    if (name.empty()) continue;
    if (marker.whose != kYuniKorn && !marker.names_gang) continue;
    if (marker.whose == kYuniKorn) return fmt::format("{}/{}", marker.whose, ApplicationOf(pod));
    return fmt::format("{}/{}", marker.whose, name);
  }
  if (!pod.workload.empty()) return fmt::format("Workload/{}", pod.workload);
  for (const GroupOnPod& keys : kOthersOnPod) {
    const std::string_view name =
        (keys.in_annotations ? pod.annotations : pod.labels).Get(keys.name_key);
    if (!name.empty()) return fmt::format("{}/{}", keys.name_key, name);
  }
  return "";
}

int64_t SinceOf(const Pod& pod) {
  return pod.scheduled_time != 0 ? pod.scheduled_time : pod.creation_time;
}

// Pods that would be back at once, or that nobody can evict.
bool Stays(const Pod& pod) {
  const bool of_node =
      pod.controller && (pod.controller->kind == "DaemonSet" || pod.controller->kind == "Node");
  return of_node || pod.annotations.Contains(kMirrorAnnotation);
}

// True if a replacement of the pod, made now, would come before a unit of `rank`.
bool ComesBackBefore(const Rank& rank, const Pod& pod, int64_t now) {
  Rank again = RankOf(pod, rank.by_priority, nullptr);
  again.created = now;
  return again < rank;
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
  Collector(const Rank& rank, std::span<const GroupState> groups, const PreemptionOptions& options)
      : rank_(rank), groups_(groups), options_(options) {}

  void Add(const cluster::PodRecord& record) {
    auto pod = std::make_shared<const Pod>(record.Unpack());
    if (pod->being_deleted) return leaving_.push_back(&record);
    const GroupState* gang = GangOf(*pod, groups_);
    Entry& entry = entries_[KeyOf(*pod, gang)];
    Victim& victim = entry.candidate.victim;
    entry.stays |= record.is_assumed() || Stays(*pod) || (gang != nullptr && gang->preferred);
    if (entry.why.empty()) entry.why = WhyKept(*pod, &entry.detail);
    victim.priority =
        victim.pods.empty() ? pod->priority : std::max(victim.priority, pod->priority);
    victim.since = std::max(victim.since, SinceOf(*pod));
    victim.pods.push_back(std::move(pod));
    entry.candidate.records.push_back(&record);
  }

  Candidates Take() {
    Candidates all{.candidates = {}, .kept = {}, .leaving = std::move(leaving_)};
    for (auto& [key, entry] : entries_) {
      Victim& victim = entry.candidate.victim;
      if (entry.stays || victim.priority >= rank_.priority) continue;
      victim.key = key;
      std::sort(victim.pods.begin(), victim.pods.end(),
                [](const auto& a, const auto& b) { return a->name < b->name; });
      if (key.dialect == Dialect::kNone) victim.key.name = victim.pods[0]->name;
      if (entry.why.empty()) {
        all.candidates.push_back(std::move(entry.candidate));
      } else {
        all.kept.push_back({std::move(entry.candidate), entry.why, std::move(entry.detail)});
      }
    }
    std::sort(all.candidates.begin(), all.candidates.end(),
              [](const Candidate& a, const Candidate& b) { return a.victim.key < b.victim.key; });
    return all;
  }

 private:
  struct Entry {
    Candidate candidate;
    bool stays = false;
    std::string_view why = {};  // it is kept
    std::string detail = {};
  };

  std::string_view WhyKept(const Pod& pod, std::string* detail) const {
    if (!IsOurs(pod, options_.scheduler_names)) {
      *detail = pod.scheduler_name;
      return "belong to another scheduler";
    }
    const auto refused = options_.refused.find(pod.uid);
    if (refused != options_.refused.end()) {
      *detail = refused->second;
      return "may not be evicted";
    }
    if (!ComesBackBefore(rank_, pod, options_.now)) return "";
    return rank_.by_priority
               ? "would still be before it in the queue, by groupPriority or as system-critical"
               : "would still be before it in the queue";
  }

  const Rank& rank_;
  const std::span<const GroupState> groups_;
  const PreemptionOptions& options_;
  std::map<UnitKey, Entry> entries_;
  std::vector<const cluster::PodRecord*> leaving_;
};

// Why budgets never let it go; empty: they may.
std::string_view DrawOnBudgets(const std::vector<DisruptionBudget>& budgets, Candidate* candidate,
                               std::string* detail) {
  for (const auto& pod : candidate->victim.pods) {
    const size_t before = candidate->budgets.size();
    for (size_t i = 0; i < budgets.size(); ++i) {
      const DisruptionBudget& budget = budgets[i];
      const bool covers = budget.namespace_ == pod->namespace_ && budget.selector &&
                          budget.selector->Matches(pod->labels);
      if (covers) candidate->budgets.push_back(i);
    }
    if (candidate->budgets.size() < before + 2) continue;
    *detail = fmt::format("{} and {}", budgets[candidate->budgets[before]].name,
                          budgets[candidate->budgets[before + 1]].name);
    return "have two disruption budgets, so the API server never evicts them";
  }
  std::map<size_t, int64_t> used;
  for (const size_t budget : candidate->budgets) {
    if (++used[budget] <= budgets[budget].allowed) continue;
    *detail = budgets[budget].name;
    return "have a disruption budget that does not allow evictions now";
  }
  return "";
}

void CountRunTime(int64_t now, Candidate* candidate) {
  for (const auto& pod : candidate->victim.pods) {
    candidate->run_time += std::max<int64_t>(0, now - SinceOf(*pod));
  }
}

// Those who may be evicted for a unit of `rank`; FindPreemption() says who may not.
Candidates CandidatesFor(const Rank& rank, const cluster::Snapshot& snapshot,
                         std::span<const GroupState> groups, const PreemptionOptions& options) {
  Collector collector(rank, groups, options);
  snapshot.ForEachPod([&](const cluster::PodPtr& pod) {
    if (!pod->node_name().empty() && !pod->is_terminal()) collector.Add(*pod);
  });
  Candidates all = collector.Take();
  std::erase_if(all.candidates, [&](Candidate& candidate) {
    if (candidate.victim.since > options.now - options.min_run_time) return true;
    CountRunTime(options.now, &candidate);
    std::string detail;
    const std::string_view why = DrawOnBudgets(options.budgets, &candidate, &detail);
    if (why.empty()) return false;
    all.kept.push_back({std::move(candidate), why, std::move(detail)});
    return true;
  });
  std::sort(all.kept.begin(), all.kept.end(), [](const Protected& a, const Protected& b) {
    return a.candidate.victim.key < b.candidate.victim.key;
  });
  return all;
}

// "2 pods of lower priority belong to a scheduler that ... (default/a, default/b): other; ...".
std::string TextOf(const std::vector<Protected>& kept) {
  constexpr size_t kMostNamed = 3;
  constexpr size_t kLongestDetail = 300;
  struct Group {
    size_t pods = 0;
    std::string names;
    std::string_view detail;  // of the first
    bool details_differ = false;
  };
  std::map<std::string_view, Group> groups;
  for (const Protected& victim : kept) {
    Group& group = groups[victim.why];
    if (group.pods == 0) group.detail = victim.detail;
    group.details_differ |= group.detail != victim.detail;
    for (const auto& pod : victim.candidate.victim.pods) {
      if (++group.pods > kMostNamed) continue;
      group.names +=
          fmt::format("{}{}/{}", group.pods == 1 ? "" : ", ", pod->namespace_, pod->name);
    }
  }
  std::string text;
  for (const auto& [why, group] : groups) {
    text += fmt::format("{}{} pods of lower priority {} ({}{}){}{}{}", text.empty() ? "" : "; ",
                        group.pods, why, group.names, group.pods > kMostNamed ? ", ..." : "",
                        group.detail.empty() ? "" : ": ", Shortened(group.detail, kLongestDetail),
                        group.details_differ ? ", ..." : "");
  }
  return text;
}

using Set = std::vector<size_t>;  // of candidates, ascending

// What a set of one priority costs: pods, then seconds that they have run.
Cost operator+(const Cost& a, const Cost& b) {
  return {a.first + b.first, a.second + b.second};
}

// So many candidates are tried in every way even if all of them together would not do.
constexpr size_t kMostTriedAnyway = 5;

class Search {
 public:
  Search(Planner* planner, std::shared_ptr<const cluster::Snapshot> snapshot,
         std::span<const Unit> units, const PlanOptions& plan_options,
         const PreemptionOptions& options, Candidates all)
      : planner_(*planner),
        snapshot_(std::move(snapshot)),
        units_(units),
        plan_options_(plan_options),
        options_(options),
        candidates_(std::move(all)) {
    // The cheapest first; what is equal in the order of the keys.
    std::stable_sort(candidates().begin(), candidates().end(),
                     [](const Candidate& a, const Candidate& b) { return CostOf(a) < CostOf(b); });
  }

  Preemption Find() {
    if (Fits({})) return {.answer = Answer::kNotNeeded};
    std::set<int32_t> levels;
    for (const Candidate& candidate : candidates()) levels.insert(candidate.victim.priority);
    for (const int32_t level : levels) {
      Set below;
      for (size_t i = 0; i < candidates().size(); ++i) {
        if (candidates()[i].victim.priority <= level) below.push_back(i);
      }
      // Who all go may let a unit before this one fit, which takes what fewer would have left.
      const bool all_do = Fits(below);
      if (!all_do && below.size() > kMostTriedAnyway) continue;
      if (const auto found = FindAmong(below, level, all_do)) return Found(*found);
      if (gave_up()) break;
    }
    if (gave_up()) return {.answer = Answer::kEffort};
    return {.answer = Answer::kNobody, .protected_pods = ProtectedPods()};
  }

 private:
  std::vector<Candidate>& candidates() { return candidates_.candidates; }
  const std::vector<Candidate>& candidates() const { return candidates_.candidates; }
  bool gave_up() const {
    return plans_ >= options_.most_plans || looked_at_ >= options_.most_looked_at ||
           options_.stop.stop_requested();
  }

  static Cost CostOf(const Candidate& candidate) {
    return {static_cast<int64_t>(candidate.victim.pods.size()), candidate.run_time};
  }
  Cost CostOf(const Set& set) const {
    Cost cost{0, 0};
    for (const size_t i : set) cost = cost + CostOf(candidates()[i]);
    return cost;
  }

  using Records = std::vector<const cluster::PodRecord*>;
  static void Append(const Candidate& candidate, Records* records) {
    records->insert(records->end(), candidate.records.begin(), candidate.records.end());
  }

  bool Fits(const Set& gone) {
    Records records = candidates_.leaving;
    for (const size_t i : gone) Append(candidates()[i], &records);
    return FitsWithout(records);
  }

  // Empty: it would not help if they could be evicted, too.
  std::string ProtectedPods() {
    if (candidates_.kept.empty()) return "";
    Records records = candidates_.leaving;
    for (const Candidate& candidate : candidates()) Append(candidate, &records);
    for (const Protected& other : candidates_.kept) Append(other.candidate, &records);
    return FitsWithout(records) ? TextOf(candidates_.kept) : "";
  }

  // The unit is the last one: those before it take what they can of what becomes free.
  bool FitsWithout(const Records& records) {
    ++plans_;
    Plan plan = planner_.Run(snapshot_->Without(records), units_, plan_options_);
    last_ = std::move(plan.units.back().nodes);
    return plan.units.back().fits;
  }

  bool Allowed(const Set& set) const {
    std::map<size_t, int64_t> used;
    for (const size_t i : set) {
      for (const size_t budget : candidates()[i].budgets) {
        if (++used[budget] > options_.budgets[budget].allowed) return false;
      }
    }
    return true;
  }

  // The cheapest set of `among` with one of the priority `level`.
  std::optional<Set> FindAmong(const Set& among, int32_t level, bool all_do) {
    std::optional<Set> spared = all_do ? SpareFrom(among) : std::nullopt;
    std::optional<Set> cheaper = Enumerate(among, level, spared ? CostOf(*spared) : kNoLimit);
    return cheaper ? cheaper : spared;
  }

  // A set that does, from which nobody can be spared; the costliest are spared first.
  std::optional<Set> SpareFrom(const Set& among) {
    Set kept;
    for (const size_t i : among) {
      kept.push_back(i);
      if (!Allowed(kept)) kept.pop_back();
    }
    if (kept.size() < among.size() && !Fits(kept)) return std::nullopt;
    for (size_t part = std::max<size_t>(1, kept.size() / 2);;
         part = std::max<size_t>(1, part / 2)) {
      SpareParts(part, &kept);
      if (part == 1) break;
    }
    return gave_up() ? std::nullopt : std::optional(std::move(kept));
  }

  void SpareParts(size_t part, Set* kept) {
    for (size_t end = kept->size(); end > 0 && !gave_up();) {
      const size_t begin = end > part ? end - part : 0;
      Set fewer(kept->begin(), kept->begin() + static_cast<std::ptrdiff_t>(begin));
      fewer.insert(fewer.end(), kept->begin() + static_cast<std::ptrdiff_t>(end), kept->end());
      if (Fits(fewer)) *kept = std::move(fewer);
      end = begin;
    }
  }

  // A set with one of the level at least: the first of these, and, in ascending order, others.
  struct Partial {
    Cost cost;
    size_t first;  // of `among`
    Set others;    // of `among`; those of the level come after `first`
    friend bool operator>(const Partial& a, const Partial& b) {
      return std::tie(a.cost, a.first, a.others) > std::tie(b.cost, b.first, b.others);
    }
  };
  using Open = std::priority_queue<Partial, std::vector<Partial>, std::greater<>>;

  void Push(const Set& among, const Cost& limit, size_t first, Set others, Open* open) {
    Cost cost = CostOf(candidates()[among[first]]);
    for (const size_t other : others) cost = cost + CostOf(candidates()[among[other]]);
    looked_at_ += 1 + others.size();
    if (cost < limit) open->push({cost, first, std::move(others)});
  }

  // The first set that does, in the order of their cost, of those below `limit`. Sets of lower
  // levels alone were tried there, so none of these is made.
  std::optional<Set> Enumerate(const Set& among, int32_t level, const Cost& limit) {
    const auto is_of_level = [&](size_t i) {
      return candidates()[among[i]].victim.priority == level;
    };
    const auto next_of = [&](size_t first, size_t from) {
      while (from < among.size() && from <= first && is_of_level(from)) ++from;
      return from;
    };
    Open open;
    for (size_t i = 0; i < among.size() && !gave_up(); ++i) {
      if (is_of_level(i)) Push(among, limit, i, {}, &open);
    }
    // Each set comes from one other that costs no more: by one more member, or the next in the
    // place of the last.
    while (!open.empty() && !gave_up()) {
      const Partial set = open.top();
      open.pop();
      const Set members = Members(among, set);
      if (Allowed(members) && Fits(members)) return members;
      const size_t next = next_of(set.first, set.others.empty() ? 0 : set.others.back() + 1);
      if (next >= among.size()) continue;
      Set longer = set.others;
      longer.push_back(next);
      Push(among, limit, set.first, std::move(longer), &open);
      if (set.others.empty()) continue;
      Set other = set.others;
      other.back() = next;
      Push(among, limit, set.first, std::move(other), &open);
    }
    return std::nullopt;
  }

  static Set Members(const Set& among, const Partial& partial) {
    Set members = {among[partial.first]};
    for (const size_t position : partial.others) members.push_back(among[position]);
    std::sort(members.begin(), members.end());
    return members;
  }

  Preemption Found(const Set& set) {
    Preemption found{.answer = Answer::kVictims};
    Fits(set);
    found.nodes = std::move(last_);
    for (const size_t i : set) found.victims.push_back(candidates()[i].victim);
    std::sort(found.victims.begin(), found.victims.end(),
              [](const Victim& a, const Victim& b) { return a.key < b.key; });
    return found;
  }

  static constexpr Cost kNoLimit{std::numeric_limits<int64_t>::max(), 0};

  Planner& planner_;
  const std::shared_ptr<const cluster::Snapshot> snapshot_;
  const std::span<const Unit> units_;
  const PlanOptions& plan_options_;
  const PreemptionOptions& options_;
  Candidates candidates_;
  std::vector<std::string> last_;  // nodes of the unit in the last plan
  size_t plans_ = 0;
  size_t looked_at_ = 0;  // members of sets
};

}  // namespace

Preemption FindPreemption(Planner* planner, const std::shared_ptr<const ClusterSnapshot>& taken,
                          std::span<const Unit> units, size_t index,
                          std::span<const GroupState> groups, const PlanOptions& plan_options,
                          const PreemptionOptions& options) {
  const Unit& unit = units[index];
  const auto never = [](const Member& member) { return member.pod->never_preempts; };
  if (std::any_of(unit.members.begin(), unit.members.end(), never)) {
    return {.answer = Answer::kNever};
  }
  const std::shared_ptr<const cluster::Snapshot> snapshot = cluster::Snapshot::Of(taken);
  Candidates all = CandidatesFor(unit.rank, *snapshot, groups, options);
  Search search(planner, snapshot, units.first(index + 1), plan_options, options, std::move(all));
  return search.Find();
}

}  // namespace outrigger::plan
