#pragma once

#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "devices/allocation/allocator.h"
#include "devices/dra/allocator.h"
#include "outrigger/agent/custom_objects.h"
#include "outrigger/agent/request.h"
#include "outrigger/agent/verdict.h"
#include "outrigger/base/clock.h"
#include "outrigger/base/mutex.h"

namespace outrigger::devices::agent {

/// Scores nodes for pods with ResourceClaims of DRA, by the devices that kube-scheduler is about to
/// choose there: it scores none itself. Follows what it reads. Thread-safe.
class DraScorer {
 public:
  /// `groups` are attributes whose groups of equal value should stay whole; `now` is steady.
  DraScorer(Weights weights, std::vector<std::string> groups,
            std::function<Clock::TimePoint()> now);
  ~DraScorer();
  DraScorer(const DraScorer&) = delete;
  DraScorer& operator=(const DraScorer&) = delete;

  /// Begins to follow, until Stop().
  void Follow(CustomObjectAccess* api);
  void Stop();

  /// As Scorer. Leaves the scores of a pod alone whose claims are not all known yet, and those of
  /// nodes without devices for them. Unavailable: what is known is too old, or the claims cost
  /// more than one call spends, so that others are not held up.
  absl::Status Score(const outrigger::Request& request, std::span<NodeScore> scores) const;

 private:
  class Sink;

  absl::Status UpsertSlice(std::string_view json);
  absl::Status UpsertClass(std::string_view json);
  absl::Status UpsertClaim(std::string_view json);
  absl::Status UpsertRule(std::string_view json);
  void Remove(const CustomKind& kind, const CustomObjectName& object);
  absl::Status Usable() const;
  /// The allocator of what is known now.
  dra::Allocator& Current() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  /// False: one of the pod's is not known.
  bool FindOpen(const Pod& pod, std::vector<dra::Claim>* open) const
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  const Weights weights_;
  const std::vector<std::string> groups_;
  const std::function<Clock::TimePoint()> now_;
  mutable Mutex mutex_;
  std::map<std::string, dra::Slice, std::less<>> slices_ ABSL_GUARDED_BY(mutex_);
  std::map<std::string, dra::Class, std::less<>> classes_ ABSL_GUARDED_BY(mutex_);
  std::map<std::string, dra::Claim, std::less<>> claims_ ABSL_GUARDED_BY(mutex_);
  std::map<std::string, dra::TaintRule, std::less<>> rules_ ABSL_GUARDED_BY(mutex_);
  // Made of the four when they are asked for; empty: they have changed since.
  mutable dra::Cluster cluster_ ABSL_GUARDED_BY(mutex_);
  mutable std::unique_ptr<dra::Allocator> allocator_ ABSL_GUARDED_BY(mutex_);
  mutable bool are_claims_new_ ABSL_GUARDED_BY(mutex_) = false;
  std::vector<std::unique_ptr<Sink>> sinks_;
  mutable Mutex follow_mutex_;
  // Uses sinks_.
  std::vector<std::unique_ptr<FollowedKind>> followed_ ABSL_GUARDED_BY(follow_mutex_);
};

}  // namespace outrigger::devices::agent
