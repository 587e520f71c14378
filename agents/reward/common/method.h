#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "outrigger/agent/cluster_snapshot.h"
#include "outrigger/agent/page.h"
#include "outrigger/agent/request.h"
#include "outrigger/agent/verdict.h"
#include "outrigger/base/clock.h"
#include "outrigger/k8s/selector.h"

namespace outrigger::reward {

/// Seconds since 1970, UTC.
using Seconds = int64_t;

/// A moment by both clocks: that of the day may be set, the other one does not jump.
struct Moment {
  Seconds wall = 0;
  Clock::TimePoint steady;
};
inline Moment NowOf(const Clock& clock) {
  const auto wall = clock.wall().time_since_epoch();
  return {std::chrono::duration_cast<std::chrono::seconds>(wall).count(), clock.now()};
}

/// Which pods are counted.
struct PodFilter {
  std::vector<std::string> namespaces;    // empty: all
  std::optional<LabelSelector> selector;  // nothing: all

  /// Whether the pod is in one of the namespaces.
  bool IsInNamespace(const PodView& pod) const;
  /// Whether the pod may be one of them and has a node, without a look at its labels.
  bool MayTake(const PodView& pod) const;
  bool Takes(const Pod& pod) const;
};

/// What a look at the cluster has brought.
struct Progress {
  std::map<std::string_view, int64_t> outcomes;  // by WordOf()
  bool has_changes = false;
  std::optional<Seconds> next;  // when there will be something though nothing changes
  std::string note;             // something that a person may want to know; empty: nothing
};

/// A way to learn from what pods do, and to score by it. One thread at a time calls Begin() to
/// Text(); Score() and FillPage() are thread-safe.
class Method {
 public:
  virtual ~Method() = default;

  /// Under which key its text is stored.
  virtual std::string_view Key() const = 0;
  /// Begins to count where `text` ends, as Text() returned it, or anybody edited it; empty: from
  /// nothing. Returns what could not be used, for people; nothing: all could be.
  virtual std::vector<std::string> Begin(std::string_view text, Moment now) = 0;
  /// Scores by `text`, and counts nothing.
  virtual std::vector<std::string> Show(std::string_view text, Moment now) = 0;
  /// Counts what has happened since the last look.
  virtual Progress Look(std::shared_ptr<const ClusterSnapshot> snapshot, Moment now) = 0;
  /// Counts what only time brings.
  virtual Progress Tick(Moment now) = 0;
  /// What was counted until the last look. `left_out`: what had no room.
  virtual std::string Text(size_t most_bytes, size_t* left_out) = 0;

  virtual absl::Status Score(const Request& request, Seconds now,
                             std::span<NodeScore> scores) const = 0;
  /// The rows of the page "reward".
  virtual void FillPage(Seconds now, PageTable* table) const = 0;
  /// How many pairs of a type and a node are known.
  virtual size_t Pairs() const = 0;
};

inline bool PodFilter::IsInNamespace(const PodView& pod) const {
  return namespaces.empty() || std::ranges::find(namespaces, pod.Namespace()) != namespaces.end();
}

inline bool PodFilter::MayTake(const PodView& pod) const {
  return !pod.NodeName().empty() && !pod.IsAssumed() && IsInNamespace(pod);
}

inline bool PodFilter::Takes(const Pod& pod) const {
  return !selector || selector->Matches(pod.labels);
}

}  // namespace outrigger::reward
