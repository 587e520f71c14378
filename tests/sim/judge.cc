#include "judge.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "fmt/format.h"
#include "gang/plan/order.h"

namespace outrigger::sim {
namespace {

plan::Rank RankOf(const ScenePod& pod) {
  return plan::RankOf(pod.pod, /*by_priority=*/true, nullptr);
}

/// What may be left of the nodes once pods have been put on them one after another, each on any
/// node where it fits: every way in which that may go.
class Ways {
 public:
  explicit Ways(const std::map<const SceneNode*, int64_t>& free) {
    std::vector<int64_t> all;
    for (const auto& [node, room] : free) {
      nodes_.push_back(node);
      all.push_back(room);
    }
    left_.insert(std::move(all));
  }

  /// The next pod. `surely`: true if it gets a place in all ways, else if it does in one.
  bool Add(const ScenePod& pod, bool surely) {
    std::set<std::vector<int64_t>> next;
    size_t placed = 0;
    for (const std::vector<int64_t>& way : left_) placed += Put(pod, way, &next) ? 1 : 0;
    const bool has_place = surely ? placed == left_.size() : placed > 0;
    left_ = std::move(next);
    return has_place;
  }

 private:
  bool Put(const ScenePod& pod, const std::vector<int64_t>& way,
           std::set<std::vector<int64_t>>* next) const {
    bool fits = false;
    for (size_t i = 0; i < nodes_.size(); ++i) {
      if (!Scene::MayUse(pod, *nodes_[i]) || way[i] < pod.slots) continue;
      fits = true;
      std::vector<int64_t> less = way;
      less[i] -= pod.slots;
      next->insert(std::move(less));
    }
    if (!fits) next->insert(way);
    return fits;
  }

  std::vector<const SceneNode*> nodes_;
  std::set<std::vector<int64_t>> left_;  // of each node, way by way
};

bool FitsAnywhere(const ScenePod& pod, const std::map<const SceneNode*, int64_t>& free) {
  return std::any_of(free.begin(), free.end(), [&](const auto& room) {
    return Scene::MayUse(pod, *room.first) && room.second >= pod.slots;
  });
}

}  // namespace

std::vector<const ScenePod*> Judge::Before(const plan::Rank& rank, milliseconds age) const {
  std::vector<std::pair<plan::Rank, const ScenePod*>> ranked;
  for (const auto& [name, pod] : scene_->pods()) {
    if (!pod.IsPending() || scene_->now() - pod.created < age) continue;
    plan::Rank its = RankOf(pod);
    if (its < rank) ranked.emplace_back(std::move(its), &pod);
  }
  std::sort(ranked.begin(), ranked.end(),
            [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<const ScenePod*> pods;
  for (const auto& [its, pod] : ranked) pods.push_back(pod);
  return pods;
}

Judge::Rooms Judge::Free(milliseconds age) const {
  Rooms free;
  for (const SceneNode& node : scene_->nodes()) free[&node] = scene_->FreeFor(node, age);
  return free;
}

std::set<std::string> Judge::Placed(const std::vector<const ScenePod*>& pods, const Rooms& free,
                                    bool surely) {
  Ways ways(free);
  std::set<std::string> placed;
  for (const ScenePod* pod : pods) {
    if (ways.Add(*pod, surely)) placed.insert(pod->pod.name);
  }
  return placed;
}

// With and without pods that are so young that the agent need not know them.
std::set<std::string> Judge::SurelyPlaced(const plan::Rank& rank, const Rooms& free) const {
  std::set<std::string> placed = Placed(Before(rank, kKnown), free, /*surely=*/true);
  const auto beside_all = Placed(Before(rank, milliseconds(0)), free, /*surely=*/true);
  std::erase_if(placed, [&](const std::string& name) { return !beside_all.contains(name); });
  return placed;
}

void Judge::OnLetThrough(const ScenePod& pod, const SceneNode& node) {
  ++counts_.let_through;
  if (plan::IsNeverHeld(pod.pod)) return;
  const auto before = Before(RankOf(pod), kKnown);
  if (std::none_of(before.begin(), before.end(),
                   [&](const ScenePod* other) { return scene_->Fits(*other, node); })) {
    return;
  }
  ++counts_.overtaken;
  const Rooms known = Free(known_after_);
  Rooms left = Free(milliseconds(0));
  left[&node] -= pod.slots;
  const auto had = SurelyPlaced(RankOf(pod), known);
  const auto have = Placed(before, left, /*surely=*/false);
  for (const ScenePod* other : before) {
    const std::string& name = other->pod.name;
    const bool fits = Scene::MayUse(*other, node) && known.at(&node) >= other->slots;
    if (!fits || !had.contains(name) || have.contains(name)) continue;
    ++counts_.inversions;
    findings_.push_back(fmt::format("{} ms: {} was let through to {}, which {} had a right to",
                                    (scene_->now() - Time()) / milliseconds(1), pod.pod.name,
                                    node.node.name, name));
    return;
  }
}

void Judge::OnEviction(const ScenePod& pod, const SceneNode& node,
                       const std::vector<std::string>& victims) {
  counts_.evictions += victims.size();
  if (plan::IsNeverHeld(pod.pod)) return;
  Rooms freed = Free(known_after_);
  for (const std::string& victim : victims) freed[&node] += scene_->Find(victim)->slots;
  Rooms late;
  for (const SceneNode& at : scene_->nodes()) late[&at] = scene_->FreeWithin(at, known_after_);
  const auto before = Before(RankOf(pod), kKnown);
  const auto would_have = SurelyPlaced(RankOf(pod), freed);
  const auto has = Placed(before, Free(milliseconds(0)), /*surely=*/false);
  const auto seems_to_have = Placed(before, late, /*surely=*/false);
  for (const ScenePod* other : before) {
    const std::string& name = other->pod.name;
    if (!would_have.contains(name) || has.contains(name) || seems_to_have.contains(name)) continue;
    ++counts_.evictions_in_vain;
    findings_.push_back(fmt::format("{} ms: {} pods of {} were evicted for {}, {} is before it",
                                    (scene_->now() - Time()) / milliseconds(1), victims.size(),
                                    node.node.name, pod.pod.name, name));
    return;
  }
}

void Judge::Look() {
  plan::Rank last;
  last.group_priority = INT64_MIN;
  std::string first;
  const Rooms free = Free(milliseconds(0));
  for (const ScenePod* pod : Before(last, kKnown)) {
    if (first.empty() && FitsAnywhere(*pod, free)) first = pod->pod.name;
  }
  if (first != first_) {
    first_ = first;
    since_ = scene_->now();
  }
  if (first.empty() || scene_->now() - since_ < kPatience) return;
  ++counts_.stalls;
  since_ = scene_->now();
  findings_.push_back(fmt::format("{} ms: {} could run for {} ms and was not let through",
                                  (scene_->now() - Time()) / milliseconds(1), first,
                                  kPatience.count()));
}

}  // namespace outrigger::sim
