#include "eviction/search_order.h"

#include <algorithm>
#include <set>
#include <string_view>

#include "eviction/whole_eviction.h"

namespace outrigger::gang {
namespace {

using std::chrono::seconds;

// Single pods of one controller ask for the same, but for those of a StatefulSet, which have
// volumes of their own. Empty: the unit is alone.
std::string_view AlikeOf(const plan::Unit& unit) {
  const Pod& pod = *unit.members[0].pod;
  if (unit.key.dialect != plan::Dialect::kNone || !pod.controller) return {};
  return pod.controller->kind == "StatefulSet" ? std::string_view() : pod.controller->uid;
}

}  // namespace

std::optional<size_t> SearchOrder::Choose(std::span<const plan::Unit> units,
                                          const std::function<bool(size_t)>& waits, Time now) {
  next_due_.reset();
  for (auto& [key, tried] : tried_) tried.seen = false;
  std::optional<size_t> first;
  std::optional<size_t> rare;          // the gang that was searched for least
  std::set<std::string_view> not_due;  // controllers
  for (size_t i = 0; i < units.size(); ++i) {
    const plan::Unit& unit = units[i];
    if (!waits(i)) continue;
    const std::string_view alike = AlikeOf(unit);
    if (!IsDue(unit.key, now)) {
      if (!alike.empty()) not_due.insert(alike);
      continue;
    }
    if (!alike.empty() && not_due.contains(alike)) continue;
    if (!first) first = i;
    if (unit.key.dialect == plan::Dialect::kNone) continue;
    if (!rare || WaitOf(unit.key) < WaitOf(units[*rare].key)) rare = i;
  }
  std::erase_if(tried_, [&](const auto& entry) {
    const Tried& tried = entry.second;
    return !tried.seen && (tried.pause.wait() == seconds(0) || tried.until <= now);
  });
  return rare && failed_ % 2 == 1 ? rare : first;
}

seconds SearchOrder::WaitOf(const plan::UnitKey& unit) const {
  const auto found = tried_.find(unit);
  return found == tried_.end() ? seconds(0) : found->second.wait.wait();
}

bool SearchOrder::IsDue(const plan::UnitKey& unit, Time now) {
  const auto found = tried_.find(unit);
  if (found == tried_.end()) return true;
  found->second.seen = true;
  if (found->second.until <= now) return true;
  next_due_ = std::min(next_due_.value_or(found->second.until), found->second.until);
  return false;
}

void SearchOrder::Fail(const plan::UnitKey& unit, Time now) {
  Tried& tried = tried_[unit];
  tried.until = now + tried.wait.Fail();
  ++failed_;
}

seconds SearchOrder::Expire(const plan::UnitKey& unit, Time now) {
  Tried& tried = tried_[unit];
  tried.wait = {kLongestWait, kLongestWait};
  tried.wait.Fail();
  tried.until = now + tried.pause.Fail();
  return tried.pause.wait();
}

std::chrono::seconds Refusals::Add(const std::string& pod, const absl::Status& answer, Time now) {
  Refused& refused = pods_[pod];
  const bool stands = AnswerOf(answer) == Answer::kRefused;
  refused.wait = std::clamp(2 * refused.wait, stands ? kFirstWait : kFirstShortWait,
                            stands ? kLongestWait : kFirstWait);
  refused.until = now + refused.wait;
  refused.answer = AnswerIn(answer);
  return refused.wait;
}

std::map<std::string, std::string, std::less<>> Refusals::Of(Time now) {
  // For so long it is remembered how often a pod was refused.
  std::erase_if(pods_, [&](const auto& pod) { return now >= pod.second.until + kLongestWait; });
  std::map<std::string, std::string, std::less<>> left_out;
  for (const auto& [uid, refused] : pods_) {
    if (now < refused.until) left_out.emplace(uid, refused.answer);
  }
  return left_out;
}

}  // namespace outrigger::gang
