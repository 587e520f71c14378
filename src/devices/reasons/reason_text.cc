#include "devices/reasons/reason_text.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <set>
#include <string_view>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "fmt/format.h"

namespace outrigger::devices {
namespace {

// More claims that use devices are counted, not named.
constexpr size_t kMostNamed = 3;

std::string Plural(int64_t count, std::string_view one) {
  return count == 1 ? fmt::format("1 {}", one) : fmt::format("{} {}s", count, one);
}

std::string Notes(const std::vector<std::string>& notes) {
  return notes.empty() ? "" : absl::StrCat(" (", absl::StrJoin(notes, ", "), ")");
}

bool HasMatch(const Constraint& constraint) {
  return !constraint.distinct;
}

}  // namespace

std::string ReasonText::Of(const Short& one) const {
  const Slot& slot = demand_.slots[one.slot];
  const Alternative& alternative = slot.alternatives.front();
  std::string text = absl::StrCat("claim ", demand_.claims[static_cast<size_t>(slot.claim)],
                                  slot.name.empty() ? "" : ", request ", slot.name, ": ",
                                  Wanted(slot), " wanted, ");
  const BestGroup best = FindBestGroup(demand_, ground_, alternative);
  absl::StrAppend(&text, best.places.empty() ? NoMatch(alternative) : Free(alternative, one, best));
  return text;
}

std::string ReasonText::Wanted(const Slot& slot) const {
  const Alternative& first = slot.alternatives.front();
  std::string text =
      first.all ? absl::StrCat("every ", first.what) : absl::StrCat(first.least, " ", first.what);
  std::vector<std::string> amounts;
  for (const Wish& wish : first.wishes) {
    amounts.push_back(
        absl::StrCat(ToQuantity(wish.amount, wish.format).ToString(), " ", wish.resource));
  }
  if (!amounts.empty()) absl::StrAppend(&text, " with ", absl::StrJoin(amounts, ", "));
  absl::StrAppend(&text, Groups(first));
  if (slot.alternatives.size() > 1) {
    absl::StrAppend(
        &text, " or ",
        Plural(static_cast<int64_t>(slot.alternatives.size()) - 1, "other alternative"));
  }
  return text;
}

std::string ReasonText::Groups(const Alternative& alternative) const {
  std::set<std::string> parts;
  for (const int32_t id : alternative.constraints) {
    const Constraint& constraint = demand_.constraints[static_cast<size_t>(id)];
    parts.insert(
        absl::StrCat(constraint.distinct ? "different " : "one ", constraint.values->attribute));
  }
  return parts.empty() ? "" : absl::StrCat(" on ", absl::StrJoin(parts, " and "));
}

std::string ReasonText::Free(const Alternative& alternative, const Short& one,
                             const BestGroup& best) const {
  std::vector<std::string> notes;
  const int64_t had = std::max<int64_t>(alternative.least - one.missing, 0);
  std::string text = AmountLeft(alternative, best);
  if (text.empty()) {
    const bool is_group = std::any_of(
        alternative.constraints.begin(), alternative.constraints.end(),
        [&](int32_t id) { return HasMatch(demand_.constraints[static_cast<size_t>(id)]); });
    text = fmt::format("{}{} {}", is_group ? "best has " : "", had,
                       one.by_others ? "left by the other requests of the pod" : "free");
  }
  AddUses(best, &notes);
  AddCounters(best, &notes);
  return text + Notes(notes);
}

// Of the first amount that no device can give; empty if there is none.
std::string ReasonText::AmountLeft(const Alternative& alternative, const BestGroup& best) const {
  for (const Wish& wish : alternative.wishes) {
    Amount most = -1;
    for (const size_t place : best.places) {
      for (const Store& store : ground_.ResourcesOf(ground_.places()[place])) {
        if (store.name == wish.resource) most = std::max(most, ground_.LeftOf(store));
      }
    }
    if (most < 0) return absl::StrCat("no device has ", wish.resource);
    if (most >= wish.amount) continue;
    return absl::StrCat("best has ", ToQuantity(most, wish.format).ToString(), " left");
  }
  return "";
}

std::map<std::string, int64_t> ReasonText::UsesIn(const BestGroup& best) const {
  std::map<std::string, int64_t> uses;
  std::map<int32_t, std::set<int32_t>> runs;  // of the group, by pool
  for (const size_t place : best.places) {
    runs[ground_.places()[place].pool].insert(ground_.places()[place].index);
  }
  for (const auto& [pool, of_group] : runs) {
    const Stock& stock = *ground_.stocks()[static_cast<size_t>(pool)];
    for (const auto& [claim, held] : state_.HoldingsOf(stock.pool().name)) {
      for (const Allocation& one : held) {
        const bool is_count = stock.pool().count.has_value();
        if (is_count) {
          uses[claim] += one.count;
        } else if (of_group.contains(stock.RunOf(one.device))) {
          ++uses[claim];
        }
      }
    }
  }
  return uses;
}

void ReasonText::AddUses(const BestGroup& best, std::vector<std::string>* notes) const {
  const std::map<std::string, int64_t> uses = UsesIn(best);
  size_t named = 0;
  int64_t others = 0;
  for (const auto& [claim, count] : uses) {
    if (named < kMostNamed) {
      notes->push_back(fmt::format("{} in use by {}", count, claim));
    } else {
      others += count;
    }
    ++named;
  }
  if (others > 0) {
    notes->push_back(fmt::format("{} by {} more claims", others, uses.size() - kMostNamed));
  }
}

// Counters that have too little for one more device of the group.
void ReasonText::AddCounters(const BestGroup& best, std::vector<std::string>* notes) const {
  std::set<std::string> seen;
  for (const size_t place : best.places) {
    const Ground::Place& at = ground_.places()[place];
    const Stock& stock = ground_.StockOf(at);
    for (const Take& take : ground_.TakesOf(at)) {
      const Store& counter = stock.counters()[static_cast<size_t>(take.counter)];
      const Amount left = std::max<Amount>(ground_.LeftOf(counter), 0);
      if (at.free == 0 || left >= take.amount) continue;
      if (!seen.insert(absl::StrCat(stock.pool().name, " ", counter.name)).second) continue;
      const auto format = Quantity::Format::kDecimalSI;
      notes->push_back(fmt::format("pool {} is short of {} {}", stock.pool().name,
                                   ToQuantity(take.amount - left, format).ToString(),
                                   counter.name));
    }
  }
}

std::string ReasonText::NoMatch(const Alternative& alternative) const {
  if (ground_.stocks().empty()) return "the node has no pools";
  std::array<int64_t, 5> counts = {};
  int64_t without = 0;
  std::string error;
  for (const Ground::Place& place : ground_.places()) {
    const Match match = alternative.matches->of[static_cast<size_t>(place.run->set)];
    (match == Match::kMatches ? without : counts[static_cast<size_t>(match)]) += place.run->total;
    const auto failed = alternative.matches->errors.find(place.run->set);
    if (error.empty() && failed != alternative.matches->errors.end()) error = failed->second;
  }
  std::vector<std::string> notes;
  const auto add = [&notes](int64_t count, std::string_view what) {
    if (count > 0) notes.push_back(fmt::format("{} {}", count, what));
  };
  add(without, "without an attribute that is to be equal");
  add(counts[static_cast<size_t>(Match::kOtherDriver)], "of other drivers");
  add(counts[static_cast<size_t>(Match::kClassFalse)], "excluded by the class");
  add(counts[static_cast<size_t>(Match::kOwnFalse)], "excluded by the claim");
  add(counts[static_cast<size_t>(Match::kFails)], absl::StrCat("fail: ", error));
  for (const Stock* stock : ground_.stocks()) {
    if (!stock->fault().empty()) {
      notes.push_back(fmt::format("pool {} is invalid: {}", stock->pool().name, stock->fault()));
    }
  }
  return absl::StrCat("no device matches", Notes(notes));
}

}  // namespace outrigger::devices
