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

std::string InBrackets(const std::vector<std::string>& notes) {
  return notes.empty() ? "" : absl::StrCat(" (", absl::StrJoin(notes, ", "), ")");
}

}  // namespace

std::string ReasonText::All() const {
  std::vector<std::string> texts;
  for (size_t i = 0; i < remedies_.more.size(); ++i) texts.push_back(Of(i));
  return absl::StrJoin(texts, "; ");
}

std::string ReasonText::Of(size_t index) const {
  const Short& one = remedies_.more[index];
  const Slot& slot = demand_.slots[one.slot];
  const Alternative& alternative = AlternativeOf(one);
  const BestGroup best = FindBestGroup(demand_, ground_, alternative);
  std::string text = absl::StrCat("claim ", demand_.claims[static_cast<size_t>(slot.claim)],
                                  slot.name.empty() ? "" : ", request ", slot.name, ": ",
                                  Wanted(slot, alternative), " wanted, ");
  if (alternative.contradicts) return text + "which no devices can be";
  Notes notes;
  if (ground_.stocks().empty()) {
    absl::StrAppend(&text, "the node has no pools");
  } else if (best.places.empty()) {
    absl::StrAppend(&text, "no device matches");
    AddMismatches(alternative, &notes);
  } else {
    absl::StrAppend(&text, Free(alternative, one));
    AddMissingResources(alternative, best, &notes);
  }
  AddUses(index, best, &notes);
  if (index + 1 == remedies_.more.size()) AddRaises(&notes);
  if (!best.places.empty()) AddFailures(alternative, &notes);
  return text + InBrackets(notes);
}

