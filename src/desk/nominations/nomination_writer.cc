#include "desk/nominations/nomination_writer.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace outrigger::desk {
namespace {

// Each write is a round trip, and pods sleep until theirs is through.
constexpr size_t kThreads = 16;
constexpr std::chrono::milliseconds kWriteTimeout{2000};
// A few seconds of writes. What is not queued is asked for again with the next plan.
constexpr size_t kMostQueued = 1024;

}  // namespace

NominationWriter::NominationWriter(ClusterWriter* cluster, Hooks hooks, SteadyNow now)
    : cluster_(cluster), hooks_(std::move(hooks)), now_(std::move(now)) {}

void NominationWriter::Start() {
  for (size_t i = 0; i < kThreads; ++i) {
    threads_.emplace_back([this](const std::stop_token& stop) { Run(stop); });
  }
}

void NominationWriter::Stop() {
  Drop();
  for (std::jthread& thread : threads_) thread.request_stop();
  threads_.clear();  // joins
}

bool NominationWriter::IsOpen(const std::string& uid) const {
  return under_way_.contains(uid) ||
         std::any_of(results_.begin(), results_.end(),
                     [&](const Result& result) { return result.nomination.pod->uid == uid; });
}

void NominationWriter::Offer(std::vector<Nomination> due) {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    std::erase_if(due, [&](const Nomination& nomination) { return IsOpen(nomination.pod->uid); });
    const auto end = due.begin() + static_cast<std::ptrdiff_t>(std::min(due.size(), kMostQueued));
    queue_.assign(std::make_move_iterator(due.begin()), std::make_move_iterator(end));
  }
  if (!threads_.empty()) return wake_.notify_all();
  while (const auto next = Next()) Write(*next, {});
}

void NominationWriter::Drop() {
  const std::lock_guard<std::mutex> lock(mutex_);
  queue_.clear();
}

NominationWriter::Content NominationWriter::Take() {
  const std::lock_guard<std::mutex> lock(mutex_);
  return {std::exchange(results_, {}), under_way_};
}

void NominationWriter::Run(const std::stop_token& stop) {
  while (true) {
    {
      std::unique_lock<std::mutex> lock(mutex_);
      if (!wake_.wait(lock, stop, [this] { return !queue_.empty(); })) return;
    }
    if (stop.stop_requested()) return;
    if (const auto next = Next()) Write(*next, stop);
  }
}

// The first of the queue, which is under way from now on; nothing: it is empty.
std::optional<Nomination> NominationWriter::Next() {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (queue_.empty()) return std::nullopt;
  Nomination next = std::move(queue_.front());
  queue_.pop_front();
  under_way_.insert(next.pod->uid);
  return next;
}

void NominationWriter::Write(const Nomination& nomination, const std::stop_token& stop) {
  const Pod& pod = *nomination.pod;
  if (hooks_.may_write && !hooks_.may_write().ok()) {
    const std::lock_guard<std::mutex> lock(mutex_);
    queue_.clear();
    under_way_.erase(pod.uid);
    return;
  }
  const Time began = now_();
  const bool withdraws = nomination.node.empty();
  const absl::Status status =
      cluster_->Nominate({pod.namespace_, pod.name, pod.uid}, nomination.node,
                         withdraws ? std::string_view(pod.resource_version) : std::string_view(),
                         {.timeout = kWriteTimeout, .stop = stop});
  if (hooks_.answered) hooks_.answered(nomination, status);
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    under_way_.erase(pod.uid);
    results_.push_back({nomination, status.ok(), began});
  }
  if (hooks_.changed) hooks_.changed();
}

}  // namespace outrigger::desk
