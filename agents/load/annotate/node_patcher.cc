#include "load/annotate/node_patcher.h"

#include <algorithm>
#include <thread>
#include <utility>
#include <vector>

#include "fmt/format.h"
#include "kube/errors.h"
#include "sdk/base/backoff.h"

namespace outrigger::annotate {

void PatchQueue::Set(std::string_view node, NodeChange change) {
  auto found = entries_.find(node);
  if (found != entries_.end()) found->second.is_set_since = found->second.under_way;
  if (change.empty()) {
    if (found == entries_.end()) return;
    found->second.change.clear();
    return EraseIfIdle(found);
  }
  if (found == entries_.end()) {
    found = entries_.emplace(node, Entry{}).first;
    found->second.place = next_place_++;
  }
  found->second.change = std::move(change);
  order_.emplace(found->second.place, found->first);
}

void PatchQueue::EraseIfIdle(Entries::iterator entry) {
  if (!entry->second.change.empty()) return;
  order_.erase(entry->second.place);
  if (!entry->second.under_way) entries_.erase(entry);
}

std::optional<TakenPatch> PatchQueue::Take(TimePoint now) {
  for (const auto& [place, node] : order_) {
    Entry& entry = entries_.find(node)->second;
    if (entry.under_way || entry.not_before > now) continue;
    entry.under_way = true;
    entry.is_set_since = false;
    TakenPatch taken{node, std::move(entry.change), entry.failures};
    entry.change.clear();
    order_.erase(place);
    return taken;
  }
  return std::nullopt;
}

void PatchQueue::Done(const TakenPatch& taken) {
  const auto found = entries_.find(taken.node);
  if (found == entries_.end()) return;
  Entry& entry = found->second;
  entry.under_way = false;
  entry.failures = 0;
  entry.not_before = {};
  for (const auto& [key, text] : taken.change) {
    const auto newer = entry.change.find(key);
    if (newer != entry.change.end() && newer->second == text) entry.change.erase(newer);
  }
  EraseIfIdle(found);
}

void PatchQueue::Fail(const TakenPatch& taken, TimePoint not_before) {
  const auto found = entries_.find(taken.node);
  if (found == entries_.end()) return;
  if (!found->second.is_set_since) found->second.change = taken.change;
  Enter(found, not_before, taken.failures + 1);
}

void PatchQueue::Enter(Entries::iterator entry, TimePoint not_before, int failures) {
  Entry& entered = entry->second;
  entered.under_way = false;
  entered.failures = failures;
  entered.not_before = not_before;
  order_.erase(entered.place);
  entered.place = next_place_++;
  if (entered.change.empty()) {
    entries_.erase(entry);
  } else {
    order_.emplace(entered.place, entry->first);
  }
}

void PatchQueue::Drop(const TakenPatch& taken) {
  const auto found = entries_.find(taken.node);
  if (found == entries_.end()) return;
  if (!found->second.is_set_since) found->second.change.clear();
  Enter(found, {}, 0);
}

void PatchQueue::Retain(const std::function<bool(std::string_view node)>& is_there) {
  for (auto entry = entries_.begin(); entry != entries_.end();) {
    const auto next = std::next(entry);
    if (!is_there(entry->first)) {
      entry->second.change.clear();
      entry->second.is_set_since = entry->second.under_way;
      EraseIfIdle(entry);
    }
    entry = next;
  }
}

std::optional<PatchQueue::TimePoint> PatchQueue::NextTime() const {
  std::optional<TimePoint> first;
  for (const auto& [place, node] : order_) {
    const Entry& entry = entries_.find(node)->second;
    if (entry.under_way) continue;
    if (!first || entry.not_before < *first) first = entry.not_before;
    if (*first == TimePoint{}) break;
  }
  return first;
}

namespace {

using std::chrono::seconds;

// A burst is a tenth of what a second allows.
constexpr double kBurstsASecond = 10;
constexpr seconds kConflictWait{1};
constexpr seconds kForbiddenWait{30};
constexpr seconds kRefusedWait{300};
constexpr seconds kBrokenWait{30};  // of a webhook for one node
constexpr seconds kFirstOutageWait{1};
constexpr seconds kLongestOutageWait{30};
// Of a thread that has nothing to do; Set() wakes it.
constexpr seconds kLongestSleep{1};

std::string_view OutcomeOf(const absl::Status& error) {
  switch (error.code()) {
    case absl::StatusCode::kNotFound:
      return "gone";
    case absl::StatusCode::kAborted:
      return "conflict";
    case absl::StatusCode::kResourceExhausted:
      return "throttled";
    case absl::StatusCode::kPermissionDenied:
      return "forbidden";
    case absl::StatusCode::kInvalidArgument:
      return "refused";
    default:
      return "failed";
  }
}

}  // namespace

NodePatcher::NodePatcher(NodeWriter* writer, WrittenValues* written, Counters* counters,
                         PatcherOptions options)
    : writer_(*writer),
      written_(*written),
      counters_(*counters),
      options_(std::move(options)),
      limiter_(options_.qps, options_.qps / kBurstsASecond) {}

void NodePatcher::Set(std::string_view node, NodeChange change) {
  {
    const MutexLock lock(mutex_);
    queue_.Set(node, std::move(change));
    Publish();
  }
  changed_.notify_all();
}

void NodePatcher::Retain(const std::function<bool(std::string_view node)>& is_there) {
  {
    const MutexLock lock(mutex_);
    queue_.Retain(is_there);
    Publish();
  }
  changed_.notify_all();
}

Clock::Duration NodePatcher::RateWait() const {
  return std::chrono::ceil<Clock::Duration>(std::chrono::duration<double>(1 / options_.qps));
}

void NodePatcher::Publish() {
  counters_.Pending(queue_.size());
}

Clock::Duration NodePatcher::Step(const std::stop_token& stop) {
  TakenPatch taken;
  {
    const MutexLock lock(mutex_);
    const Clock::TimePoint now = options_.clock.now();
    if (now < paused_until_) return paused_until_ - now;
    const auto next = queue_.NextTime();
    if (!next) return kLongestSleep;
    if (*next > now) return *next - now;
    // Not taken before it may be sent: a newer value of the node may come until then.
    if (!limiter_.Reserve(now, Clock::Duration(0))) {
      return RateWait();
    }
    taken = *queue_.Take(now);
  }
  const auto version = writer_.Write(taken.node, taken.change, stop);
  if (version.ok()) Note(taken, *version);
  if (!absl::IsCancelled(version.status())) {
    counters_.Patch(version.ok() ? "patched" : OutcomeOf(version.status()));
  }
  std::string warning;
  {
    const MutexLock lock(mutex_);
    if (version.ok()) {
      outages_ = 0;
      refusals_ = 0;
      forbidden_.clear();
      queue_.Done(taken);
    } else {
      const bool is_one_nodes = IsOneNodes(version.status());
      warning = WarningOf(taken, version.status(), is_one_nodes);
      HandleError(taken, version.status(), is_one_nodes);
    }
    Publish();
  }
  changed_.notify_all();
  if (!warning.empty() && options_.warn) options_.warn(warning);
  return Clock::Duration(0);
}

void NodePatcher::Note(const TakenPatch& taken, const std::string& version) {
  written_.Note(taken.node, taken.change, version);
  const auto removed = std::count_if(taken.change.begin(), taken.change.end(),
                                     [](const auto& entry) { return !entry.second; });
  if (removed > 0) counters_.Removed(static_cast<size_t>(removed));
}

// A plugin or a webhook of the API server may refuse one node with 403, or break with 500, while
// the right is there and others can be patched.
bool NodePatcher::IsOneNodes(const absl::Status& error) const {
  if (absl::IsAborted(error) || absl::IsInvalidArgument(error)) return true;
  const bool may_be = absl::IsPermissionDenied(error) || absl::IsInternal(error);
  return may_be && refusals_ < kMostRefusals;
}

void NodePatcher::HandleError(const TakenPatch& taken, const absl::Status& error,
                              bool is_one_nodes) {
  if (absl::IsNotFound(error)) {
    written_.Forget(taken.node);
    return queue_.Drop(taken);
  }
  if (is_one_nodes && !absl::IsAborted(error)) refusals_ = std::min(refusals_ + 1, kMostRefusals);
  const Clock::Duration wait = WaitOf(error, is_one_nodes);
  // A further try of what was refused would come too late to wait for.
  const bool is_last = taken.failures + 1 >= options_.most_tries || wait >= kRefusedWait;
  if (options_.most_tries > 0 && is_last) {
    ++given_up_;
    queue_.Drop(taken);
  } else {
    queue_.Fail(taken, options_.clock.now() + wait);
  }
  if (is_one_nodes || absl::IsCancelled(error)) return;
  PauseAll(wait);
  if (options_.most_tries > 0) NoteHopeless(error);
}

void NodePatcher::NoteHopeless(const absl::Status& error) {
  if (absl::IsPermissionDenied(error)) {
    hopeless_ = absl::PermissionDeniedError(forbidden_);
  } else if (outages_ >= options_.most_tries && !absl::IsResourceExhausted(error)) {
    hopeless_ = absl::UnavailableError(
        fmt::format("cannot write annotations of nodes: {}", std::string(error.message())));
  }
}

void NodePatcher::PauseAll(Clock::Duration time) {
  paused_until_ = std::max(paused_until_, options_.clock.now() + time);
}

Clock::Duration NodePatcher::WaitOf(const absl::Status& error, bool is_one_nodes) {
  if (absl::IsCancelled(error)) return Clock::Duration(0);
  if (absl::IsAborted(error)) return kConflictWait;
  if (is_one_nodes) return absl::IsInternal(error) ? kBrokenWait : kRefusedWait;
  if (absl::IsPermissionDenied(error)) return kForbiddenWait;
  const auto api_error = kube::ApiErrorOf(error);
  if (api_error && api_error->retry_after) {
    return std::max<Clock::Duration>(*api_error->retry_after, seconds(1));
  }
  // Eight workers that fail at once are one outage.
  if (options_.clock.now() >= paused_until_) ++outages_;
  return Backoff<seconds>::After(std::max(outages_, 1), kFirstOutageWait, kLongestOutageWait);
}

std::string NodePatcher::WarningOf(const TakenPatch& taken, const absl::Status& error,
                                   bool is_one_nodes) {
  const std::string message(error.message());
  if (is_one_nodes) {
    if (absl::IsAborted(error)) return "";
    std::string warning =
        fmt::format("the annotations of node {} are rejected: {}", taken.node, message);
    if (warning == refused_) return "";
    refused_ = std::move(warning);
    return refused_;
  }
  if (absl::IsPermissionDenied(error)) {
    if (!forbidden_.empty()) return "";
    forbidden_ = fmt::format(
        "no permission to write annotations (patch nodes); docs/annotators.md lists the rights: {}",
        message);
    return forbidden_;
  }
  const bool is_outage =
      !absl::IsNotFound(error) && !absl::IsCancelled(error) && !absl::IsResourceExhausted(error);
  if (!is_outage || outages_ > 0) return "";
  return fmt::format("cannot write annotations of nodes, trying again: {}", message);
}

void NodePatcher::Work(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    const Clock::Duration wait = std::min<Clock::Duration>(Step(stop), kLongestSleep);
    if (wait <= Clock::Duration(0)) continue;
    MutexLock lock(mutex_);
    changed_.wait_for(lock, stop, wait, [&]() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
      // A wait for the rate is short, and nothing new ends it.
      if (wait <= RateWait()) return false;
      const auto next = queue_.NextTime();
      const auto now = options_.clock.now();
      return next && *next <= now && now >= paused_until_;
    });
  }
}

void NodePatcher::Run(const std::stop_token& stop) {
  std::vector<std::jthread> workers;
  for (size_t i = 0; i < std::max<size_t>(1, options_.workers); ++i) {
    workers.emplace_back([this, &stop] { Work(stop); });
  }
}

size_t NodePatcher::Pending() const {
  const MutexLock lock(mutex_);
  return queue_.size();
}

absl::Status NodePatcher::AwaitIdle(const std::stop_token& stop) {
  MutexLock lock(mutex_);
  changed_.wait(lock, stop, [this]() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    return queue_.size() == 0 || !hopeless_.ok();
  });
  return hopeless_;
}

std::string NodePatcher::Forbidden() const {
  const MutexLock lock(mutex_);
  return forbidden_;
}

}  // namespace outrigger::annotate
