#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "absl/status/status.h"
#include "outrigger/base/mutex.h"

namespace outrigger::kube {

/// How well a reflector follows the server.
struct ReflectorState {
  using TimePoint = std::chrono::steady_clock::time_point;

  std::string resource;  // "pods", "podgroups.scheduling.x-k8s.io"
  /// The sink has held everything once since the start, and the kind is there.
  bool synced = false;
  /// The server does not have the kind (a CRD that is not installed); the sink is empty.
  bool not_installed = false;
  /// The version in which the kind is read.
  std::string version;
  /// If not_installed: the versions in which the server has the kind, none of them known to us.
  std::string unknown_versions;
  /// A watch has brought something since the start: what changes can be seen, not only what is.
  bool followed = false;
  /// What went wrong since the last good answer; empty: nothing.
  std::string last_error;
  /// last_error says that no answer came at all.
  bool unreachable = false;
  /// When the first of these errors came.
  std::optional<TimePoint> failing_since;
  /// Until when the sink is known to have been complete. Moves with events and bookmarks, so on a
  /// quiet cluster about once a minute.
  std::optional<TimePoint> as_of;
  std::string resource_version;
  size_t objects = 0;
  /// Objects whose last state could not be read; what was known of them before stays.
  size_t unreadable = 0;
  // Since the start.
  uint64_t relists = 0;  // full lists that were completed, the first included
  uint64_t watches = 0;  // watches that were begun
  uint64_t events = 0;   // bookmarks included
  uint64_t failures = 0;

  /// Nothing is to be waited for: synced, or the kind is not there.
  bool ready() const { return synced || not_installed; }
};

/// One line for people: "pods: no answer for 12 s: connection refused".
std::string Describe(const ReflectorState& state, ReflectorState::TimePoint now);

/// The state of a reflector while it runs. Thread-safe.
class ReflectorStatus {
 public:
  using TimePoint = ReflectorState::TimePoint;

  /// `turned` is called, without a lock, after each change of whether the state is ready, missing,
  /// followed or failing; may be empty.
  explicit ReflectorStatus(std::string_view resource, std::function<void()> turned = {})
      : turned_(std::move(turned)) {
    state_.resource = resource;
  }

  ReflectorState Get() const;

  void WatchBegins();
  /// An answer came: nothing is wrong any more.
  void Answered();
  void Failed(const absl::Status& status, TimePoint now);
  /// The sink holds everything as of `as_of`.
  void Synced(std::string_view resource_version, TimePoint as_of);
  void Event(std::string_view resource_version, TimePoint now);
  /// `unknown`: as ReflectorState::unknown_versions.
  void NotInstalled(TimePoint now, std::string_view unknown = {});
  void ReadsVersion(std::string_view version);
  void Count(size_t objects, size_t unreadable);

  /// Until when the sink is known to have been complete; nothing: never.
  std::optional<TimePoint> as_of() const;
  /// Since when nothing but errors has come.
  std::optional<TimePoint> failing_since() const;

 private:
  /// Calls `edit` under the lock.
  template <typename Edit>
  void Change(const Edit& edit);
  void AnsweredLocked() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  const std::function<void()> turned_;
  mutable Mutex mutex_;
  ReflectorState state_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace outrigger::kube
