#include "judge.h"

#include <algorithm>
#include <functional>
#include <map>

#include "fmt/format.h"
#include "outrigger/plan/order.h"

namespace outrigger::sim {
namespace {

plan::Rank RankOf(const ScenePod& pod) {
  return plan::RankOf(pod.pod, /*by_priority=*/true, nullptr);
}

/// Pods of one slot on nodes, each placed so that those before it keep a place.
class Matching {
 public:
  explicit Matching(std::map<const SceneNode*, int64_t> free) : free_(std::move(free)) {}

  /// False if the pod gets none.
  bool Add(const ScenePod* pod) {
    std::set<const SceneNode*> seen;
    return Seat(pod, &seen);
  }

 private:
  bool Seat(const ScenePod* pod, std::set<const SceneNode*>* seen) {
    for (auto& [node, free] : free_) {
      if (!Scene::MayUse(*pod, *node) || !seen->insert(node).second) continue;
      std::vector<const ScenePod*>& seated = seated_[node];
      if (static_cast<int64_t>(seated.size()) < free) {
        seated.push_back(pod);
        return true;
      }
      for (size_t i = 0; i < seated_[node].size(); ++i) {
        if (!Seat(seated_[node][i], seen)) continue;
        seated_[node][i] = pod;
        return true;
      }
    }
    return false;
  }

  std::map<const SceneNode*, int64_t> free_;
  std::map<const SceneNode*, std::vector<const ScenePod*>> seated_;
};

bool FitsAnywhere(const ScenePod& pod, const std::map<const SceneNode*, int64_t>& free) {
  return std::any_of(free.begin(), free.end(), [&](const auto& room) {
    return Scene::MayUse(pod, *room.first) && room.second >= pod.slots;
  });
}

}  // namespace

std::vector<const ScenePod*> Judge::Before(const plan::Rank& rank) const {
  std::vector<std::pair<plan::Rank, const ScenePod*>> ranked;
  for (const auto& [name, pod] : scene_->pods()) {
    if (!pod.IsPending() || scene_->now() - pod.created < kKnown) continue;
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
  const bool alike =
      std::all_of(pods.begin(), pods.end(), [](const ScenePod* pod) { return pod->slots == 1; });
  Matching matching(free);
  std::set<std::string> placed;
  for (const ScenePod* pod : pods) {
    if (!(alike ? matching.Add(pod) : FitsAnywhere(*pod, free))) continue;
    placed.insert(pod->pod.name);
    if (!alike && surely) break;
  }
  return placed;
}

void Judge::OnLetThrough(const ScenePod& pod, const SceneNode& node) {
  ++counts_.let_through;
  if (plan::ComesFirst(pod.pod)) return;
  const auto before = Before(RankOf(pod));
  if (std::none_of(before.begin(), before.end(),
                   [&](const ScenePod* other) { return scene_->Fits(*other, node); })) {
    return;
  }
  ++counts_.overtaken;
  const Rooms known = Free(known_after_);
  Rooms left = Free(milliseconds(0));
  left[&node] -= pod.slots;
  const auto had = Placed(before, known, /*surely=*/true);
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
  int64_t free = scene_->Free(node);
  for (const std::string& victim : victims) free += scene_->Find(victim)->slots;
  const auto before = Before(RankOf(pod));
  Rooms known;
  for (const SceneNode& at : scene_->nodes()) known[&at] = scene_->FreeWithin(at, known_after_);
  const auto have = Placed(before, known, /*surely=*/false);
  for (const ScenePod* other : before) {
    const bool would_fit = Scene::MayUse(*other, node) && free >= other->slots;
    if (!would_fit || have.contains(other->pod.name)) continue;
    ++counts_.evictions_in_vain;
    findings_.push_back(fmt::format("{} ms: {} pods of {} were evicted for {}, {} is before it",
                                    (scene_->now() - Time()) / milliseconds(1), victims.size(),
                                    node.node.name, pod.pod.name, other->pod.name));
    return;
  }
}

void Judge::Look() {
  plan::Rank last;
  last.group_priority = INT64_MIN;
  std::string first;
  const Rooms free = Free(milliseconds(0));
  for (const ScenePod* pod : Before(last)) {
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
