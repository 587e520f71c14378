#include "penalty/classes/ledger/sums.h"

#include <algorithm>
#include <string>
#include <tuple>

namespace outrigger::penalty {
namespace {

void DropOne(const Policy& policy, Millis now, Sums* sums) {
  // Those that come first in this order are dropped first.
  const auto order = [&policy, now](const auto& entry) {
    const double penalty = PenaltyAt(entry.second, policy, now);
    const bool is_nothing = penalty < 0.5;
    return std::tuple(!is_nothing, is_nothing ? 0 : penalty, entry.second.changed);
  };
  sums->erase(std::min_element(sums->begin(), sums->end(), [&order](const auto& a, const auto& b) {
    return order(a) < order(b);
  }));
}

}  // namespace

bool IsSumName(std::string_view name, size_t most) {
  return !name.empty() && name.size() <= most && std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
           c == '.' || c == '_';
  });
}

void CountInSum(EdgeKind edge, std::string_view name, const Added& added, const Policy& policy,
                Millis now, size_t most_name, Sums* sums) {
  if (!IsSumName(name, most_name)) return;
  auto found = sums->find(name);
  if (found == sums->end()) {
    if (sums->size() >= kMostSums) DropOne(policy, now, sums);
    found = sums->emplace(std::string(name), Account{.changed = now}).first;
  }
  Account* sum = &found->second;
  const double before = PenaltyAt(*sum, policy, now);
  const double amount =
      edge == EdgeKind::kTakenBack
          ? -PenaltyAt({.penalty = added.penalty, .changed = added.at}, policy, now)
          : added.penalty;
  sum->penalty = std::clamp(before + amount, 0.0, kMostPenalty);
  sum->changed = now;
  if (edge == EdgeKind::kStart) sum->starts = std::min(kMostCount, sum->starts + 1);
  if (edge == EdgeKind::kCompletion) sum->completions = std::min(kMostCount, sum->completions + 1);
  if (edge == EdgeKind::kTakenBack) sum->completions = std::max<int64_t>(0, sum->completions - 1);
}

}  // namespace outrigger::penalty
