#pragma once

#include <chrono>
#include <functional>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "outrigger/agent/priority_classes.h"
#include "penalty/classes/intent.h"
#include "penalty/classes/replace/slots.h"
#include "penalty/classes/replacement.h"

namespace outrigger::penalty {

/// The two halves of a swap, for what runs them side by side. Both are called on until they are
/// over, on two threads or in turns on one.
struct SwapCalls {
  /// Sends DELETE; returns when it was answered. To be called once.
  std::function<void()> remove;
  /// Sends CREATE once. True: it is over. While DELETE is not answered, a class that is still there
  /// is no end; nor is it for a CREATE that was sent before that answer. It waits for that answer
  /// if it was called very often.
  std::function<bool()> create;
};

/// Runs them on this thread and one of its own: CREATE is sent as soon as DELETE is, not a round
/// trip later, and again until the class is gone.
void RunSideBySide(const SwapCalls& calls);

/// Takes one open intent to its end: a state machine, which can be entered again at any state by
/// another process, since the intent's step and the class itself say where it was. One use.
class Passage {
 public:
  struct Parts {
    PriorityClassAccess* classes;
    IntentSlots* slots;
    const AccountFn* account;
    const Replacer::Options* options;
  };
  Passage(const Parts& parts, int slot, std::stop_token term);

  /// Of an intent that this process has just written.
  absl::StatusOr<Replacement> Begin();
  /// Of one that was found.
  absl::StatusOr<Replacement> Resume();

 private:
  enum class State : uint8_t {
    kTry,      // ask admission
    kMark,     // write that DELETE may be sent
    kSwap,     // DELETE and CREATE
    kLook,     // see what is there now
    kMake,     // CREATE, since nothing is there
    kAccount,  // write what became of it
    kClose,    // remove the intent
    kDone,
  };
  absl::StatusOr<Replacement> Run(State from);
  absl::Status Step();
  absl::Status Try();
  absl::Status Mark();
  absl::Status Swap();
  absl::Status Look();
  absl::Status Make();
  absl::Status Account();
  absl::Status Close();

  absl::Status JudgeOther(const PriorityClass& seen, bool is_answer);
  absl::Status JudgeIntact();
  bool IsWanted(const PriorityClass& seen) const;
  bool IsCopy(const PriorityClass& seen) const;
  absl::Status Renew(const PriorityClass& seen);
  bool OwnersAreGone();
  absl::Status Refused(const absl::Status& refusal);
  void End(Replacement::Outcome outcome, State next, std::string message = {});
  absl::Status TryLater(const absl::Status& error);
  NewPriorityClass New() const;
  CallLimits Limits() const { return {parts_.options->timeout, term_}; }
  std::chrono::steady_clock::time_point Now() const { return parts_.options->clock.now(); }

  const Parts parts_;
  const int slot_;
  const std::stop_token term_;
  State state_ = State::kTry;
  Intent intent_;                // as it is in the slot
  PriorityClass replaced_;       // of the intent's manifest
  int64_t value_ = 0;            // to be created: the target, or base if the target is refused late
  bool may_be_deleted_ = false;  // a DELETE was sent whose outcome is not known
  int failures_ = 0;             // of calls that are sent again
  // The answer to the last DELETE.
  absl::Status deleted_ = absl::UnavailableError("this process has not sent DELETE");
  std::optional<PriorityClass> created_;  // the answer to CREATE, until it was looked at
  std::optional<std::chrono::steady_clock::time_point> gone_at_;  // when DELETE was answered
  std::string refusal_;                                           // of the target by CREATE
  Replacement result_;
  absl::Status error_;  // what is returned in place of result_
};

}  // namespace outrigger::penalty
