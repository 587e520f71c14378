#include "calls/commit.h"

#include <condition_variable>
#include <mutex>
#include <string>

#include "common/desk_names.h"
#include "fmt/format.h"
#include "outrigger/plan/group.h"

namespace outrigger::gang {
namespace {

constexpr std::chrono::seconds kReadTimeout{5};

// An API server that is not there, or has too much to do.
bool MayPass(const absl::Status& error) {
  return absl::IsUnavailable(error) || absl::IsResourceExhausted(error) ||
         absl::IsInternal(error) || absl::IsDeadlineExceeded(error);
}

}  // namespace

absl::Status Committer::Commit(const BindRequest& request) {
  const PodId pod{request.pod_namespace, request.pod_name, request.pod_uid};
  // Not known, or elsewhere already: the API server has the last word.
  (void)cluster_->Assume(pod, request.node);
  absl::Status bound = cluster_->Bind(pod, request.node, {}, {.timeout = patience_});
  if (!bound.ok()) GiveUp(pod, bound);
  return bound;
}

// After an error that may pass nobody knows whether the pod is bound: until its watch says so, or
// for a while, its place is not given to others.
void Committer::GiveUp(const PodId& pod, const absl::Status& error) {
  if (!MayPass(error)) cluster_->Forget(pod);
}

absl::Status Committer::CommitMember(const BindRequest& request, int64_t started_with,
                                     std::chrono::milliseconds pause) {
  using Clock = std::chrono::steady_clock;
  const PodId pod{request.pod_namespace, request.pod_name, request.pod_uid};
  StringMap annotations;
  annotations.Set(plan::kStartedWith, std::to_string(started_with));
  const Clock::time_point deadline = Clock::now() + patience_;
  std::mutex mutex;
  std::condition_variable_any never;
  std::unique_lock<std::mutex> lock(mutex);
  while (true) {
    (void)cluster_->Assume(pod, request.node);
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now());
    // The call itself tries for some time.
    absl::Status bound = cluster_->Bind(pod, request.node, annotations, {.timeout = left});
    if (bound.ok()) return bound;
    if (MayPass(bound) && Clock::now() + pause < deadline) {
      never.wait_for(lock, stop_.get_token(), pause, [] { return false; });
      if (!stop_.stop_requested()) continue;
    }
    GiveUp(pod, bound);
    return bound;
  }
}

absl::StatusOr<Pod> Committer::ReadSingle(const Board& board, const BindRequest& request) {
  auto pod = cluster_->Read(request.pod_namespace, request.pod_name,
                            {.timeout = kReadTimeout, .stop = request.abandoned});
  if (!pod.ok()) return pod.status();
  if (pod->uid != request.pod_uid) {
    return absl::AbortedError(
        fmt::format("pod {}/{} is another one now", request.pod_namespace, request.pod_name));
  }
  const auto membership = plan::MembershipOf(*pod, nullptr);
  if (!membership || board.IsLeftToScheduler(*membership)) return pod;
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
