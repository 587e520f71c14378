#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "common/method.h"
#include "outrigger/agent/agent.h"
#include "outrigger/agent/call_limits.h"
#include "outrigger/agent/cluster.h"
#include "outrigger/agent/state_store.h"
#include "outrigger/base/mutex.h"
#include "outrigger/base/pace.h"

namespace outrigger::reward {

/// Counts and stores what was counted while this process leads, and reads it while another one
/// does. Lead() and Follow() may run at once, each on one thread; all else is for tests.
class Keeper {
 public:
  static constexpr std::chrono::milliseconds kBetweenLooks{500};
  // The state may have 900 KiB: it is written, and read by each of the others, once a minute.
  static constexpr Seconds kBetweenStores = 60;
  static constexpr std::chrono::seconds kReadAgain{60};

  /// All of these outlive this; `deps.cluster` may be null, and Lead() must not be called then.
  Keeper(const AgentDeps& deps, Method* method, StateStore* store);

  /// Works until the end of the term, and stores what is not yet stored.
  void Lead(const std::stop_token& term);
  /// Reads what another process has stored, now and then.
  void Follow(const std::stop_token& stop);

  // The parts of the two.

  /// Reads what was stored, and counts from there.
  absl::Status Begin(const std::stop_token& term);
  /// Looks at the cluster, and stores if it is time to. Begins where that is still to be done.
  void Round(const std::stop_token& term);
  /// Stores what was counted; in doubt about the last time it reads first what was stored.
  absl::Status Store(const CallLimits& limits);
  /// Reads what was stored, unless this process leads or has read it already.
  absl::Status ReadAgain(const std::stop_token& stop);

 private:
  enum class Phase : uint8_t {
    kUnread,    // what is stored is not known, or no longer
    kCounting,  // `stored_` is stored, and what was counted goes on from there
    kUnsure,    // the same, but the text of `stored_` was sent, and may be stored or not
  };

  void SetLeads(bool leads);
  void OnProgress(const Progress& progress, Moment now);
  /// Ends kUnsure by what is stored, unless that cannot be read.
  absl::Status Settle(const CallLimits& limits);
  void OnOverwritten();
  absl::Status Save(const CallLimits& limits);
  bool IsToBeStored() const { return is_unstored_ || phase_ == Phase::kUnsure; }
  Seconds StoreDue() const { return stored_at_ + kBetweenStores; }
  bool IsTimeToStore(Moment now) const;
  std::chrono::milliseconds UntilNext(Moment now) const;
  void OnError(std::string_view call, const absl::Status& status);
  void Report(const std::vector<std::string>& findings);

  const AgentDeps deps_;
  ClusterReader* const cluster_;
  Method* const method_;
  StateStore* const store_;
  Pace pace_;
  std::atomic<bool> leads_{false};

  // Of the thread that leads.
  StoredState stored_;
  Phase phase_ = Phase::kUnread;
  bool is_unstored_ = false;
  std::optional<Seconds> next_;  // as the method said
  Seconds stored_at_ = 0;        // or was tried to be

  Mutex show_mutex_;  // a state is shown only while this process does not lead
  std::optional<std::string> shown_version_ ABSL_GUARDED_BY(show_mutex_);
  Mutex errors_mutex_;
  std::map<std::string, std::string, std::less<>> errors_
      ABSL_GUARDED_BY(errors_mutex_);  // by call: each is said once
};

}  // namespace outrigger::reward