std::string ReasonText::Wanted(const Slot& slot, const Alternative& alternative) const {
  std::string text = alternative.all ? absl::StrCat("every ", alternative.what)
                                     : absl::StrCat(alternative.least, " ", alternative.what);
  std::vector<std::string> amounts;
  for (const Wish& wish : alternative.wishes) {
    amounts.push_back(
        absl::StrCat(ToQuantity(wish.amount, wish.format).ToString(), " ", wish.resource));
  }
  if (!amounts.empty()) absl::StrAppend(&text, " with ", absl::StrJoin(amounts, ", "));
  absl::StrAppend(&text, Groups(alternative));
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

std::string ReasonText::Free(const Alternative& alternative, const Short& one) const {
  const int64_t had = std::max<int64_t>(alternative.least - one.missing, 0);
  const bool is_group = std::any_of(
      alternative.constraints.begin(), alternative.constraints.end(),
      [&](int32_t id) { return !demand_.constraints[static_cast<size_t>(id)].distinct; });
  return fmt::format("{}{} {}", is_group ? "best has " : "", had,
                     one.by_others ? "left by the other requests of the pod" : "free");
}

void ReasonText::AddMissingResources(const Alternative& alternative, const BestGroup& best,
                                     Notes* notes) const {
  for (const Wish& wish : alternative.wishes) {
    const bool is_there = std::any_of(best.places.begin(), best.places.end(), [&](size_t place) {
      const std::vector<Store>& own = ground_.ResourcesOf(ground_.places()[place]);
      return std::any_of(own.begin(), own.end(),
                         [&](const Store& store) { return store.name == wish.resource; });
    });
    if (!is_there) notes->push_back(absl::StrCat("no device has ", wish.resource));
  }
}

// Devices on which constraints fail, with the first error.
void ReasonText::AddFailures(const Alternative& alternative, Notes* notes) const {
  if (alternative.matches->errors.empty()) return;
  int64_t count = 0;
  std::string_view error;
  for (const Ground::Place& place : ground_.places()) {
    const auto failed = alternative.matches->errors.find(place.run->set);
    if (failed == alternative.matches->errors.end()) continue;
    count += place.run->total;
    if (error.empty()) error = failed->second;
  }
  if (count > 0) notes->push_back(fmt::format("{} fail: {}", count, error));
}

void ReasonText::AddMismatches(const Alternative& alternative, Notes* notes) const {
  std::array<int64_t, 5> counts = {};
  int64_t without = 0;
  for (const Ground::Place& place : ground_.places()) {
    const Match match = alternative.matches->of[static_cast<size_t>(place.run->set)];
    (match == Match::kMatches ? without : counts[static_cast<size_t>(match)]) += place.run->total;
  }
  const auto add = [notes](int64_t count, std::string_view what) {
    if (count > 0) notes->push_back(fmt::format("{} {}", count, what));
  };
  add(without, "without an attribute that is to be equal");
  add(counts[static_cast<size_t>(Match::kOtherDriver)], "of other drivers");
  add(counts[static_cast<size_t>(Match::kClassFalse)], "excluded by the class");
  add(counts[static_cast<size_t>(Match::kOwnFalse)], "excluded by the claim");
  AddFailures(alternative, notes);
  for (const Stock* stock : ground_.stocks()) {
    if (!stock->fault().empty()) {
      notes->push_back(fmt::format("pool {} is invalid: {}", stock->pool().name, stock->fault()));
    }
  }
}

ReasonText::Uses ReasonText::UsesIn(const BestGroup& best) const {
  Uses uses;
  std::map<int32_t, std::set<int32_t>> runs;  // of the group, by pool
  for (const size_t place : best.places) {
    runs[ground_.places()[place].pool].insert(ground_.places()[place].index);
  }
  for (const auto& [pool, of_group] : runs) {
    const Stock& stock = *ground_.stocks()[static_cast<size_t>(pool)];
    for (const auto& [claim, held] : state_.HoldingsOf(stock.pool().name)) {
      for (const Allocation& one : held) {
        const bool is_count = stock.pool().count.has_value();
        if (is_count || of_group.contains(stock.RunOf(one.device))) uses[claim] += one.count;
      }
    }
  }
  return uses;
}

ReasonText::Uses ReasonText::UsesOfAll() const {
  Uses uses;
  for (const Stock* stock : ground_.stocks()) {
    for (const auto& [claim, held] : state_.HoldingsOf(stock->pool().name)) {
      for (const Allocation& one : held) uses[claim] += one.count;
    }
  }
  return uses;
}

// Which of the shorts names a claim that is to give something back: the first that could have some
// of that; else the last.
size_t ReasonText::HomeOf(const std::string& claim) const {
  for (size_t i = 0; i + 1 < remedies_.more.size(); ++i) {
    const BestGroup best = FindBestGroup(demand_, ground_, AlternativeOf(remedies_.more[i]));
    if (UsesIn(best).contains(claim)) return i;
  }
  return remedies_.more.size() - 1;
}

void ReasonText::AddUses(size_t index, const BestGroup& best, Notes* notes) const {
  const Uses in_group = UsesIn(best);
  Uses uses;
  if (remedies_.give_back.empty()) {
    // Claims that could be taken for a remedy, and are none, are not named.
    const Short& one = remedies_.more[index];
    int64_t sum = 0;
    for (const auto& [claim, count] : in_group) sum += count;
    if (sum < one.missing) uses = in_group;
  } else {
    const Uses in_all = UsesOfAll();
    for (const std::string& claim : remedies_.give_back) {
      if (HomeOf(claim) != index) continue;
      uses[claim] = in_group.contains(claim) ? in_group.at(claim) : in_all.at(claim);
    }
  }
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

void ReasonText::AddRaises(Notes* notes) const {
  if (remedies_.counter.has_value()) {
    const Raise& raise = *remedies_.counter;
    const Pool& pool = ground_.stocks()[raise.stock]->pool();
    const Resource& counter = pool.resources[raise.store];
    notes->push_back(fmt::format("pool {} is short of {} {}", pool.name,
                                 ToQuantity(raise.by, counter.capacity.format()).ToString(),
                                 counter.name));
  }
  if (remedies_.resource.has_value()) {
    const Raise& raise = *remedies_.resource;
    const Stock& stock = *ground_.stocks()[raise.stock];
    const auto first = static_cast<size_t>(stock.runs()[*raise.run].first);
    const Device& device = stock.pool().devices[first];
    const Resource& resource = device.resources[raise.store];
    notes->push_back(
        fmt::format("device {} of pool {} is short of {} {}", device.name, stock.pool().name,
                    ToQuantity(raise.by, resource.capacity.format()).ToString(), resource.name));
  }
}

}  // namespace outrigger::devices
