#include "gang/desk/nominations/pod_refusals.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "gang/desk/board/same_pod.h"
#include "gang/desk/nominations/waits.h"
#include "gang/plan/room.h"
#include "sdk/base/backoff.h"

namespace outrigger::desk {
namespace {

constexpr std::chrono::seconds kFirstRefused{30};
constexpr std::chrono::seconds kLongestRefused{600};

}  // namespace

uint64_t StampOf(const ClusterSnapshot& snapshot, const std::string& node) {
  const auto room = plan::RoomOn(snapshot, node);
  return room ? room->stamp : 0;
}

bool PodRefusals::Add(Refusal refusal, Time now) {
  const auto known = std::find_if(entries_.begin(), entries_.end(), [&](const Entry& entry) {
    return entry.refusal.node == refusal.node;
  });
  int64_t times = 1;
  if (known != entries_.end()) {
    const bool same =
        known->refusal.stamp == refusal.stamp && AskTheSame(known->refusal.pod, refusal.pod);
    if (same && now < known->until) return false;
    if (same) times = known->times + 1;
    entries_.erase(known);
  }
  auto holds = Backoff<std::chrono::seconds>::After(times, kFirstRefused, kLongestRefused);
  // Of many nodes, which are tried one a minute in the end, the first is not tried again before the
  // last one was tried at all.
  const auto nodes = static_cast<int64_t>(entries_.size()) + 1;
  if (nodes >= kRefusalsAtOnce) holds = std::max(holds, 2 * nodes * kLongestRest);
  entries_.push_back({std::move(refusal), times, now + holds, /*over=*/false});
  return true;
}

std::vector<std::string> PodRefusals::TakeChanged(const ClusterSnapshot& snapshot,
                                                  const PodPtr& pod) {
  std::vector<std::string> nodes;
  std::erase_if(entries_, [&](const Entry& entry) {
    const Refusal& refusal = entry.refusal;
    const bool changed = StampOf(snapshot, refusal.node) != refusal.stamp ||
                         (refusal.pod != nullptr && !AskTheSame(refusal.pod, pod));
    if (changed && !entry.over) nodes.push_back(refusal.node);
    return changed;
  });
  return nodes;
}

int64_t PodRefusals::ForgetSilent() {
  return static_cast<int64_t>(
      std::erase_if(entries_, [](const Entry& entry) { return entry.refusal.silent; }));
}

bool PodRefusals::Clear() {
  return !std::exchange(entries_, {}).empty();
}

std::vector<std::string> PodRefusals::Nodes(Time now) const {
  std::vector<std::string> nodes;
  for (const Entry& entry : entries_) {
    if (now < entry.until) nodes.push_back(entry.refusal.node);
  }
  return nodes;
}

std::vector<std::string> PodRefusals::TakeOver(Time now) {
  std::vector<std::string> nodes;
  for (Entry& entry : entries_) {
    if (now >= entry.until && !std::exchange(entry.over, true)) nodes.push_back(entry.refusal.node);
  }
  return nodes;
}

std::optional<Time> PodRefusals::FirstEnd(Time now) const {
  std::optional<Time> first;
  for (const Entry& entry : entries_) {
    if (now < entry.until && (!first || entry.until < *first)) first = entry.until;
  }
  return first;
}

bool PodRefusals::AwaitsAsk(Time now) const {
  return std::any_of(entries_.begin(), entries_.end(),
                     [&](const Entry& entry) { return entry.refusal.silent && now < entry.until; });
}

}  // namespace outrigger::desk
