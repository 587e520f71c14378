#pragma once

#include <compare>
#include <tuple>

namespace outrigger::plan {

/// The order of Rank, for it and for what has the same fields as views.
template <typename Ranked>
std::strong_ordering CompareRanks(const Ranked& a, const Ranked& b) {
  // What is descending stands on the other side.
  return std::tie(b.broken, b.group_priority, b.priority, a.turn, b.qos, a.created, a.namespace_,
                  a.name, a.uid) <=> std::tie(a.broken, a.group_priority, a.priority, b.turn, a.qos,
                                              b.created, b.namespace_, b.name, b.uid);
}

}  // namespace outrigger::plan
