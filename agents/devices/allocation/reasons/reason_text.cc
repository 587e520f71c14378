#include "devices/allocation/reasons/reason_text.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "devices/allocation/allocator.h"
#include "devices/allocation/demand/demand.h"
#include "devices/allocation/pools/inventory_state.h"
#include "devices/allocation/pools/stock.h"
#include "fmt/format.h"

namespace outrigger::devices {
namespace {

/// Counts devices on which an expression fails. Thread-compatible.
class Failures {
 public:
  /// The devices of a run. `error`: why the expression fails on them; empty: it does not.
  void Add(const Stock& stock, const Run& run, std::string_view error);
  int64_t count() const { return count_; }
  /// "device x0 of pool p: no such key": the first that was added, with its error.
  const std::string& first() const { return first_; }

 private:
  int64_t count_ = 0;
  std::string first_;
};

// Of the first alternative whose constraints fail on devices of `set`.
std::string_view ErrorOn(const DemandData& demand, SetId set) {
  for (const Slot& slot : demand.slots) {
    for (const Alternative& one : slot.alternatives) {
      const std::string_view error = one.matches->ErrorOf(set);
      if (!error.empty()) return error;
    }
  }
  return {};
}

bool HasErrors(const DemandData& demand) {
  for (const Slot& slot : demand.slots) {
    for (const Alternative& one : slot.alternatives) {
      if (one.matches->HasErrors()) return true;
    }
  }
  return false;
}

void Failures::Add(const Stock& stock, const Run& run, std::string_view error) {
  if (error.empty()) return;
  count_ += run.total;
  if (!first_.empty()) return;
  const Pool& pool = stock.pool();
  const std::string device =
      pool.count.has_value()
          ? ""
          : fmt::format("device {} of ", pool.devices[static_cast<size_t>(run.first)].name);
  first_ = fmt::format("{}pool {}: {}", device, pool.name, error);
}

// More claims that use devices are counted, not named.
constexpr size_t kMostNamed = 3;

std::string Plural(int64_t count, std::string_view one) {
  return count == 1 ? fmt::format("1 {}", one) : fmt::format("{} {}s", count, one);
}

std::string InBrackets(const std::vector<std::string>& notes) {
  return notes.empty() ? "" : absl::StrCat(" (", absl::StrJoin(notes, ", "), ")");
}

}  // namespace

std::string DescribeFailures(const Inventory& inventory, const Demand& demand) {
  const DemandData& data = demand.data();
  const InventoryState& state = inventory.state();
  const bool is_stale = data.epoch != state.epoch() || data.sets != state.sets().size();
  if (is_stale || !data.invalid.empty() || !HasErrors(data)) return {};
  Failures failures;
  for (const auto& [node, stocks] : state.nodes()) {
    for (const Stock* stock : stocks) {
      for (const Run& run : stock->runs()) failures.Add(*stock, run, ErrorOn(data, run.set));
    }
  }
  if (failures.count() == 0) return {};
  return fmt::format("constraints fail on {} device{}, first {}", failures.count(),
                     failures.count() == 1 ? "" : "s", failures.first());
}

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
  if (alternative.contradicts) return text + "which no devices can satisfy";
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

// Devices on which constraints fail, with the first of them and its error.
void ReasonText::AddFailures(const Alternative& alternative, Notes* notes) const {
  if (!alternative.matches->HasErrors()) return;
  Failures failures;
  for (const Ground::Place& place : ground_.places()) {
    failures.Add(ground_.StockOf(place), *place.run, alternative.matches->ErrorOf(place.run->set));
  }
  if (failures.count() == 0) return;
  notes->push_back(fmt::format("{} fail, first {}", failures.count(), failures.first()));
}

void ReasonText::AddMismatches(const Alternative& alternative, Notes* notes) const {
  std::array<int64_t, 5> counts = {};
  int64_t without = 0;
  for (const Ground::Place& place : ground_.places()) {
    const Match match = alternative.matches->Of(place.run->set);
    (match == Match::kMatches ? without : counts[static_cast<size_t>(match)]) += place.run->total;
  }
  const auto add = [notes](int64_t count, std::string_view what) {
    if (count > 0) notes->push_back(fmt::format("{} {}", count, what));
  };
  add(without, "without an attribute that must be equal");
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
  AddNames(uses, notes);
}

void ReasonText::AddNames(const Uses& uses, Notes* notes) const {
  const std::string own = demand_.namespace_.empty() ? "" : absl::StrCat(demand_.namespace_, "/");
  size_t named = 0;
  int64_t others = 0;
  int64_t elsewhere = 0;
  for (const auto& [claim, count] : uses) {
    if (!claim.starts_with(own)) {
      elsewhere += count;
    } else if (++named <= kMostNamed) {
      notes->push_back(fmt::format("{} in use by {}", count, claim));
    } else {
      others += count;
    }
  }
  if (others > 0) {
    notes->push_back(fmt::format("{} by {} more claims", others, named - kMostNamed));
  }
  if (elsewhere > 0) notes->push_back(fmt::format("{} in use in other namespaces", elsewhere));
}

void ReasonText::AddRaises(Notes* notes) const {
  if (remedies_.counter.has_value()) {
    const Raise& raise = *remedies_.counter;
    const Pool& pool = ground_.stocks()[raise.stock]->pool();
    const Resource& counter = pool.resources[raise.store];
    notes->push_back(fmt::format("pool {} lacks {} {}", pool.name,
                                 ToQuantity(raise.by, counter.capacity.format()).ToString(),
                                 counter.name));
  }
  if (remedies_.resource.has_value()) {
    const Raise& raise = *remedies_.resource;
    const Stock& stock = *ground_.stocks()[raise.stock];
    const auto first = static_cast<size_t>(stock.runs()[*raise.run].first);
    const Device& device = stock.pool().devices[first];
    const Resource& resource = device.resources[raise.store];
    notes->push_back(fmt::format("device {} of pool {} lacks {} {}", device.name, stock.pool().name,
                                 ToQuantity(raise.by, resource.capacity.format()).ToString(),
                                 resource.name));
  }
}

}  // namespace outrigger::devices
