#include "penalty/classes/replace/passage.h"

#include <algorithm>
#include <condition_variable>
#include <thread>
#include <utility>
#include <vector>

#include "fmt/format.h"
#include "fmt/ranges.h"
#include "outrigger/base/mutex.h"
#include "outrigger/base/text.h"
#include "penalty/classes/base_value.h"
#include "penalty/classes/eligibility.h"

namespace outrigger::penalty {

void RunSideBySide(const SwapCalls& calls) {
  const std::jthread creator([&calls] {
    while (!calls.create()) {
    }
  });
  calls.remove();
}

namespace {

using Outcome = Replacement::Outcome;

constexpr int kMostEarlyCreates = 100;  // before DELETE is answered; about one a millisecond
constexpr std::chrono::milliseconds kFirstPause{50};
// The field manager of what this program creates: the API server takes it from the User-Agent.
constexpr const char* kFieldManager = "outrigger";

// Whether the API server says no for good: a call like it would be refused again.
bool IsRefusal(const absl::Status& status) {
  return absl::IsInvalidArgument(status) || absl::IsPermissionDenied(status);
}

// Whether a DELETE that was answered so has not been performed, and never will be.
bool WasNotPerformed(const absl::Status& status) {
  return IsRefusal(status) || absl::IsAborted(status) || absl::IsNotFound(status) ||
         absl::IsResourceExhausted(status);
}

std::string ErrorText(const absl::Status& status) {
  return Shortened(Printable(std::string(status.message())), 1024);
}

// The answers to DELETE and CREATE, which come from two threads.
class Answers {
 public:
  void SetDeleted(absl::Status status) {
    const MutexLock lock(mutex_);
    deleted_ = std::move(status);
    answered_.notify_all();
  }
  bool IsDeleteAnswered() {
    const MutexLock lock(mutex_);
    return deleted_.has_value();
  }
  void AwaitDeleted() {
    MutexLock lock(mutex_);
    answered_.wait(lock,
                   [this]() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) { return deleted_.has_value(); });
  }
  absl::Status deleted() {
    const MutexLock lock(mutex_);
    return *deleted_;
  }

