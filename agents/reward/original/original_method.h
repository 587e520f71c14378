#pragma once

#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "common/method.h"
#include "original/original.h"
#include "pods/pod_changes.h"

namespace outrigger::reward {

/// The original's arithmetic (original.h), fed with each change of a pod that the view shows, as
/// that program was with each event of its watch.
class OriginalMethod final : public Method {
 public:
  explicit OriginalMethod(PodFilter filter) : filter_(std::move(filter)) {}

  std::string_view Key() const override { return "original"; }
  std::vector<std::string> Begin(std::string_view text, Moment now) override;
  std::vector<std::string> Show(std::string_view text, Moment now) override;
  Progress Look(std::shared_ptr<const ClusterSnapshot> snapshot, Moment now) override;
  Progress Tick(Moment /*now*/) override { return {}; }
  std::string Text(size_t most_bytes, size_t* left_out) override;
  absl::Status Score(const Request& request, Seconds now,
                     std::span<NodeScore> scores) const override;
  void FillPage(Seconds now, PageTable* table) const override;
  size_t Pairs() const override;

 private:
  std::vector<Pod> PodsThatChanged(std::shared_ptr<const ClusterSnapshot> snapshot);
  void BeginMonitor(const ClusterSnapshot& snapshot, const std::vector<Pod>& pods);

  const PodFilter filter_;
  mutable std::mutex mutex_;
  OriginalMonitor monitor_;  // with mutex_
  PodChanges changes_;
  bool is_first_ = true;
};

/// The store as a text, "KEY VALUE" by lines, of at most `most_bytes`; values of 1 are left out
/// first, which is what a key that is missing becomes.
std::string WriteOriginal(const OriginalStore& store, size_t most_bytes, size_t* left_out);
/// Reads such a text; what cannot be used is counted in `unusable`.
OriginalStore ReadOriginal(std::string_view text, size_t* unusable);

}  // namespace outrigger::reward
