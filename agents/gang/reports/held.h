#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "common/desk_names.h"
#include "gang/desk/release.h"
#include "outrigger/agent/cluster.h"
#include "outrigger/agent/metrics.h"
#include "outrigger/base/mutex.h"

namespace outrigger::gang {

/// Tells what holds pods with the scheduling gate, where this agent releases them (`gates`):
/// counts, and Events about gangs that have their places and cannot be released. From the planning
/// thread but for OnRelease().
class Held {
 public:
  using Log = std::function<void(std::string_view line)>;
  /// `cluster` and `metrics` outlive this.
  Held(ClusterWriter* cluster, AgentMetrics* metrics, Log log);

  void OnPlan(const Board& board, const desk::Releases& releases, Time now);
  /// Another agent is in charge.
  void Forget();
  /// When an Event is due though nothing has changed; nothing: none is.
  std::optional<Time> next_look() const { return next_look_.at(); }

  /// From any thread.
  void OnRelease(const desk::Release& release, const absl::Status& status);

 private:
  // A write that failed once is no matter for anybody.
  static constexpr std::chrono::seconds kTellAfter{10};
  static constexpr std::chrono::minutes kTellAgain{5};

  struct Stuck {
    Time since;
    std::optional<Time> told_at;
    bool seen = false;
  };
  void Count(const desk::Releases& releases);
  void ForgetError();
  void Tell(const Board& board, const desk::HeldUnit& unit);

  ClusterWriter* const cluster_;
  AgentMetrics* const metrics_;
  const Log log_;
  std::map<plan::UnitKey, Stuck> stuck_;
  NextLook next_look_;
  Mutex mutex_;
  absl::StatusCode error_ ABSL_GUARDED_BY(mutex_) = absl::StatusCode::kOk;  // of the last release
};

}  // namespace outrigger::gang
