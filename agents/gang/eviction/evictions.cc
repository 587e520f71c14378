#include "eviction/evictions.h"
#include "outrigger/base/parallel.h"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <thread>

namespace outrigger::gang {
namespace {

constexpr std::chrono::seconds kTimeout{5};
constexpr size_t kCallsAtOnce = 8;

}  // namespace

bool MayBeEvicted(const absl::Status& status) {
  switch (status.code()) {
    case absl::StatusCode::kOk:
    case absl::StatusCode::kUnavailable:
    case absl::StatusCode::kDeadlineExceeded:
    case absl::StatusCode::kCancelled:
    case absl::StatusCode::kInternal:
    case absl::StatusCode::kUnknown:
      return true;
    default:
      return false;
  }
}

void EvictAll(ClusterWriter* cluster, EvictionReports* reports, std::vector<PodPtr>* left,
              const std::stop_token& stop, const EvictionHooks& hooks) {
  std::vector<char> done(left->size(), 0);
  ParallelFor(left->size(), kCallsAtOnce, [&](size_t i) {
    if (stop.stop_requested()) return;
    const Pod& pod = *(*left)[i];
    if (hooks.wanted && !hooks.wanted(pod)) return;
    auto permit = desk::AskToWrite(hooks.may_write, {.timeout = kTimeout, .stop = stop});
    if (!permit.ok()) return;
    const absl::Status status = cluster->Evict({pod.namespace_, pod.name, pod.uid}, permit->limits);
    permit->under_way.reset();
    if (stop.stop_requested() && absl::IsCancelled(status)) return;
    reports->OnEviction(pod, status);
    if (hooks.answered) hooks.answered(pod, status);
    done[i] = status.ok() || absl::IsNotFound(status) || absl::IsAborted(status) ? 1 : 0;
  });
  size_t at = 0;
  std::erase_if(*left, [&](const PodPtr&) { return done[at++] != 0; });
}

}  // namespace outrigger::gang
