#include "devices/allocation/search/takings.h"

#include <algorithm>
#include <bit>
#include <limits>

namespace outrigger::devices {
namespace {

// A device that serves several claims; sums of these must not overflow.
constexpr int64_t kAsManyAsWanted = int64_t{1} << 40;

int64_t LeastOf(const Slot& slot, int64_t spared) {
  int64_t least = kMostWanted;
  for (const Alternative& one : slot.alternatives) {
    if (one.admin) return 0;
    least = std::min(least, one.least);
  }
  return std::max<int64_t>(least - spared, 0);
}

bool IsWanted(const Slot& slot, SetId set) {
  return std::any_of(slot.alternatives.begin(), slot.alternatives.end(),
                     [set](const Alternative& one) { return one.matches->Has(set); });
}

}  // namespace

Takings::Takings(const DemandData& demand, const Ground& ground, const std::vector<int64_t>& spared)
    : demand_(demand),
      ground_(ground),
      later_(demand, ground, spared),
      taken_(ground.places().size()),
      counters_(ground.counters()),
      bound_(demand.constraints.size(), -1) {
  // It is about requests that must be equal to others, and looks at every set of attributes.
  if (!spared.empty() && demand.slots.size() > 1) FindAdmissible(spared);
  if (demand.has_admin) in_claim_.resize(demand.claims.size() * taken_.size());
  first_store_.reserve(taken_.size());
  for (const Ground::Place& place : ground.places()) {
    first_store_.push_back(static_cast<int32_t>(left_.size()));
    if (!place.run->shared) continue;
    for (const Store& store : ground.ResourcesOf(place)) left_.push_back(ground.LeftOf(store));
  }
}

// Devices that a slot need not find here are some of a kind that it could have: where all of them
// are, the others of its claim that must be equal to them are equal to such a kind.
void Takings::FindAdmissible(const std::vector<int64_t>& spared) {
  admissible_.resize(demand_.constraints.size());
  for (size_t i = 0; i < demand_.slots.size(); ++i) {
    const std::vector<Alternative>& all = demand_.slots[i].alternatives;
    const bool is_spared =
        spared[i] > 0 && std::any_of(all.begin(), all.end(), [&](const auto& one) {
          return one.all || one.least <= spared[i];
        });
    if (is_spared) Admit(demand_.slots[i]);
  }
}

void Takings::Admit(const Slot& slot) {
  for (const int32_t id : slot.alternatives.front().constraints) {
    const Constraint& constraint = demand_.constraints[static_cast<size_t>(id)];
    if (constraint.distinct) continue;
    std::vector<bool> values(static_cast<size_t>(constraint.values->values()));
    for (const Alternative& one : slot.alternatives) {
      visited_ += static_cast<int64_t>(one.matches->size());
      for (size_t set = 0; set < one.matches->size(); ++set) {
        const int32_t value = constraint.values->of[set];
        if (value >= 0 && one.matches->Has(static_cast<SetId>(set))) {
          values[static_cast<size_t>(value)] = true;
        }
      }
    }
    std::vector<bool>& admissible = admissible_[static_cast<size_t>(id)];
    if (admissible.empty()) admissible.assign(values.size(), true);
    for (size_t i = 0; i < values.size(); ++i) admissible[i] = admissible[i] && values[i];
  }
}

const Store* Takings::FindStore(size_t place, const Wish& wish) const {
  for (const Store& store : ground_.ResourcesOf(ground_.places()[place])) {
    if (store.name == wish.resource) return &store;
  }
  return nullptr;
}

Amount Takings::LeftOf(size_t place, const Store& store) const {
  const Store* first = ground_.ResourcesOf(ground_.places()[place]).data();
  return left_[static_cast<size_t>(first_store_[place] + (&store - first))];
}

int64_t Takings::InClaim(const Slot& slot, size_t place) const {
  if (in_claim_.empty()) return 0;
  return in_claim_[static_cast<size_t>(slot.claim) * taken_.size() + place];
}

int64_t Takings::Available(const Slot& slot, const Alternative& alternative, size_t place) const {
  const Ground::Place& at = ground_.places()[place];
  if (!alternative.matches->Has(at.run->set)) return 0;
  int64_t free = 0;
  if (alternative.admin) {
    free = at.run->total - InClaim(slot, place);
  } else if (at.run->shared) {
    free = AvailableShared(slot, alternative, place);
  } else if (alternative.wishes.empty()) {
    free = std::min(at.free - taken_[place], at.run->total - InClaim(slot, place));
    free = AvailableByCounters(place, free);
  }
  return free <= 0 ? 0 : AvailableByConstraints(alternative, at.run->set, free);
}

int64_t Takings::AvailableByCounters(size_t place, int64_t free) const {
  const Ground::Place& at = ground_.places()[place];
  for (const Take& take : ground_.TakesOf(at)) {
    const Amount left = counters_[static_cast<size_t>(ground_.FirstCounter(at.pool)) +
                                  static_cast<size_t>(take.counter)];
    if (left < take.amount) return 0;
    free = static_cast<int64_t>(std::min<Amount>(free, left / take.amount));
  }
  return free;
}

int64_t Takings::AvailableShared(const Slot& slot, const Alternative& alternative,
                                 size_t place) const {
  const Ground::Place& at = ground_.places()[place];
  for (const Wish& wish : alternative.wishes) {
    if (FindStore(place, wish) == nullptr) return 0;
  }
  for (const Store& store : ground_.ResourcesOf(at)) {
    const bool wished = std::any_of(alternative.wishes.begin(), alternative.wishes.end(),
                                    [&](const Wish& wish) { return wish.resource == store.name; });
    if (LeftOf(place, store) < (wished ? store.block : store.capacity)) return 0;
  }
  if (demand_.has_admin && InClaim(slot, place) > 0) return 0;
  const bool is_used = ground_.UsersOf(at) + taken_[place] > 0;
  if (is_used) return alternative.wishes.empty() ? 0 : 1;
  return AvailableByCounters(place, 1);
}

int64_t Takings::AvailableByConstraints(const Alternative& alternative, SetId set,
                                        int64_t free) const {
  for (const int32_t id : alternative.constraints) {
    const Constraint& constraint = demand_.constraints[static_cast<size_t>(id)];
    const int32_t value = constraint.values->of[static_cast<size_t>(set)];
    if (value < 0) return 0;
    if (!constraint.distinct) {
      if (!admissible_.empty()) {
        const std::vector<bool>& admissible = admissible_[static_cast<size_t>(id)];
        if (!admissible.empty() && !admissible[static_cast<size_t>(value)]) return 0;
      }
      const int32_t bound = bound_[static_cast<size_t>(id)];
      if (bound >= 0 && bound != value) return 0;
      continue;
    }
    free = 1;
    for (const Binding& binding : bindings_) {
      if (binding.constraint == id && binding.value == value) return 0;
    }
  }
  return free;
}

bool Takings::Bind(const Alternative& alternative, SetId set) {
  bool is_new = false;
  marks_.push_back(bindings_.size());
  for (const int32_t id : alternative.constraints) {
    const Constraint& constraint = demand_.constraints[static_cast<size_t>(id)];
    const int32_t value = constraint.values->of[static_cast<size_t>(set)];
    if (!constraint.distinct) {
      int32_t& bound = bound_[static_cast<size_t>(id)];
      if (bound >= 0) continue;
      bound = value;
    }
    bindings_.push_back({id, value});
    is_new = true;
  }
  return is_new;
}

void Takings::Unbind() {
  while (bindings_.size() > marks_.back()) {
    bound_[static_cast<size_t>(bindings_.back().constraint)] = -1;
    bindings_.pop_back();
  }
  marks_.pop_back();
}

bool Takings::Apply(const Slot& slot, const Alternative& alternative, size_t place, int64_t count,
                    const std::vector<Amount>& given) {
  AddToClaim(slot, place, count);
  if (!alternative.admin) {
    if (ground_.places()[place].run->shared) {
      AddToShared(alternative, place, given, 1);
    } else {
      taken_[place] += count;
      later_.Use(place, count);
      AddToCounters(place, count);
    }
  }
  return Bind(alternative, ground_.places()[place].run->set);
}

void Takings::Undo(const Slot& slot, const Alternative& alternative, size_t place, int64_t count,
                   const std::vector<Amount>& given) {
  Unbind();
  AddToClaim(slot, place, -count);
  if (alternative.admin) return;
  if (ground_.places()[place].run->shared) return AddToShared(alternative, place, given, -1);
  taken_[place] -= count;
  later_.Use(place, -count);
  AddToCounters(place, -count);
}

void Takings::AddToClaim(const Slot& slot, size_t place, int64_t count) {
  if (in_claim_.empty()) return;
  in_claim_[static_cast<size_t>(slot.claim) * taken_.size() + place] += count;
}

void Takings::AddToCounters(size_t place, int64_t count) {
  const Ground::Place& at = ground_.places()[place];
  for (const Take& take : ground_.TakesOf(at)) {
    counters_[static_cast<size_t>(ground_.FirstCounter(at.pool)) +
              static_cast<size_t>(take.counter)] -= take.amount * count;
  }
}

void Takings::AddToShared(const Alternative& alternative, size_t place,
                          const std::vector<Amount>& given, int sign) {
  const Ground::Place& at = ground_.places()[place];
  // The device takes its counters once, however many use it.
  if (sign > 0 && ground_.UsersOf(at) + taken_[place] == 0) AddToCounters(place, 1);
  taken_[place] += sign;
  if (sign < 0 && ground_.UsersOf(at) + taken_[place] == 0) AddToCounters(place, -1);
  auto left = left_.begin() + first_store_[place];
  for (const Store& store : ground_.ResourcesOf(at)) {
    Amount amount = store.capacity;
    for (size_t i = 0; i < alternative.wishes.size(); ++i) {
      if (alternative.wishes[i].resource == store.name) amount = given[i];
    }
    *left++ -= amount * sign;
  }
}

LaterNeeds::LaterNeeds(const DemandData& demand, const Ground& ground,
                       const std::vector<int64_t>& spared)
    : slots_(static_cast<int>(std::min<size_t>(demand.slots.size(), kMostSlots))) {
  const uint32_t sets = 1U << static_cast<unsigned>(slots_);
  for (int i = 0; i < slots_; ++i) {
    const auto slot = static_cast<size_t>(i);
    const int64_t least = LeastOf(demand.slots[slot], spared.empty() ? 0 : spared[slot]);
    for (uint32_t set = 1; set < sets; ++set) {
      if ((set >> static_cast<unsigned>(i) & 1U) != 0) need_[set] += least;
    }
  }
  wanted_by_.reserve(ground.places().size());
  for (const Ground::Place& place : ground.places()) {
    uint8_t bits = 0;
    for (int i = 0; i < slots_; ++i) {
      if (IsWanted(demand.slots[static_cast<size_t>(i)], place.run->set)) {
        bits = static_cast<uint8_t>(bits | 1U << static_cast<unsigned>(i));
      }
    }
    wanted_by_.push_back(bits);
    const int64_t free = place.run->shared ? kAsManyAsWanted : place.free;
    for (uint32_t set = 1; set < sets; ++set) {
      if ((set & bits) != 0) available_[set] += free;
    }
  }
}

uint32_t LaterNeeds::ShortSet() const {
  uint32_t best = 0;
  for (uint32_t set = 1; set < 1U << static_cast<unsigned>(slots_); ++set) {
    if (need_[set] <= available_[set]) continue;
    if (best == 0 || std::popcount(set) < std::popcount(best)) best = set;
  }
  return best;
}

int64_t LaterNeeds::Spare(size_t place, size_t slot) const {
  int64_t spare = std::numeric_limits<int64_t>::max();
  if (slot >= kMostSlots) return spare;
  const uint32_t step = 2U << slot;  // sets of requests after it are the multiples of this
  for (uint32_t set = step; set < 1U << static_cast<unsigned>(slots_); set += step) {
    const int64_t slack = available_[set] - need_[set];
    if (slack < 0) return slack;
    if ((set & wanted_by_[place]) != 0) spare = std::min(spare, slack);
  }
  return spare;
}

void LaterNeeds::Use(size_t place, int64_t count) {
  const uint32_t bits = wanted_by_[place];
  if (bits == 0) return;
  for (uint32_t set = 1; set < 1U << static_cast<unsigned>(slots_); ++set) {
    if ((set & bits) != 0) available_[set] -= count;
  }
}

}  // namespace outrigger::devices