 private:
  Mutex mutex_;
  std::condition_variable_any answered_;
  std::optional<absl::Status> deleted_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace

Passage::Passage(const Parts& parts, int slot, std::stop_token term)
    : parts_(parts),
      slot_(slot),
      term_(std::move(term)),
      intent_(parts.slots->intent(slot)),
      value_(intent_.target) {
  // The manifest was parsed when its slot was read, or comes from the API server.
  if (auto parsed = parts_.classes->ParsePriorityClass(intent_.manifest); parsed.ok()) {
    replaced_ = *std::move(parsed);
  }
  result_ = {.class_name = intent_.class_name,
             .base = intent_.base,
             .before = intent_.before,
             .value = intent_.before,
             .cause = intent_.cause,
             .epoch = intent_.epoch,
             .begun = intent_.begun};
}

absl::StatusOr<Replacement> Passage::Begin() {
  return Run(State::kTry);
}

absl::StatusOr<Replacement> Passage::Resume() {
  if (intent_.step == IntentStep::kBegun) {
    End(Outcome::kDropped, State::kClose, "the intent had no effect yet");
    return Run(state_);
  }
  may_be_deleted_ = true;
  return Run(State::kLook);
}

absl::StatusOr<Replacement> Passage::Run(State from) {
  for (state_ = from; state_ != State::kDone;) {
    if (term_.stop_requested()) return absl::CancelledError("the term has ended");
    if (absl::Status step = Step(); !step.ok()) return step;
  }
  if (!error_.ok()) return error_;
  return result_;
}

absl::Status Passage::Step() {
  switch (state_) {
    case State::kTry:
      return Try();
    case State::kMark:
      return Mark();
    case State::kSwap:
      return Swap();
    case State::kLook:
      return Look();
    case State::kMake:
      return Make();
    case State::kAccount:
      return Account();
    case State::kClose:
      return Close();
    case State::kDone:
      break;
  }
  return absl::OkStatus();
}

void Passage::End(Outcome outcome, State next, std::string message) {
  result_.outcome = outcome;
  result_.message = std::move(message);
  state_ = next;
}

NewPriorityClass Passage::New() const {
  return {intent_.manifest, static_cast<int32_t>(value_),
          AnnotationsAt(replaced_.annotations, intent_.base, value_)};
}

// Ok: the state is entered again after a pause, in which others may act.
absl::Status Passage::TryLater(const absl::Status& error) {
  if (++failures_ >= parts_.options->attempts) return error;
  const auto pause = kFirstPause * (1 << std::min(failures_ - 1, 10));
  if (parts_.options->clock.sleep(pause, term_)) return absl::OkStatus();
  return absl::CancelledError("the term has ended");
}

absl::Status Passage::Try() {
  absl::Status answer = parts_.classes->TryCreatePriorityClass(New(), Limits());
  const bool is_begun = intent_.step == IntentStep::kBegun;
  if (answer.ok()) {
    state_ = is_begun ? State::kMark : State::kSwap;
    return absl::OkStatus();
  }
  if (!is_begun) return answer;  // a DELETE that was sent may arrive yet
  if (IsRefusal(answer)) return Refused(answer);
  error_ = answer;
  state_ = State::kClose;
  return absl::OkStatus();
}

// The class is as it was, and no DELETE can arrive.
absl::Status Passage::Refused(const absl::Status& refusal) {
  End(Outcome::kRefused, State::kClose,
      fmt::format("the API server rejects value {}: {}", value_, ErrorText(refusal)));
  result_.reason = "admission";
  return absl::OkStatus();
}

absl::Status Passage::Mark() {
  Intent marked = intent_;
  marked.step = IntentStep::kDeleting;
  absl::Status written = parts_.slots->Rewrite(slot_, marked, term_);
  if (!written.ok()) return written;
  intent_ = marked;
  state_ = State::kSwap;
  return absl::OkStatus();
}

absl::Status Passage::Swap() {
  Answers answers;
  const NewPriorityClass made = New();
  std::chrono::steady_clock::time_point gone_at;
  std::chrono::steady_clock::time_point made_at;
  int creates = 0;
  SwapCalls calls;
  calls.remove = [&] {
    absl::Status answer = parts_.classes->DeletePriorityClass(intent_.class_name, intent_.uid,
                                                              intent_.resource_version, Limits());
    gone_at = Now();
    answers.SetDeleted(std::move(answer));
  };
  calls.create = [&] {
    if (++creates > kMostEarlyCreates) answers.AwaitDeleted();
    const bool is_last = answers.IsDeleteAnswered();
    absl::StatusOr<PriorityClass> answer = parts_.classes->CreatePriorityClass(made, Limits());
    made_at = Now();
    const bool is_there = absl::IsAlreadyExists(answer.status());
    if (answer.ok()) created_ = *std::move(answer);
    return is_last || !is_there;
  };
  parts_.options->run_swap ? parts_.options->run_swap(calls) : RunSideBySide(calls);
  deleted_ = answers.deleted();
  if (!deleted_.ok() && !WasNotPerformed(deleted_)) may_be_deleted_ = true;
  if (deleted_.ok()) gone_at_ = gone_at;
  if (deleted_.ok() && created_) {
    result_.gap_us = std::max<int64_t>(
        0, std::chrono::duration_cast<std::chrono::microseconds>(made_at - gone_at).count());
  }
  state_ = State::kLook;
  return absl::OkStatus();
}

absl::Status Passage::Look() {
  const bool is_answer = created_.has_value();
  if (!is_answer) {
    absl::StatusOr<PriorityClass> read =
        parts_.classes->ReadPriorityClass(intent_.class_name, Limits());
    if (absl::IsNotFound(read.status())) {
      state_ = State::kMake;
      return absl::OkStatus();
    }
    if (!read.ok()) return TryLater(read.status());
    created_ = *std::move(read);
  }
  const PriorityClass seen = *std::move(created_);
  created_.reset();
  result_.value = seen.value;
  if (seen.uid != intent_.uid) return JudgeOther(seen, is_answer);
  if (seen.is_deleted) {
    End(Outcome::kStuck, State::kDone,
        Printable(fmt::format("the class got finalizers ({}) and stays, marked as deleted; it is "
                              "created again once they are removed",
                              fmt::join(seen.finalizers, ", "))));
    result_.reason = "finalizers";
  } else if (seen.resource_version != intent_.resource_version) {
    // No DELETE that was sent fits it.
    End(Outcome::kDropped, State::kClose, "the class was edited meanwhile");
  } else {
    return JudgeIntact();
  }
  return absl::OkStatus();
}

// Whether a class has the value that is to be created, and the base.
bool Passage::IsWanted(const PriorityClass& seen) const {
  const std::string* base = seen.annotations.Find(kBaseValueAnnotation);
  if (seen.value != value_) return false;
  return value_ == intent_.base ? base == nullptr
                                : base != nullptr && *base == std::to_string(intent_.base);
}

// Whether a class is the replaced one but for the value.
bool Passage::IsCopy(const PriorityClass& seen) const {
  return seen.labels == replaced_.labels &&
         seen.annotations == AnnotationsAt(replaced_.annotations, intent_.base, value_) &&
         seen.owners == replaced_.owners && seen.description == replaced_.description &&
         seen.preemption_policy == replaced_.preemption_policy;
}

// Another class has the name: ours, or another writer's.
absl::Status Passage::JudgeOther(const PriorityClass& seen, bool is_answer) {
  const bool is_late = !is_answer && seen.managers == std::vector<std::string>{kFieldManager};
  if (is_late && !(IsWanted(seen) && IsCopy(seen))) return Renew(seen);
  if (!IsWanted(seen) && is_answer) {
    // The base is ours, or each replacement would lower it.
    End(Outcome::kRefused, State::kAccount,
        fmt::format(
            "admission changed the created class: it has the value {} instead of {}, or another "
            "annotation {}. Change that admission policy, or exclude the class by {}: ignore",
            seen.value, value_, kBaseValueAnnotation, kPenaltyAnnotation));
    result_.reason = "admission";
    result_.value = seen.value;
  } else if (!IsWanted(seen)) {
    const BaseValue base = BaseOf(seen);
    End(Outcome::kAdopted, State::kAccount,
        fmt::format("another writer created the class, with value {} and base {}{}{}", seen.value,
                    base.base, base.problem.empty() ? "" : "; ", base.problem));
    result_.base = base.base;
  } else if (refusal_.empty()) {
    End(Outcome::kReplaced, State::kAccount);
  } else {
    End(Outcome::kRefused, State::kAccount,
        fmt::format("the API server rejected value {}; the class is back at its base: {}",
                    intent_.target, refusal_));
    result_.reason = "admission";
  }
  return absl::OkStatus();
}

// A CREATE of an earlier replacement came late, into the gap: with a value or labels of that time.
// It is replaced in turn, by what the intent has.
absl::Status Passage::Renew(const PriorityClass& seen) {
  absl::Status later = TryLater(absl::AbortedError("late requests create the class again"));
  if (!later.ok()) return later;
  Intent renewed = intent_;
  renewed.uid = seen.uid;
  renewed.resource_version = seen.resource_version;
  absl::Status written = parts_.slots->Rewrite(slot_, renewed, term_);
  if (!written.ok()) return written;
  intent_ = renewed;
  may_be_deleted_ = false;
  state_ = State::kTry;
  return absl::OkStatus();
}

// The very class is still there, unchanged.
absl::Status Passage::JudgeIntact() {
  if (IsRefusal(deleted_) && !may_be_deleted_) return Refused(deleted_);
  if (absl::Status later = TryLater(deleted_); !later.ok()) return later;
  state_ = State::kTry;
  return absl::OkStatus();
}

// A class whose owners are all gone would be collected as garbage. What cannot be seen counts as
// there: then the collector decides.
bool Passage::OwnersAreGone() {
  if (replaced_.owners.empty()) return false;
  return std::all_of(replaced_.owners.begin(), replaced_.owners.end(),
                     [this](const OwnerReference& owner) {
                       const auto exists = parts_.classes->OwnerExists(owner, Limits());
                       return exists.ok() && !*exists;
                     });
}

absl::Status Passage::Make() {
  if (OwnersAreGone()) {
    End(Outcome::kAbsent, State::kAccount, "the class's owners are gone, and it with them");
    return absl::OkStatus();
  }
  absl::StatusOr<PriorityClass> made = parts_.classes->CreatePriorityClass(New(), Limits());
  if (made.ok() && gone_at_) {
    result_.gap_us = std::max<int64_t>(
        0, std::chrono::duration_cast<std::chrono::microseconds>(Now() - *gone_at_).count());
  }
  if (made.ok() || absl::IsAlreadyExists(made.status())) {
    if (made.ok()) created_ = *std::move(made);
    state_ = State::kLook;
    return absl::OkStatus();
  }
  if (IsRefusal(made.status()) && value_ != intent_.base) {
    refusal_ = ErrorText(made.status());
    value_ = intent_.base;
    return absl::OkStatus();
  }
  return TryLater(made.status());
}

absl::Status Passage::Account() {
  if (absl::Status written = (*parts_.account)(result_); !written.ok()) return written;
  state_ = State::kClose;
  return absl::OkStatus();
}

// What became of the class does not depend on whether the intent could be removed.
absl::Status Passage::Close() {
  result_.leftover = parts_.slots->Remove(slot_, term_);
  state_ = State::kDone;
  return absl::OkStatus();
}

}  // namespace outrigger::penalty
