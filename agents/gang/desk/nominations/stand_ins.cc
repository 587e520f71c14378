#include "gang/desk/nominations/stand_ins.h"

#include <algorithm>
#include <string>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "gang/desk/options.h"

namespace outrigger::desk {

bool StandIns::AreEnoughFor(const BoardUnit& unit) {
  if (!samples_ || nodes_ <= NominationOptions::kAllOffered) return true;
  if (!unit.takes_equal) return false;
  const size_t free = nodes_ - std::min(nodes_, board_->reserved_nodes());
  if (IsOneInFive(free)) return true;
  if (!std::exchange(is_found_, true)) Find();
  const auto found = kinds_of_.find(&unit);
  if (found == kinds_of_.end() || (found->second & (uint64_t{1} << kMost)) != 0) return false;
  for (size_t kind = 0; kind < kinds_.size(); ++kind) {
    const bool asks = (found->second & (uint64_t{1} << kind)) != 0;
    if (asks && !IsOneInFive(free + kinds_[kind].nodes)) return false;
  }
  return true;
}

void StandIns::Find() {
  absl::flat_hash_set<std::pair<size_t, std::string>> counted;
  board_->ForEachPod([&](const BoardPod& seat) {
    if (seat.unit == nullptr || !seat.unit->gang || seat.node.empty()) return;
    const size_t kind = KindOf(RequestsOf(*seat.pod));
    kinds_of_[seat.unit] |= uint64_t{1} << kind;
    if (kind == kMost || !seat.unit->takes_equal) return;
    if (counted.emplace(kind, seat.node).second) ++kinds_[kind].nodes;
  });
}

size_t StandIns::KindOf(const ResourceList& requests) {
  const auto same = std::find_if(kinds_.begin(), kinds_.end(),
                                 [&](const Alike& kind) { return kind.requests == requests; });
  const auto at = static_cast<size_t>(same - kinds_.begin());
  if (same == kinds_.end() && at < kMost) kinds_.push_back({requests});
  return at;
}

}  // namespace outrigger::desk
