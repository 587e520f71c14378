#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "common/desk_names.h"
#include "gang/plan/groups.h"
#include "outrigger/agent/cluster.h"
#include "outrigger/base/clock.h"
#include "outrigger/base/mutex.h"

namespace outrigger::gang {

/// How many pods of a group are in which phase.
struct PhaseCounts {
  int64_t running = 0;
  int64_t succeeded = 0;
  int64_t failed = 0;
};

/// What the status of a group's object says. `unit`: the group's, or nullptr where nothing of it
/// wants a place, or nothing is planned. `why`: with figures, why it waits; may be empty.
///
/// Phases are those of scheduler-plugins: Finished and Failed as soon as its pods have come to
/// that, Running once the minimum runs, Scheduled once it has places, Scheduling while the rest of
/// it gets them, and Pending.
PodGroupStatus StatusOf(const plan::GroupState& group, const PhaseCounts& counts,
                        const BoardUnit* unit, std::string_view why);

struct StatusWriterOptions {
  bool enabled = false;
  /// Statuses are worked out this often at most.
  std::chrono::milliseconds every{1000};
  SteadyNow now = std::chrono::steady_clock::now;
  /// Asked before each write; what may not be written now a later plan asks for again.
  MayWrite may_write = nullptr;
};

/// Keeps the status of PodGroups up to date, for dialects whose own controller is not there to do
/// it. Writes on a thread of its own, and only what is new.
class StatusWriter {
 public:
  using Log = std::function<void(std::string_view line)>;
  /// Why a gang waits, with figures; empty: not known.
  using Why = std::function<std::string(const plan::UnitKey& gang)>;
  /// `cluster` and what `log` needs outlive this.
  StatusWriter(ClusterWriter* cluster, Log log, StatusWriterOptions options);
  ~StatusWriter();
  StatusWriter(const StatusWriter&) = delete;
  StatusWriter& operator=(const StatusWriter&) = delete;

  void Start();
  void Stop();

  /// A plan was made of `pods`, and may be acted on; from the planning thread, as the next one.
  void OnPlan(const Board& board, std::span<const PodPtr> pods, const Why& why);
  /// When statuses are due though nothing has changed; nothing: they are not.
  std::optional<Time> next_look() const { return next_look_; }

 private:
  void Run(const std::stop_token& stop);
  void Write(const plan::UnitKey& key, const PodGroupStatus& status, const std::stop_token& stop);
  void ForgetWritten(const plan::UnitKey& key, const PodGroupStatus& status);

  ClusterWriter* const cluster_;
  const Log log_;
  const StatusWriterOptions options_;

  // Of the planning thread.
  Time next_round_;
  std::optional<Time> next_look_;

  Mutex mutex_;
  std::condition_variable_any wake_;
  std::map<plan::UnitKey, PodGroupStatus> written_ ABSL_GUARDED_BY(mutex_);  // or about to be
  std::map<plan::UnitKey, PodGroupStatus> due_ ABSL_GUARDED_BY(mutex_);

  std::jthread thread_;
};

}  // namespace outrigger::gang
