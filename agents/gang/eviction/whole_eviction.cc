#include "eviction/whole_eviction.h"

#include <algorithm>
#include <cstddef>
#include <set>
#include <string_view>

#include "outrigger/base/parallel.h"

namespace outrigger::gang {
namespace {

constexpr std::chrono::seconds kTimeout{5};
constexpr size_t kCallsAtOnce = 8;
constexpr char kTwoBudgets[] = "more than one PodDisruptionBudget";

}  // namespace

Answer AnswerOf(const absl::Status& status) {
  if (status.ok()) return Answer::kEvicted;
  if (absl::IsResourceExhausted(status)) return Answer::kBudget;
  // Webhooks and policies answer with any code.
  const auto says = [&](const char* text) {
    return status.message().find(text) != std::string::npos;
  };
  if (says("denied the request") || says("denied request") || says(kTwoBudgets)) {
    return Answer::kRefused;
  }
  if (says("failed calling webhook")) return Answer::kFails;
  switch (status.code()) {
    case absl::StatusCode::kNotFound:
    case absl::StatusCode::kAborted:
      return Answer::kGone;
    case absl::StatusCode::kUnauthenticated:
      return Answer::kFails;
    case absl::StatusCode::kUnavailable:
    case absl::StatusCode::kDeadlineExceeded:
    case absl::StatusCode::kCancelled:
    case absl::StatusCode::kInternal:
    case absl::StatusCode::kUnknown:
      return Answer::kLost;
    default:
      return Answer::kRefused;
  }
}

std::string AnswerIn(const absl::Status& status) {
  const std::string text(status.message());
  const size_t answer = text.find("the API server answered");
  return answer == std::string::npos ? text : text.substr(answer);
}

void WholeEviction::Ask(const plan::UnitKey& unit, std::vector<PodPtr> pods) {
  const MutexLock lock(mutex_);
  due_[unit] = std::move(pods);
  wake_.notify_one();
}

bool WholeEviction::AwaitDue(const std::stop_token& stop) {
  MutexLock lock(mutex_);
  return wake_.wait(lock, stop,
                    [this]() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) { return !due_.empty(); });
}

std::vector<plan::Victim> WholeEviction::BeginDue() {
  std::vector<plan::Victim> units;
  // Under one lock: who is spared meanwhile is found among those that are due, or in the round.
  const MutexLock lock(mutex_);
  for (auto& [unit, pods] : due_) units.push_back({.key = unit, .pods = std::move(pods)});
  due_.clear();
  BeginLocked(units);
  return units;
}

void WholeEviction::Begin(const std::vector<plan::Victim>& units) {
  const MutexLock lock(mutex_);
  BeginLocked(units);
}

void WholeEviction::BeginLocked(const std::vector<plan::Victim>& units) {
  round_.clear();
  for (const plan::Victim& unit : units) {
    round_[unit.key] = {.pods = unit.pods};
    AddToBegun(unit.key, unit.pods);
  }
}

void WholeEviction::Evict(std::vector<plan::Victim>* left, const std::stop_token& stop,
                          const Answered& answered) {
  struct Try {
    const plan::UnitKey& unit;
    PodPtr pod;
    bool done = false;
  };
  std::vector<Try> tries;
  for (const plan::Victim& unit : *left) {
    for (const PodPtr& pod : unit.pods) tries.push_back({unit.key, pod});
  }
  ParallelFor(tries.size(), kCallsAtOnce, [&](size_t i) {
    tries[i].done = EvictOne(tries[i].unit, *tries[i].pod, stop, answered);
  });
  size_t at = 0;
  for (plan::Victim& unit : *left) {
    std::erase_if(unit.pods, [&](const PodPtr&) { return tries[at++].done; });
  }
  std::erase_if(*left, [](const plan::Victim& unit) { return unit.pods.empty(); });
}

bool WholeEviction::EvictOne(const plan::UnitKey& unit, const Pod& pod, const std::stop_token& stop,
                             const Answered& answered) {
  if (stop.stop_requested() || !IsWanted(unit)) return false;
  auto permit = desk::AskToWrite(may_write_, {.timeout = kTimeout, .stop = stop});
  if (!permit.ok()) return false;
  const absl::Status status = cluster_->Evict({pod.namespace_, pod.name, pod.uid}, permit->limits);
  permit->under_way.reset();
  if (stop.stop_requested() && absl::IsCancelled(status)) return false;
  reports_->OnEviction(pod, status);
  Count(unit, status);
  if (answered) answered(unit, pod, status);
  return AnswerOf(status) <= Answer::kGone;
}

