#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "kube/transport/rate_limiter.h"
#include "load/annotate/counters.h"
#include "load/annotate/node_values.h"
#include "load/annotate/node_writer.h"
#include "load/annotate/written_values.h"
#include "outrigger/base/clock.h"
#include "outrigger/base/mutex.h"

namespace outrigger::annotate {

/// A patch that is under way.
struct TakenPatch {
  std::string node;
  NodeChange change;
  int failures = 0;  // of the tries before
};

/// The nodes that wait for a patch, one entry a node: the node that has waited longest comes first,
/// and a newer value takes the place of an older one without losing the place. A node that failed
/// goes to the end, so that it holds up no other. Not thread-safe.
class PatchQueue {
 public:
  using TimePoint = Clock::TimePoint;

  /// Sets what is to be written to the node; an empty change: nothing any more. A patch of the node
  /// that is under way goes on, and the new one waits for it.
  void Set(std::string_view node, NodeChange change);

  /// Takes the first node that may be patched at `now`. Done(), Fail() or Drop() must follow.
  std::optional<TakenPatch> Take(TimePoint now);

  /// The patch was written: what is the same in a newer change of the node needs no patch.
  void Done(const TakenPatch& taken);
  /// It was not: the node waits again, as the last, until `not_before`. What was Set() meanwhile
  /// wins, an empty change too.
  void Fail(const TakenPatch& taken, TimePoint not_before);
  /// The node is gone, or its change is given up. What was Set() meanwhile is of a node of the same
  /// name that came since, and stays.
  void Drop(const TakenPatch& taken);
  /// Forgets the nodes that are not there any more.
  void Retain(const std::function<bool(std::string_view node)>& is_there);

  /// Nodes that wait or are under way.
  size_t size() const { return entries_.size(); }
  /// When the first node may be patched that is not under way; nothing: none waits.
  std::optional<TimePoint> NextTime() const;

 private:
  struct Entry {
    uint64_t place = 0;
    NodeChange change;  // empty: only what is under way
    TimePoint not_before;
    int failures = 0;
    bool under_way = false;
    bool is_set_since = false;  // Set() while under way
  };
  using Entries = std::map<std::string, Entry, std::less<>>;

  void EraseIfIdle(Entries::iterator entry);
  /// Begins a wait of the entry, whose patch is not under way any more.
  void Enter(Entries::iterator entry, TimePoint not_before, int failures);

  Entries entries_;
  std::map<uint64_t, std::string> order_;  // place -> node, of entries with a change
  uint64_t next_place_ = 0;
};

struct PatcherOptions {
  double qps = 50;  // patches a second, on average
  size_t workers = 8;
  /// Tries of one node before its change is given up, one if it is refused; as many failures of all
  /// nodes in a row end AwaitIdle(). 0: no limit.
  int most_tries = 0;
  Clock clock = {};
  /// What an operator should know, in a line; may be empty.
  std::function<void(const std::string& line)> warn = {};
};

/// Writes changes of nodes in the background, at most `qps` a second, the node that has waited
/// longest first; the last change of a node wins. What an answer means:
///   404        the node is gone: its change is dropped
///   409        another try after a second
///   429        all nodes wait for as long as Retry-After says, at least a second
///   400, 422   the node is at fault: warned about once; its next try comes after 5 min
///   403        the same, if other nodes could be patched; else warned about once, with the right
///              that is missing, and all nodes wait for 30 s
///   500        the node waits for 30 s, if other nodes could be patched; else as what follows
///   other      no answer: all nodes wait, from a second up to 30 s while it goes on
/// "Could be patched" means: by this patcher, and fewer than kMostRefusals refusals ago.
/// Thread-safe.
class NodePatcher {
 public:
  static constexpr int kMostRefusals = 32;

  /// All outlive this.
  NodePatcher(NodeWriter* writer, WrittenValues* written, Counters* counters,
              PatcherOptions options);

  /// PatchQueue::Set().
  void Set(std::string_view node, NodeChange change);
  /// PatchQueue::Retain().
  void Retain(const std::function<bool(std::string_view node)>& is_there);

  /// Writes until stop is requested; returns when no patch is under way any more.
  void Run(const std::stop_token& stop);
  /// One patch, or none if nothing may be written now. Returns how long to wait before the next.
  Clock::Duration Step(const std::stop_token& stop);

  /// Nodes whose change is not written yet.
  size_t Pending() const;
  /// Returns when nothing is pending, or stop is requested. Where tries are limited, an error if no
  /// node can be patched: PermissionDenied, the right is missing; Unavailable, there is no answer.
  absl::Status AwaitIdle(const std::stop_token& stop);
  /// Nodes whose change was given up.
  size_t GivenUp() const { return given_up_; }
  /// The right that is missing, or empty.
  std::string Forbidden() const;

 private:
  void Work(const std::stop_token& stop);
  /// How long a patch takes of the rate.
  Clock::Duration RateWait() const;
  void Note(const TakenPatch& taken, const std::string& version);
  /// True if other nodes may be patched nevertheless.
  bool IsOneNodes(const absl::Status& error) const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void HandleError(const TakenPatch& taken, const absl::Status& error, bool is_one_nodes)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void NoteHopeless(const absl::Status& error) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void PauseAll(Clock::Duration time) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  Clock::Duration WaitOf(const absl::Status& error, bool is_one_nodes)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  std::string WarningOf(const TakenPatch& taken, const absl::Status& error, bool is_one_nodes)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void Publish() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  NodeWriter& writer_;
  WrittenValues& written_;
  Counters& counters_;
  const PatcherOptions options_;
  kube::RateLimiter limiter_;
  std::atomic<size_t> given_up_ = 0;

  mutable Mutex mutex_;
  std::condition_variable_any changed_;
  PatchQueue queue_ ABSL_GUARDED_BY(mutex_);
  Clock::TimePoint paused_until_ ABSL_GUARDED_BY(mutex_);
  int outages_ ABSL_GUARDED_BY(mutex_) = 0;  // failures of all nodes in a row
  // Nodes that were refused since the last patch that was written; kMostRefusals: none was written.
  int refusals_ ABSL_GUARDED_BY(mutex_) = kMostRefusals;
  // Where tries are limited: why no node can be patched.
  absl::Status hopeless_ ABSL_GUARDED_BY(mutex_);
  std::string forbidden_ ABSL_GUARDED_BY(mutex_);  // the warning
  std::string refused_ ABSL_GUARDED_BY(mutex_);    // the last warning about one node
};

}  // namespace outrigger::annotate
