#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "demand/demand.h"
#include "demand/resources.h"
#include "outrigger/agent/request.h"
#include "outrigger/base/mutex.h"

namespace outrigger::pigeon {

/// Which pods were counted: the last of them, at least kKept and at most twice as many. A pod that
/// is seen again is one of the last. Not thread-safe.
class SeenPods {
 public:
  explicit SeenPods(size_t kept = kKept) : kept_(kept) {}

  /// True if the pod was not known. It is from now on.
  bool Add(uint64_t id);
  /// At most `most` of them, the last ones first as far as that is known.
  std::vector<uint64_t> Last(size_t most) const;

  static constexpr size_t kKept = 32'768;

 private:
  size_t kept_;
  std::unordered_set<uint64_t> young_;
  std::unordered_set<uint64_t> old_;
};

/// What is kept of demand over a restart. A plain value.
struct DemandState {
  Demand demand{0};
  std::vector<uint64_t> pods;  // that were counted, the last ones first
};

/// What pods ask for, each pod counted once however often it is tried. What others have stored can
/// be taken over at any time. Thread-safe.
class DemandBook {
 public:
  /// Of `resources` resources.
  explicit DemandBook(size_t resources) : demand_(resources) {}

  /// Counts `asked` of `pod`, unless that was done before. True if it was counted.
  bool Count(const Pod& pod, const Amounts& asked);
  Demand demand() const;

  /// Whether something was counted since the state was last taken or taken over.
  bool HasNews() const;
  /// The present state. What is counted from now on is news.
  DemandState Take();
  /// What was taken last was not stored: it is news again, as far as it is still kept.
  void PutBack();
  /// Takes over what is stored, and counts the news on top of it.
  void Adopt(const DemandState& stored);

  /// The number of a pod: of its UID, or of namespace and name where it has none.
  static uint64_t IdOf(const Pod& pod);

  /// News beyond these are in the moments, but are not counted again on top of another state.
  static constexpr size_t kMostNews = 4096;
  static constexpr size_t kMostStored = 4096;  // pods in a DemandState

 private:
  struct News {
    uint64_t id;
    Amounts asked;
  };

  mutable Mutex mutex_;
  Demand demand_ ABSL_GUARDED_BY(mutex_);
  SeenPods seen_ ABSL_GUARDED_BY(mutex_);
  std::vector<News> news_ ABSL_GUARDED_BY(mutex_);
  std::vector<News> taken_ ABSL_GUARDED_BY(mutex_);  // news of the state that was taken last
};

}  // namespace outrigger::pigeon
