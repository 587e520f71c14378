#include "pods/pod_changes.h"

#include <algorithm>
#include <cstddef>
#include <unordered_map>
#include <utility>

namespace outrigger::reward {
namespace {

// Two snapshots show what they have in common in nearly the same order: a pod that came or went
// moves few others.
constexpr size_t kLookAhead = 8;

}  // namespace

// Goes through both in parallel. What does not match is put aside, and matched by UID at the end.
struct PodChanges::Merge {
  const std::vector<PodView>& before;
  size_t at = 0;
  std::vector<PodView> only_before;
  std::vector<PodView> only_now;

  void Take(const PodView& pod) {
    if (at < before.size() && before[at] == pod) {
      ++at;
      return;
    }
    const size_t end = std::min(before.size(), at + kLookAhead);
    for (size_t ahead = at + 1; ahead < end; ++ahead) {
      if (!(before[ahead] == pod)) continue;
      for (; at < ahead; ++at) only_before.push_back(before[at]);
      ++at;
      return;
    }
    only_now.push_back(pod);
    // A pod that has changed is where it was.
    if (at < before.size() && before[at].Uid() == pod.Uid()) only_before.push_back(before[at++]);
  }
  void End() {
    for (; at < before.size(); ++at) only_before.push_back(before[at]);
  }
};

void PodChanges::Next(std::shared_ptr<const ClusterSnapshot> snapshot,
                      absl::FunctionRef<void(const PodView& pod)> changed,
                      absl::FunctionRef<void(std::string_view uid)> gone) {
  if (snapshot_ != nullptr && snapshot_->Generation() == snapshot->Generation()) return;
  Merge merge{.before = pods_, .at = 0, .only_before = {}, .only_now = {}};
  std::vector<PodView>& now = spare_;
  now.clear();
  now.reserve(snapshot->PodCount());
  snapshot->ForEachPod([&](const PodView& pod) {
    now.push_back(pod);
    merge.Take(pod);
  });
  merge.End();
  std::unordered_map<std::string_view, const PodView*> left;
  left.reserve(merge.only_before.size());
  for (const PodView& pod : merge.only_before) left[pod.Uid()] = &pod;
  for (const PodView& pod : merge.only_now) {
    const auto found = left.find(pod.Uid());
    const bool is_same = found != left.end() && *found->second == pod;
    if (found != left.end()) left.erase(found);
    if (!is_same) changed(pod);
  }
  for (const auto& [uid, pod] : left) gone(uid);
  pods_.swap(spare_);
  snapshot_ = std::move(snapshot);
}

void PodChanges::Reset() {
  pods_.clear();
  spare_.clear();
  snapshot_ = nullptr;
}

}  // namespace outrigger::reward
