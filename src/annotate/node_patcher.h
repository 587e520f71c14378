#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <functional>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "annotate/counters.h"
#include "annotate/node_writer.h"
#include "annotate/patch_queue.h"
#include "annotate/written_values.h"
#include "kube/transport/rate_limiter.h"
#include "outrigger/base/clock.h"

namespace outrigger::annotate {

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
  /// With the lock held, as the next six. True if other nodes may be patched nevertheless.
  bool IsOneNodes(const absl::Status& error) const;
  void HandleError(const TakenPatch& taken, const absl::Status& error, bool is_one_nodes);
  void NoteHopeless(const absl::Status& error);
  void PauseAll(Clock::Duration time);
  Clock::Duration WaitOf(const absl::Status& error, bool is_one_nodes);
  std::string WarningOf(const TakenPatch& taken, const absl::Status& error, bool is_one_nodes);
  void Publish();

  NodeWriter& writer_;
  WrittenValues& written_;
  Counters& counters_;
  const PatcherOptions options_;
  kube::RateLimiter limiter_;
  std::atomic<size_t> given_up_ = 0;

  mutable std::mutex mutex_;  // guards what follows
  std::condition_variable_any changed_;
  PatchQueue queue_;
  Clock::TimePoint paused_until_;
  int outages_ = 0;  // failures of all nodes in a row
  // Nodes that were refused since the last patch that was written; kMostRefusals: none was written.
  int refusals_ = kMostRefusals;
  absl::Status hopeless_;  // where tries are limited: why no node can be patched
  std::string forbidden_;  // the warning
  std::string refused_;    // the last warning about one node
};

}  // namespace outrigger::annotate
