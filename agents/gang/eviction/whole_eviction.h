#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "common/desk_names.h"
#include "eviction/reports.h"
#include "gang/plan/preemption.h"
#include "outrigger/agent/cluster.h"
#include "outrigger/base/mutex.h"

namespace outrigger::gang {

/// What became of a pod that was to be evicted, by what the call came to.
enum class Answer : uint8_t {
  kEvicted,
  kGone,     ///< there is no such pod any more
  kLost,     ///< it may be evicted: there was no answer, or one that does not tell
  kBudget,   ///< it stays, by a disruption budget, which may recover; as for the next two
  kFails,    ///< what had to allow it failed, as a webhook that does not answer
  kRefused,  ///< the API server, or a webhook or policy that it asked, said no
};
Answer AnswerOf(const absl::Status& status);
/// True if the pod may have been evicted: the call succeeded or its result is unknown.
inline bool MayBeEvicted(Answer answer) {
  return answer == Answer::kEvicted || answer == Answer::kLost;
}

/// What the API server said, without the call that it answered.
std::string AnswerIn(const absl::Status& status);

/// Evicts units whole. The eviction of a unit has begun when a pod of it was evicted, or of a gang
/// may have been: then the rest goes, too, also if the unit is to be spared. What is left of a gang
/// would be bound in part, and come before all others. Thread-safe; one round at a time.
class WholeEviction {
 public:
  /// What the API server answered. Called from several threads at once.
  using Answered =
      std::function<void(const plan::UnitKey& unit, const Pod& pod, const absl::Status& status)>;

  /// The first two outlive this. `may_write` is asked before each call.
  WholeEviction(ClusterWriter* cluster, EvictionReports* reports, MayWrite may_write)
      : cluster_(cluster), reports_(reports), may_write_(std::move(may_write)) {}

  /// The pods are to go in the next round of BeginDue(), in place of those that are due of the
  /// unit.
  void Ask(const plan::UnitKey& unit, std::vector<PodPtr> pods);
  /// Blocks until something is due; false: `stop` was requested.
  bool AwaitDue(const std::stop_token& stop);
  /// Begins a round with what is due, and returns it.
  std::vector<plan::Victim> BeginDue();
  /// Begins a round with these, each a unit with its pods.
  void Begin(const std::vector<plan::Victim>& units);
  /// Evicts the pods, which Begin() was given, several at once, and reports each. `left` keeps
  /// those whose eviction was refused, by the API server or by `may_write`, and those of units that
  /// are spared. Pods that are gone or replaced are removed. After `stop` calls are cut short, and
  /// no more are begun. May be called again in the same round.
  void Evict(std::vector<plan::Victim>* left, const std::stop_token& stop,
             const Answered& answered = nullptr);

  /// Units that stay unless their eviction has begun. Nothing of them is due any more.
  void Spare(absl::FunctionRef<bool(const plan::UnitKey& unit)> which);
  /// Nothing more of the unit is evicted, whether or not that has begun.
  void Drop(const plan::UnitKey& unit);
  void Clear();

  bool HasBegun(const plan::UnitKey& unit) const;
  /// The units whose eviction has begun, and whether an answer was lost since the last call.
  std::vector<std::pair<plan::UnitKey, bool>> TakeBegun();
  /// Returns the pods left of a unit whose eviction has begun, by those that are bound; nullopt if
  /// it has not, or if `goes_on` is false: then it is dropped. `certain`: a pod was evicted. A unit
  /// with no pod left is forgotten.
  std::optional<std::vector<PodPtr>> RestOf(const plan::UnitKey& unit,
                                            std::span<const BoundMember> bound,
                                            absl::FunctionRef<bool(bool certain)> goes_on);

 private:
  struct Asked {
    std::vector<PodPtr> pods;
    bool wanted = true;
  };
  struct Begun {
    std::vector<PodPtr> rest;  // to be evicted, and not gone yet
    bool certain = false;      // one was
    bool unsettled = false;    // an answer was lost since the last TakeBegun()
  };
  void BeginLocked(const std::vector<plan::Victim>& units) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void DropLocked(const plan::UnitKey& unit) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  bool IsWanted(const plan::UnitKey& unit) const;
  /// True if the pod is not to be tried again.
  bool EvictOne(const plan::UnitKey& unit, const Pod& pod, const std::stop_token& stop,
                const Answered& answered);
  void Count(const plan::UnitKey& unit, const absl::Status& status);
  void AddToBegun(const plan::UnitKey& unit, const std::vector<PodPtr>& pods)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  ClusterWriter* const cluster_;
  EvictionReports* const reports_;
  const MayWrite may_write_;

  mutable Mutex mutex_;
  std::condition_variable_any wake_;
  std::map<plan::UnitKey, std::vector<PodPtr>> due_ ABSL_GUARDED_BY(mutex_);
  std::map<plan::UnitKey, Asked> round_ ABSL_GUARDED_BY(mutex_);
  std::map<plan::UnitKey, Begun> begun_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace outrigger::gang
