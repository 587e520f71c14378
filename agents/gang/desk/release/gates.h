#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/status/status.h"
#include "gang/desk/board.h"
#include "gang/desk/leadership.h"
#include "gang/desk/release.h"
#include "gang/desk/release/turn.h"
#include "gang/desk/time.h"
#include "gang/desk/writes/pod_writer.h"
#include "outrigger/agent/cluster.h"
#include "outrigger/base/clock.h"

namespace outrigger::desk {

/// Takes the gate off pods whose turn it is, and remembers what came of it: what was written and is
/// not seen yet, and when to try again what has failed. All but that is in the API server: after a
/// restart the rest of a unit is released. One thread calls all of it.
class Gates {
 public:
  /// As those of PodWriter: from the threads that write.
  struct Hooks {
    MayWrite may_write = nullptr;
    std::function<void(const Release& release, const absl::Status& status)> answered = nullptr;
    std::function<void()> changed = nullptr;
    /// Logs what a person has to do; may be empty.
    std::function<void(std::string_view line)> warn = nullptr;
  };
  /// `cluster`, and what `hooks` need, outlive this.
  Gates(ClusterWriter* cluster, ReleaseOptions options, Hooks hooks,
        SteadyNow now = std::chrono::steady_clock::now);

  /// Without it gates are taken off on the caller's thread, for tests.
  void Start();
  void Stop() { writer_.Stop(); }
  /// Nothing more is begun: plans may not be acted on.
  void Drop() { writer_.Drop(); }

  /// After a plan.
  Releases OnPlan(const TurnInput& plan, Time now);
  /// Begins nothing more until the next OnPlan(), and takes in what writes came to.
  void Settle(Time now);
  /// The gate of the pod of this UID has been taken off, or is being: the view may still show it.
  /// As of the last call that takes in what writes came to.
  bool IsReleased(const std::string& uid) const;
  /// Takes in what writes came to.
  void TakeWritten(Time now);
  /// True if the view of the last plan still had a gate that was taken off long before: what is
  /// watched is late, or lost.
  bool is_view_late() const { return is_view_late_; }
  /// When something is tried again; nothing: never.
  std::optional<Time> next_look() const { return next_look_.at(); }

 private:
  struct PodMemory {
    bool is_released = false;  // the view may still show the gate
    Time released_at;
    int64_t failures = 0;  // one after the other
    Time write_after;
    std::string error;  // of the last failure
    uint64_t seen = 0;  // the plan that last had it, with the gate
  };
  // Of a unit of which pods are released, or that waits for the window.
  struct UnitMemory {
    size_t released = 0;  // and not bound
    Time progress;        // when it last was another number
    std::optional<Time> awaits_window;
    uint64_t seen = 0;
  };
  absl::Status Remove(const Release& release, const CallLimits& limits);
  bool AheadHasWaited(Time now) const;
  bool IsStale(const plan::UnitKey& unit, Time now) const;
  bool HasWaited(const plan::UnitKey& unit, Time now) const;
  void NoteUnits(const Turn& turn, Time now);
  void NoteAhead(bool is_held, Time now);
  std::vector<Release> Due(const std::vector<PodPtr>& turn, const Board& board, Time now);
  int64_t StartedWith(const Board& board, const Pod& pod) const;
  void TellFailing(Releases* releases, const Board& board) const;
  void ForgetGone(std::span<const PodPtr> pods);
  void JudgeView(Time now);

  ClusterWriter* const cluster_;
  const ReleaseOptions options_;
  const MayWrite may_write_;
  const std::function<void(std::string_view line)> warn_;
  std::atomic<bool> has_warned_ = false;
  PodWriter<Release> writer_;
  absl::flat_hash_map<std::string, PodMemory> pods_;  // by UID
  absl::flat_hash_set<std::string> under_way_;        // likewise: a gate is being taken off
  std::map<plan::UnitKey, UnitMemory> units_;
  uint64_t round_ = 0;
  bool is_view_late_ = false;
  std::optional<Time> ahead_held_since_;  // a unit without a place waits to go ahead
  NextLook next_look_;
};

}  // namespace outrigger::desk
