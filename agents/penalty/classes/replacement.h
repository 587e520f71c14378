#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "outrigger/agent/config_maps.h"
#include "outrigger/agent/priority_classes.h"
#include "outrigger/base/clock.h"
#include "penalty/classes/time.h"

// A class gets another value: it is deleted, and created again under its name. Nothing is lost
// wherever that ends (docs/penalty.md has the steps and what can go wrong at each).

namespace outrigger::penalty {

struct SwapCalls;

/// What is asked for.
struct ReplaceRequest {
  std::string class_name;
  int64_t base = 0;    // at most 1 000 000 000
  int64_t target = 0;  // the new value, at most `base`
  /// The value that the class has, as the journal knows it; nothing: not known. With it, a class
  /// that lost its annotation is not taken for another writer's.
  std::optional<int64_t> written = {};
  std::string cause = {};  // "start default/job-1"; cut as CauseText() does (intent.h)
  int64_t epoch = 1;       // counts the changes of this class, from 1
  Millis now = 0;
};

/// What became of a class.
struct Replacement {
  enum class Outcome : uint8_t {
    kReplaced,   ///< it was made again, with `value`
    kUnchanged,  ///< nothing was to be done: it has the value and the annotations already
    kRefused,    ///< it is left alone, or (after its value was refused late) back at its base
    kAbsent,     ///< it is not there, and was not deleted by us: it is left so
    kAdopted,    ///< another writer made it, with another base: it is left as it is
    kStuck,      ///< a finalizer that came in the meantime keeps it, marked as deleted; the intent
                 ///< stays, and the class is made again once the finalizer is gone
    kDropped,    ///< an intent that nothing had come of was removed
  };
  Outcome outcome = Outcome::kReplaced;
  std::string class_name;
  int64_t base = 0;    // kAdopted: the base that counts from now on (BaseOf())
  int64_t before = 0;  // the value of the class that was replaced, or is left alone
  int64_t value = 0;   // its value now; no meaning for kAbsent
  std::string cause = {};
  int64_t epoch = 0;  // ReplaceRequest::epoch
  Millis begun = 0;   // ReplaceRequest::now
  /// From the answer to DELETE to the answer to CREATE, in microseconds; -1: not known, since they
  /// were not heard by one process.
  int64_t gap_us = -1;
  std::string reason = {};   // kRefused, kStuck: Refusal::reason, "admission" or "too-large"
  std::string message = {};  // for an Event: what happened, and what helps; may be empty
  /// Why the intent could not be removed; Recover() and the next change of the class try again.
  absl::Status leftover = {};
};

/// Takes note of what became of a class, durably (its account in the journal), before the intent
/// is removed. Called for each intent after which the class may have changed, so not for
/// kUnchanged, kDropped, kStuck and refusals before DELETE. An error leaves the intent, and it is
/// asked again: it must be idempotent, by (class_name, epoch, begun).
using AccountFn = std::function<absl::Status(const Replacement& replacement)>;

/// Replaces classes one at a time, through intents in ConfigMaps.
///
/// There may be several processes with one, of which one holds a Lease. `term` is the stop token of
/// its term: nothing is sent after it is stopped, and then the error is Cancelled. What was sent
/// before may arrive later: each DELETE carries the UID and the version of what it deletes, and is
/// sent only after its intent was marked by compare-and-swap; a CREATE makes only what is not
/// there. A process that ends by itself lets Replace() return before it ends its term, or the class
/// is away until the next one recovers it.
///
/// Not thread-safe. The accesses must outlive it.
class Replacer {
 public:
  struct Options {
    std::string namespace_ = "kube-system";     // of the intents
    std::chrono::milliseconds timeout{10'000};  // of one call
    /// How often a call is sent that is needed to bring a class back, with pauses of 50 ms and
    /// twice as much each time, until the intent is left to the next Recover().
    int attempts = 6;
    Clock clock = {};
    /// Runs DELETE and CREATE side by side; tests put in their own
    /// (agents/penalty/classes/replace/passage.h).
    std::function<void(const SwapCalls& calls)> run_swap = {};
  };

  Replacer(PriorityClassAccess* classes, ConfigMapAccess* maps, AccountFn account, Options options);
  ~Replacer();
  Replacer(const Replacer&) = delete;
  Replacer& operator=(const Replacer&) = delete;

  /// Gives a class its target value, after ending an intent of that class, if there is one. The
  /// class is read first: labels, annotations and all else are kept as they are then. An outcome is
  /// an expected answer; an error means that something broke, that the intent (if one was written)
  /// is still there, and that the class has its old value, its target, or is absent until Recover()
  /// is called. InvalidArgument: the request itself is wrong. ResourceExhausted: too many intents
  /// wait. Aborted: the class is being edited all the time, or another process writes the intents.
  absl::StatusOr<Replacement> Replace(const ReplaceRequest& request, const std::stop_token& term);

  /// As Replace(), to `base`: for a class that may be managed or ignored by now.
  absl::StatusOr<Replacement> Restore(const ReplaceRequest& request, const std::stop_token& term);

  struct Recovered {
    std::string map;  // the intent's ConfigMap
    /// What became of its class. An error: the intent is still there; InvalidArgument: a person
    /// must mend or delete it, the message names map, key and line.
    absl::StatusOr<Replacement> result;
  };
  /// Ends all intents that are there, and repairs the classes of those that were edited, which are
  /// reported in Replacement::message, with the cause "repair" and epoch 0: to be called at the
  /// start of a term, and while HasOpenIntents(). Reads each intent from the API server. In
  /// the order of their names.
  std::vector<Recovered> Recover(const std::stop_token& term);

  /// True before the first Recover(), and while an intent is known or suspected to be left.
  bool HasOpenIntents() const;

 private:
  class Impl;
  const std::unique_ptr<Impl> impl_;
};

}  // namespace outrigger::penalty