void WholeEviction::Count(const plan::UnitKey& unit, const absl::Status& status) {
  if (!MayBeEvicted(AnswerOf(status))) return;
  // A single pod of which that is not known is no gang that is cut.
  if (!status.ok() && unit.dialect == plan::Dialect::kNone) return;
  const MutexLock lock(mutex_);
  const auto [begun, is_new] = begun_.try_emplace(unit);
  if (is_new) {
    AddToBegun(unit, round_[unit].pods);
    const auto again = due_.find(unit);  // this took its time
    if (again != due_.end()) AddToBegun(unit, again->second);
  }
  (status.ok() ? begun->second.certain : begun->second.unsettled) = true;
}

// Members that were bound before one was evicted are of the rest, too.
void WholeEviction::AddToBegun(const plan::UnitKey& unit, const std::vector<PodPtr>& pods) {
  const auto begun = begun_.find(unit);
  if (begun == begun_.end()) return;
  std::set<std::string_view> known;
  for (const PodPtr& pod : begun->second.rest) known.insert(pod->uid);
  for (const PodPtr& pod : pods) {
    if (!known.contains(pod->uid)) begun->second.rest.push_back(pod);
  }
}

bool WholeEviction::IsWanted(const plan::UnitKey& unit) const {
  const MutexLock lock(mutex_);
  const auto asked = round_.find(unit);
  return (asked != round_.end() && asked->second.wanted) || begun_.contains(unit);
}

void WholeEviction::Spare(absl::FunctionRef<bool(const plan::UnitKey& unit)> which) {
  const MutexLock lock(mutex_);
  std::erase_if(due_, [&](const auto& entry) { return which(entry.first); });
  for (auto& [unit, asked] : round_) asked.wanted = asked.wanted && !which(unit);
}

void WholeEviction::Drop(const plan::UnitKey& unit) {
  const MutexLock lock(mutex_);
  DropLocked(unit);
}

void WholeEviction::DropLocked(const plan::UnitKey& unit) {
  begun_.erase(unit);
  due_.erase(unit);
  if (const auto asked = round_.find(unit); asked != round_.end()) asked->second.wanted = false;
}

void WholeEviction::Clear() {
  const MutexLock lock(mutex_);
  due_.clear();
  begun_.clear();
  for (auto& [unit, asked] : round_) asked.wanted = false;
}

bool WholeEviction::HasBegun(const plan::UnitKey& unit) const {
  const MutexLock lock(mutex_);
  return begun_.contains(unit);
}

std::vector<std::pair<plan::UnitKey, bool>> WholeEviction::TakeBegun() {
  const MutexLock lock(mutex_);
  std::vector<std::pair<plan::UnitKey, bool>> units;
  for (auto& [unit, begun] : begun_) {
    units.emplace_back(unit, std::exchange(begun.unsettled, false));
  }
  return units;
}

std::optional<std::vector<PodPtr>> WholeEviction::RestOf(
    const plan::UnitKey& unit, std::span<const BoundMember> bound,
    absl::FunctionRef<bool(bool certain)> goes_on) {
  const MutexLock lock(mutex_);
  const auto at = begun_.find(unit);
  if (at == begun_.end()) return std::nullopt;
  Begun& begun = at->second;
  const size_t gone = std::erase_if(begun.rest, [&](const PodPtr& pod) {
    return std::none_of(bound.begin(), bound.end(),
                        [&](const BoundMember& member) { return member.uid == pod->uid; });
  });
  begun.certain |= gone > 0;
  if (!begun.certain) {
    begun.rest.clear();
    for (const BoundMember& member : bound) begun.rest.push_back(member.pod);
  }
  if (!goes_on(begun.certain)) {
    DropLocked(unit);
    return std::nullopt;
  }
  std::vector<PodPtr> rest = begun.rest;
  if (rest.empty()) begun_.erase(at);
  return rest;
}

}  // namespace outrigger::gang
