#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/method.h"
#include "original/original.h"
#include "outrigger/base/clock.h"
#include "pods/pod_changes.h"

namespace outrigger::reward {

/// The original's arithmetic (original.h), fed with each change of a pod that the view shows, as
/// that program was with each event of its watch.
class OriginalMethod final : public Method {
 public:
  /// `most_keys`: for tests.
  explicit OriginalMethod(PodFilter filter, size_t most_keys = OriginalMonitor::kMostKeys)
      : filter_(std::move(filter)), monitor_(most_keys) {}

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
  /// Once an hour, where something had no room: forgets types without pods and nodes that are gone.
  bool MakeRoom(const ClusterSnapshot& snapshot, Moment now);
  /// What a person may want to know; empty: nothing.
  std::string Note();

  const PodFilter filter_;
  mutable std::mutex mutex_;
  OriginalMonitor monitor_;  // with mutex_
  bool lacks_ones_ = false;  // with mutex_: the text was written without them
  PodChanges changes_;
  bool is_first_ = true;
  std::optional<Clock::TimePoint> room_made_;
  bool is_noted_ = false;
};

/// The store as a text, "KEY VALUE" by lines, of at most `most_bytes`. Where it would be longer,
/// values of 1 are left out first, but those of a type over all nodes, and its first line says so.
std::string WriteOriginal(const OriginalStore& store, size_t most_bytes, size_t* left_out);
/// Reads such a text; what cannot be used is counted in `unusable`. `lacks_ones`, which may be
/// null, is true where values of 1 were left out.
OriginalStore ReadOriginal(std::string_view text, size_t* unusable, bool* lacks_ones = nullptr);

}  // namespace outrigger::reward
