#include "outrigger/plan/preemption.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <queue>
#include <set>
#include <tuple>
#include <utility>

#include "cluster/snapshot.h"
#include "plan/preemption/candidates.h"

namespace outrigger::plan {
namespace {

using Answer = Preemption::Answer;
using Set = std::vector<size_t>;  // of candidates, ascending

// What a set of one priority costs: pods, then seconds that they have run.
using Cost = std::pair<int64_t, int64_t>;
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
    // Without it all sets that have one of these were tried in vain.
    std::erase_if(candidates(), [this](const Candidate& one) { return !MayGo(one); });
    // The cheapest first; what is equal in the order of the keys.
    std::stable_sort(candidates().begin(), candidates().end(),
                     [](const Candidate& a, const Candidate& b) { return CostOf(a) < CostOf(b); });
  }

  Preemption Find() {
    if (Fits({})) return {.answer = Answer::kNotNeeded, .victims = {}, .nodes = {}};
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
    return {.answer = gave_up() ? Answer::kEffort : Answer::kNobody, .victims = {}, .nodes = {}};
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

  // The unit is the last one: those before it take what they can of what becomes free.
  bool Fits(const Set& gone) {
    ++plans_;
    std::vector<const cluster::PodRecord*> records = candidates_.leaving;
    for (const size_t i : gone) {
      const auto& more = candidates()[i].records;
      records.insert(records.end(), more.begin(), more.end());
    }
    Plan plan = planner_.Run(snapshot_->Without(records), units_, plan_options_);
    last_ = std::move(plan.units.back().nodes);
    return plan.units.back().fits;
  }

  // False for a victim that the budgets forbid by itself.
  bool MayGo(const Candidate& candidate) const {
    std::map<size_t, int64_t> used;
    return std::all_of(candidate.budgets.begin(), candidate.budgets.end(), [&](size_t budget) {
      return ++used[budget] <= options_.budgets[budget].allowed;
    });
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
    Preemption found{.answer = Answer::kVictims, .victims = {}, .nodes = {}};
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
    return {.answer = Answer::kNever, .victims = {}, .nodes = {}};
  }
  const std::shared_ptr<const cluster::Snapshot> snapshot = cluster::Snapshot::Of(taken);
  Candidates all = CandidatesBelow(unit.rank.priority, *snapshot, groups, options);
  Search search(planner, snapshot, units.first(index + 1), plan_options, options, std::move(all));
  return search.Find();
}

}  // namespace outrigger::plan
