#include "gang/desk/nominations/stale_reasons.h"

#include <algorithm>
#include <chrono>
#include <string_view>
#include <utility>

#include "fmt/format.h"
#include "gang/desk/calls/admission.h"
#include "gang/desk/nominations/waits.h"
#include "gang/desk/reasons.h"
#include "sdk/base/backoff.h"

namespace outrigger::desk {
namespace {

constexpr std::chrono::seconds kStaleFor{1};
constexpr std::chrono::seconds kLongestPause{300};  // kube-scheduler tries each pod again by then

// `message` with `reason` in the place of what begins with `begin`, and ends with the pointer and a
// bracket, as `reason` does; empty: it has none.
std::string With(std::string_view message, std::string_view begin, std::string_view pointer,
                 std::string_view reason) {
  const size_t from = message.find(begin);
  const size_t to = from == message.npos ? from : message.find(pointer, from);
  if (to == message.npos) return {};
  const size_t end = std::min(to + pointer.size() + 1, message.size());
  return fmt::format("{}{}{}", message.substr(0, from), reason, message.substr(end));
}

std::string WithGang(std::string_view message, std::string_view reason) {
  constexpr std::string_view kWaits = " waits: ";
  const size_t gang = reason.find(kWaits);
  if (gang == reason.npos) return {};
  return With(message, reason.substr(0, gang + kWaits.size()), kPointer, reason);
}

}  // namespace

std::vector<ShownReason> StaleReasons::OnPlan(const Board& board, Time now) {
  ++round_;
  next_look_ = {};
  std::vector<ShownReason> due;
  const BoardUnit* unit = nullptr;
  std::string of_unit;  // members of one come one after the other
  board.ForEachPod([&](const BoardPod& seat) {
    const Pod& pod = *seat.pod;
    if (!seat.node.empty() || !pod.scheduling_gates.empty()) return;
    const std::string_view shown = pod.unscheduled_message;
    if (seat.unit == nullptr) {
      return Look(seat, seat.reason, WithGang(shown, seat.reason), now, &due);
    }
    if (!seat.unit->gang) {
      if (!board.MayHold(pod) || board.InFrontOf(seat.unit->rank) != nullptr) return;
      const std::string first = HeldText(board, &seat, seat.unit->rank);
      return Look(seat, first, With(shown, "waits for ", kQueuePointer, first), now, &due);
    }
    if (std::exchange(unit, seat.unit) != seat.unit) of_unit = RoomText(*seat.unit);
    Look(seat, of_unit, WithGang(shown, of_unit), now, &due);
  });
  absl::erase_if(entries_, [this](const auto& entry) { return entry.second.seen != round_; });
  return due;
}

void StaleReasons::Look(const BoardPod& seat, const std::string& reason, std::string message,
                        Time now, std::vector<ShownReason>* due) {
  const Pod& pod = *seat.pod;
  const auto known = entries_.find(pod.uid);
  if (known != entries_.end()) known->second.seen = round_;
  if (message.empty() || message == pod.unscheduled_message) return;
  Entry& entry = entries_[pod.uid];
  entry.seen = round_;
  if (entry.reason != reason) {
    entry.reason = reason;
    entry.due = std::max(entry.due, now + kStaleFor);
  }
  next_look_.Add(std::max(entry.due, now + kStaleFor));
  if (now >= entry.due) due->push_back({seat.pod, std::move(message)});
}

void StaleReasons::OnWritten(const std::string& uid, Time now) {
  const auto found = entries_.find(uid);
  if (found == entries_.end()) return;
  Entry& entry = found->second;
  entry.due =
      now + Backoff<std::chrono::milliseconds>::After(++entry.writes + 1, kStaleFor, kLongestPause);
}

}  // namespace outrigger::desk
