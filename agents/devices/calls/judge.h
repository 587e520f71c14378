#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <span>
#include <stop_token>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "calls/pod_demand.h"
#include "devices/allocation/allocator.h"
#include "outrigger/agent/request.h"
#include "outrigger/agent/verdict.h"
#include "store/device_store.h"

namespace outrigger::devices::agent {

/// How often a call evaluates what is new: pools that change all the time bring something each
/// time.
inline constexpr int kMostEvaluations = 8;

/// The nodes of one call, a few at a time: others wait for the locks no longer than that takes. A
/// call in which many searches do not end goes on with short ones, and the next call begins with
/// what these were of. Not thread-safe.
class Nodes {
 public:
  /// `first`: which is asked first; it is moved on to the one with which short searches began.
  Nodes(const Allocator& allocator, size_t count, std::atomic<size_t>* first)
      : budget_(allocator.options().budget), count_(count), first_(*first) {
    begin_ = count == 0 ? 0 : first_.load(std::memory_order_relaxed) % count;
  }

  /// Asks of the next ones; `ask` returns the steps that it took. True: that were the last.
  bool Next(absl::FunctionRef<int64_t(size_t node, int64_t budget)> ask) {
    int64_t steps = 0;
    for (size_t asked = 0; next_ < count_ && asked < kAtATime && steps < budget_; ++asked) {
      const size_t node = (begin_ + next_++) % count_;
      const bool is_full = spent_ + steps < kInFull * budget_;
      if (!is_full && !is_short_) first_.store(node, std::memory_order_relaxed);
      is_short_ = !is_full;
      steps += ask(node, is_full ? budget_ : budget_ / kShort);
    }
    spent_ += steps;
    return next_ == count_;
  }

 private:
  static constexpr size_t kAtATime = 256;
  static constexpr int64_t kInFull = 16;
  static constexpr int64_t kShort = 64;

  const int64_t budget_;
  const size_t count_;
  std::atomic<size_t>& first_;
  size_t begin_ = 0;
  size_t next_ = 0;
  bool is_short_ = false;
  int64_t spent_ = 0;
};

/// Answers filter and prioritize calls: whether, and how well, the claims of a pod can be served on
/// each node. Commits to nothing. Thread-safe.
class Judge {
 public:
  /// Both outlive this.
  Judge(const DeviceStore& store, const Allocator& allocator)
      : store_(store), allocator_(allocator) {}

  /// As Filterer. Sets `unresolved` if no node could be asked, for example as a claim is missing.
  absl::Status Filter(const outrigger::Request& request, std::span<Verdict> verdicts,
                      bool* unresolved) const;
  /// As Scorer.
  absl::Status Score(const outrigger::Request& request, std::span<NodeScore> scores) const;

  /// Calls `judge` with the inventory, as if the pod's own claims without devices held nothing, and
  /// the demand for these, until it returns true: in between others get the locks, and objects may
  /// change. A demand that fits nowhere is not resolved: `judge` is not called, and the verdict is
  /// returned. Expressions are evaluated first, without locks. Unavailable: they cost more than the
  /// namespace gets at once, or devices change all the time. Cancelled: `stop` was requested.
  using Call = absl::FunctionRef<bool(const Inventory&, const PodDemand&, const Demand&)>;
  absl::StatusOr<Verdict> With(const Wanted& wanted, const std::stop_token& stop, Call judge) const;

  /// Unavailable: what is known of devices is too old. A verdict that does not fit: the API server
  /// does not serve the kinds.
  absl::Status Usable(Verdict* verdict) const;

 private:
  /// What one look brought.
  struct Look {
    Verdict verdict;
    bool is_done = true;
    std::optional<Pending> pending = {};
    /// Claims whose allocation was begun hold something, which only a look alone may set aside.
    bool has_begun = false;
  };
  /// `alone`: the same contents while no other look is under way, or null.
  Look LookAt(const Contents& contents, Contents* alone, const Wanted& wanted, Call judge) const;
  Look Ask(const Contents& contents, const PodDemand& demand, Call judge) const;
  /// Gives the answers of all nodes of the call to `take`, and returns a verdict that does not fit
  /// if none could be asked.
  absl::StatusOr<Verdict> AskNodes(const outrigger::Request& request, Parts parts,
                                   absl::FunctionRef<void(size_t node, Answer answer)> take) const;

  const DeviceStore& store_;
  const Allocator& allocator_;
  mutable std::atomic<size_t> first_ = 0;  // as of Nodes
};

}  // namespace outrigger::devices::agent
