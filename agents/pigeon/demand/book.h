#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <list>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "demand/demand.h"
#include "demand/resources.h"
#include "outrigger/agent/request.h"
#include "outrigger/base/mutex.h"

namespace outrigger::pigeon {

/// Which pods were counted: the last of them, `kept` at most. A pod that is seen again is the last
/// one. Not thread-safe.
class SeenPods {
 public:
  explicit SeenPods(size_t kept = kKept) : kept_(kept) {}

  /// True if the pod was not known. It is from now on.
  bool Add(uint64_t id);
  /// At most `most` of them, the last ones first. Those of `always` are among them, as far as they
  /// are known, even where they are not among the last.
  std::vector<uint64_t> Last(size_t most, const absl::flat_hash_set<uint64_t>& always = {}) const;

  static constexpr size_t kKept = 65'536;

 private:
  size_t kept_;
  std::list<uint64_t> order_;  // the last ones first
  absl::flat_hash_map<uint64_t, std::list<uint64_t>::iterator> places_;
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
  explicit DemandBook(size_t resources) : demand_(resources), most_(resources) {}

  /// No pod that finds a place asks for more than the `largest` node has. Demand that was stored
  /// with kAbsurd times as much or more starts from nothing, but for the news: true if it did. With
  /// less its nodes may only be away for now.
  bool Bound(std::span<const double> largest);
  /// Counts `asked` of `pod`, bounded, unless that was done before. True if it was counted.
  bool Count(const Pod& pod, const Amounts& asked);
  Demand demand() const;

  /// Whether something was counted since the state was last taken or taken over.
  bool HasNews() const;
  /// The present state: of the pods that are news, all; of the others, those seen last. What is
  /// counted from now on is news.
  DemandState Take();
  /// What was taken last was not stored: it is news again, as far as it is still kept.
  void PutBack();
  /// Takes over what is stored, and counts the news on top of it.
  void Adopt(const DemandState& stored);

  /// The number of a pod: of its UID, or of namespace and name where it has none.
  static uint64_t IdOf(const Pod& pod);

  static constexpr double kAbsurd = 100;
  static constexpr size_t kMostStored = 4096;  // pods in a DemandState
  /// Of more news the last ones: those before are in the moments, but are not counted again on top
  /// of another state. Fewer than kMostStored, so that every state holds all of its own news.
  static constexpr size_t kMostNews = kMostStored / 2;

 private:
  struct News {
    uint64_t id;
    Amounts asked;
  };

  Amounts Bounded(Amounts asked) const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void DropOldNews() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  mutable Mutex mutex_;
  Demand demand_ ABSL_GUARDED_BY(mutex_);
  Amounts most_ ABSL_GUARDED_BY(mutex_);  // 0: no node had any yet
  SeenPods seen_ ABSL_GUARDED_BY(mutex_);
  std::deque<News> news_ ABSL_GUARDED_BY(mutex_);   // the last ones last
  std::deque<News> taken_ ABSL_GUARDED_BY(mutex_);  // news of the state that was taken last
};

}  // namespace outrigger::pigeon
