#include "calls/commit.h"

#include <algorithm>
#include <string>
#include <utility>

#include "common/desk_names.h"
#include "fmt/format.h"
#include "gang/plan/group.h"
#include "outrigger/base/clock.h"
#include "outrigger/base/mutex.h"

namespace outrigger::gang {
namespace {

constexpr std::chrono::seconds kReadTimeout{5};
// Of one try of many: before each it is seen whether this process is in charge.
constexpr std::chrono::milliseconds kOneTry{10'000};
constexpr const char* kGivenUp =
    "given up: the caller disconnected, or this process is no longer in charge";

// An API server that is not there, or has too much to do; or the try was cut short.
bool MayPass(const absl::Status& error) {
  return absl::IsUnavailable(error) || absl::IsResourceExhausted(error) ||
         absl::IsInternal(error) || absl::IsDeadlineExceeded(error) || absl::IsCancelled(error);
}

}  // namespace

std::unique_ptr<BindSlots::Slot> BindSlots::Take(const std::stop_token& stop) {
  MutexLock lock(mutex_);
  if (stop.stop_requested()) return nullptr;
  if (free_ > 0) {
    --free_;
    return std::make_unique<Slot>(this);
  }
  const auto own = waiting_.emplace(waiting_.end());
  const bool has_turn = own->wake.wait(lock, stop, [&] { return own->has_turn; });
  waiting_.erase(own);
  return has_turn ? std::make_unique<Slot>(this) : nullptr;
}

size_t BindSlots::waiting() const {
  const MutexLock lock(mutex_);
  return waiting_.size();
}

// It goes to the first that has none yet, which leaves the list by itself.
void BindSlots::GiveBack() {
  const MutexLock lock(mutex_);
  for (Waiter& waiter : waiting_) {
    if (waiter.has_turn) continue;
    waiter.has_turn = true;
    waiter.wake.notify_one();
    return;
  }
  ++free_;
}

absl::Status Committer::Commit(const BindRequest& request, std::chrono::milliseconds pause) {
  return Try(request, {}, request.abandoned, pause);
}

absl::Status Committer::CommitMember(const BindRequest& request, int64_t started_with,
                                     std::chrono::milliseconds pause) {
  StringMap annotations;
  annotations.Set(plan::kStartedWith, std::to_string(started_with));
  return Try(request, annotations, {}, pause);
}

absl::Status Committer::Try(const BindRequest& request, const StringMap& annotations,
                            const std::stop_token& caller, std::chrono::milliseconds pause) {
  using Clock = std::chrono::steady_clock;
  const PodId pod{request.pod_namespace, request.pod_name, request.pod_uid};
  const Clock::time_point deadline = Clock::now() + patience_;
  std::stop_source over;
  const auto end = [&over] { over.request_stop(); };
  const std::stop_callback by_caller(caller, end);
  const std::stop_callback by_term(Term(), end);
  const auto ask = [&] {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now());
    return desk::AskToWrite(may_write_,
                            {.timeout = std::min(kOneTry, left), .stop = over.get_token()});
  };
  absl::Status may = ask().status();
  if (!may.ok()) return may;
  // Also while it waits for its turn. Not known, or elsewhere already: the API server has the last
  // word.
  (void)cluster_->Assume(pod, request.node);
  for (bool was_sent = false;; was_sent = true) {
    auto slot = slots_.Take(over.get_token());
    const auto permit = ask();
    if (slot == nullptr || !permit.ok()) {
      if (!was_sent) cluster_->Forget(pod);
      return permit.ok() ? absl::UnavailableError(kGivenUp) : permit.status();
    }
    absl::Status bound = cluster_->Bind(pod, request.node, annotations, permit->limits);
    slot.reset();
    if (bound.ok()) return bound;
    if (MayPass(bound) && Clock::now() + pause < deadline) {
      if (SleepFor(pause, over.get_token())) continue;
    }
    // After an error that may pass it is not known whether the pod is bound: until its watch says
    // so, or for a while, its place is not given to others.
    if (!MayPass(bound)) cluster_->Forget(pod);
    return bound;
  }
}

std::stop_token Committer::Term() {
  const MutexLock lock(mutex_);
  return term_->get_token();
}

// What stops is called without the lock.
void Committer::End(bool for_good) {
  std::shared_ptr<std::stop_source> ended;
  {
    const MutexLock lock(mutex_);
    ended = term_;
    if (!for_good && !ended->stop_requested()) term_ = std::make_shared<std::stop_source>();
  }
  ended->request_stop();
}

absl::StatusOr<Pod> Committer::ReadSingle(const Board& board, const BindRequest& request) {
  auto pod = cluster_->Read(request.pod_namespace, request.pod_name,
                            {.timeout = kReadTimeout, .stop = request.abandoned});
  if (!pod.ok()) return pod.status();
  if (pod->uid != request.pod_uid) {
    return absl::AbortedError(fmt::format("pod {}/{} was replaced by a new pod",
                                          request.pod_namespace, request.pod_name));
  }
  const auto membership = plan::MembershipOf(*pod, nullptr);
  if (!membership || board.MembersAreSingle(*membership)) return pod;
  return absl::AbortedError(WaitingText(
      {membership->dialect, std::string(membership->namespace_), std::string(membership->name), ""},
      "members"));
}

absl::Status CheckCommitting(const Board& board, const Barriers& barriers, const Pod& pod,
                             std::string_view node) {
  const ReservedNode* reserved = board.ReservationsOn(node);
  if (reserved == nullptr) return absl::OkStatus();
  ResourceList free = reserved->free;
  const plan::UnitKey* holder = nullptr;
  for (const Reservation& reservation : reserved->reservations) {
    const plan::UnitKey& gang = board.units()[reservation.unit].key;
    if (!barriers.IsCommitting(gang)) continue;
    free.Subtract(reservation.requests);
    holder = &gang;
  }
  if (holder == nullptr || free.Covers(board.RequestsOf(pod))) return absl::OkStatus();
  return absl::AbortedError(
      fmt::format("gang {} is being bound to {} ({})", TextOf(*holder), node, kPointer));
}

}  // namespace outrigger::gang
