#include "devices/allocation/reference_testing.h"

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <utility>
#include <vector>

#include "fmt/format.h"

namespace outrigger::devices {
namespace {

using Values = std::map<std::string, AttributeValue>;

/// A device, or one of a pool of counts.
struct Thing {
  size_t pool = 0;
  std::string name;
  Values values;
  Attributes attributes;
  bool held = false;
  int users = 0;
  int64_t slots = 0;
  std::map<std::string, std::pair<int64_t, int64_t>> own;  // capacity, block
  std::map<std::string, int64_t> left;
};

/// Everything at one moment.
struct State {
  std::vector<Thing> things;
  std::vector<int64_t> counters;  // by pool: slots left; those without have many
  std::map<std::string, AttributeValue> bound;
  std::map<std::string, std::vector<AttributeValue>> distinct;
  std::set<std::pair<size_t, size_t>> in_claim;  // claim, thing
  std::set<std::pair<size_t, size_t>> pairs;     // claim, pool
};

Thing ThingOf(const Pool& pool, size_t index, const Device* device) {
  Thing thing;
  thing.pool = index;
  for (const Attribute& attribute : pool.attributes) thing.values[attribute.name] = attribute.value;
  if (device != nullptr) {
    thing.name = device->name;
    for (const Attribute& one : device->attributes) thing.values[one.name] = one.value;
    if (device->requests.contains("slots")) thing.slots = device->requests.at("slots").Value();
    for (const Resource& one : device->resources) {
      thing.own[one.name] = {one.capacity.Value(), one.block_size.value_or(Quantity()).Value()};
      thing.left[one.name] = one.capacity.Value();
    }
  }
  for (const auto& [name, value] : thing.values) thing.attributes.push_back({name, value});
  return thing;
}

void Hold(const std::vector<Pool>& pools, const Allocation& held, State* state) {
  int64_t count = held.count;
  for (Thing& thing : state->things) {
    if (pools[thing.pool].name != held.pool || thing.name != held.device) continue;
    if (thing.own.empty()) {
      if (thing.held || count-- <= 0) continue;
      thing.held = true;
      state->counters[thing.pool] -= thing.slots;
      continue;
    }
    if (thing.users++ == 0) state->counters[thing.pool] -= thing.slots;
    for (auto& [name, left] : thing.left) left -= held.amounts.at(name).Value();
  }
}

State StateOf(const Case& of) {
  State state;
  for (size_t i = 0; i < of.pools.size(); ++i) {
    const Pool& pool = of.pools[i];
    for (int64_t n = 0; n < pool.count.value_or(0); ++n) {
      state.things.push_back(ThingOf(pool, i, nullptr));
    }
    for (const Device& device : pool.devices) state.things.push_back(ThingOf(pool, i, &device));
    state.counters.push_back(pool.resources.empty() ? 1000 : pool.resources[0].capacity.Value());
  }
  for (const auto& [claim, holding] : of.holdings) {
    for (const Allocation& held : holding) Hold(of.pools, held, &state);
  }
  return state;
}

std::vector<bool> MatchesOf(const Case& of, const Detail& detail, const State& state) {
  static const std::unique_ptr<const Selectors> selectors = MakeCelSelectors();
  std::unique_ptr<const Selector> selector;
  if (!detail.constraints.empty()) {
    selector = *selectors->Compile(detail.constraints, Environment::kPrototype);
  }
  std::vector<bool> matches;
  for (const Thing& thing : state.things) {
    const std::string& driver = of.pools[thing.pool].driver;
    const bool is_of_driver = detail.driver.empty() || detail.driver == driver;
    const auto chosen = selector == nullptr ? absl::StatusOr<bool>(true)
                                            : selector->Matches({driver, thing.attributes});
    matches.push_back(is_of_driver && chosen.ok() && *chosen);
  }
  return matches;
}

/// Tries all ways to serve the requests one after the other.
class Trial {
 public:
  explicit Trial(const Case& of) : case_(of), start_(StateOf(of)) {
    for (size_t claim = 0; claim < of.claims.size(); ++claim) {
      for (size_t i = 0; i < of.claims[claim].requests.size(); ++i) {
        slots_.push_back({claim, i});
        for (const Detail& detail : of.claims[claim].requests[i].details) {
          matches_[&detail] = MatchesOf(of, detail, start_);
        }
      }
    }
    wants_few_ = std::any_of(of.claims.begin(), of.claims.end(),
                             [](const Claim& claim) { return claim.counts; });
  }

  std::optional<int> Best() {
    Serve(0, start_);
    return best_;
  }

 private:
  bool IsDone() const { return best_.has_value() && !wants_few_; }

  void Serve(size_t slot, const State& state) {
    if (IsDone() || (best_ && static_cast<int>(state.pairs.size()) >= *best_)) return;
    if (slot == slots_.size()) {
      best_ = static_cast<int>(state.pairs.size());
      return;
    }
    const auto [claim, request] = slots_[slot];
    const std::vector<Detail>& details = case_.claims[claim].requests[request].details;
    for (const Detail& detail : details) ServeBy(slot, detail, state);
  }

  static bool HasWish(const Detail& detail) {
    return !detail.admin_access && !detail.amounts.empty();
  }

  void ServeBy(size_t slot, const Detail& detail, const State& state) {
    if (detail.all) return ServeAll(slot, detail, state);
    const int64_t least = detail.min_count.value_or(1);
    const bool has_wish = HasWish(detail);
    const int64_t most = !has_wish ? least : detail.max_count.value_or(8);
    int64_t wish = 0;
    if (has_wish) wish = detail.amounts.at("memory").Value();
    for (int64_t count = least; count <= most; ++count) {
      Choose(slot, detail, 0, count, wish, state);
    }
  }

  void ServeAll(size_t slot, const Detail& detail, const State& state) {
    State next = state;
    int64_t count = 0;
    for (size_t i = 0; i < next.things.size(); ++i) {
      if (!matches_[&detail][i]) continue;
      // All have own amounts or none asks for some: the whole device is wanted.
      int64_t wish = detail.amounts.empty() ? 0 : -1;
      if (wish < 0 || !Take(slot, detail, i, 0, &next)) return;
      ++count;
    }
    if (count > 0) Serve(slot + 1, next);
  }

  // Subsets of what is left from `from` on.
  void Choose(size_t slot, const Detail& detail, size_t from, int64_t count, int64_t wish,
              const State& state) {
    if (IsDone()) return;
    if (count == 0) {
      if (wish <= 0) Serve(slot + 1, state);
      return;
    }
    for (size_t i = from; i < state.things.size(); ++i) {
      if (!matches_[&detail][i]) continue;
      if (!HasWish(detail)) {
        State next = state;
        if (Take(slot, detail, i, 0, &next)) Choose(slot, detail, i + 1, count - 1, 0, next);
        continue;
      }
      const auto own = state.things[i].own.find("memory");
      if (own == state.things[i].own.end()) continue;
      for (int64_t amount = own->second.second; amount <= own->second.first;
           amount += own->second.second) {
        State next = state;
        if (Take(slot, detail, i, amount, &next)) {
          Choose(slot, detail, i + 1, count - 1, wish - amount, next);
        }
      }
    }
  }

  bool Take(size_t slot, const Detail& detail, size_t index, int64_t amount, State* state) const {
    const size_t claim = slots_[slot].first;
    Thing& thing = state->things[index];
    const bool in_claim = state->in_claim.contains({claim, index});
    const bool has_admin = HasAdmin();
    if (detail.admin_access) {
      if (in_claim) return false;
    } else {
      if (thing.own.empty() && !detail.amounts.empty()) return false;
      if (has_admin && in_claim) return false;
      if (thing.own.empty() ? thing.held : !Share(amount, !detail.amounts.empty(), &thing)) {
        return false;
      }
      if (thing.own.empty() || thing.users++ == 0) {
        if ((state->counters[thing.pool] -= thing.slots) < 0 && thing.slots > 0) return false;
      }
      thing.held = true;
    }
    if (has_admin) state->in_claim.insert({claim, index});
    if (case_.claims[claim].counts) state->pairs.insert({claim, thing.pool});
    return Keep(slot, detail, thing, state);
  }

  bool HasAdmin() const {
    for (const auto& [claim, request] : slots_) {
      for (const Detail& detail : case_.claims[claim].requests[request].details) {
        if (detail.admin_access) return true;
      }
    }
    return false;
  }

  static bool Share(int64_t amount, bool is_wished, Thing* thing) {
    for (auto& [name, left] : thing->left) {
      const bool of_wish = is_wished && name == "memory";
      const int64_t taken = of_wish ? amount : thing->own[name].first;
      if (!of_wish && left < thing->own[name].first) return false;
      if ((left -= taken) < 0) return false;
    }
    if (!is_wished && thing->users > 0) return false;
    return true;
  }

  bool Keep(size_t slot, const Detail& detail, const Thing& thing, State* state) const {
    const size_t claim = slots_[slot].first;
    const auto keep = [&](const std::vector<std::string>& attributes, bool distinct,
                          const std::string& scope) {
      for (const std::string& attribute : attributes) {
        const auto value = thing.values.find(attribute);
        if (value == thing.values.end()) return false;
        const std::string key = scope + " " + attribute;
        if (distinct) {
          std::vector<AttributeValue>& used = state->distinct[key];
          if (std::find(used.begin(), used.end(), value->second) != used.end()) return false;
          used.push_back(value->second);
        } else if (state->bound.try_emplace(key, value->second).first->second != value->second) {
          return false;
        }
      }
      return true;
    };
    const std::string of_claim = fmt::format("claim {}", claim);
    const std::string of_slot = fmt::format("slot {}", slot);
    return keep(case_.claims[claim].match_attributes, false, of_claim) &&
           keep(case_.claims[claim].distinct_attributes, true, of_claim) &&
           keep(detail.match_attributes, false, of_slot) &&
           keep(detail.distinct_attributes, true, of_slot);
  }

  const Case& case_;
  const State start_;
  std::vector<std::pair<size_t, size_t>> slots_;  // claim, request
  std::map<const Detail*, std::vector<bool>> matches_;
  bool wants_few_ = false;
  std::optional<int> best_;
};

// Takes what a claim was given. Empty: it was there.
std::string TakeGiven(const Case& of, const Allocation& given, State* state) {
  int64_t left = given.count;
  for (Thing& thing : state->things) {
    if (left == 0) break;
    if (of.pools[thing.pool].name != given.pool || thing.name != given.device) continue;
    if (thing.own.empty() && thing.held) continue;
    --left;
    thing.held = true;
    if (thing.own.empty() || thing.users++ == 0) state->counters[thing.pool] -= thing.slots;
    for (auto& [name, rest] : thing.left) {
      const auto amount = given.amounts.find(name);
      const auto [capacity, block] = thing.own.at(name);
      const int64_t taken = amount == given.amounts.end() ? capacity : amount->second.Value();
      if (amount != given.amounts.end() && block > 0 && taken % block != 0)
        return "not a multiple of the block";
      if ((rest -= taken) < 0) return "above a capacity";
    }
    if (state->counters[thing.pool] < 0 && thing.slots > 0) return "above a counter";
  }
  return left == 0 ? "" : fmt::format("{} of {} {} are not free", left, given.pool, given.device);
}

}  // namespace

std::string FindFault(const Case& of, const Answer& answer) {
  State state = StateOf(of);
  for (size_t i = 0; i < of.claims.size(); ++i) {
    const std::vector<Request>& requests = of.claims[i].requests;
    int64_t wanted = 0;
    bool is_exact = true;
    bool has_admin = false;
    for (size_t j = 0; j < requests.size(); ++j) {
      const Detail& detail =
          requests[j].details.at(static_cast<size_t>(answer.claims.at(i).alternatives.at(j)));
      wanted += detail.min_count.value_or(1);
      is_exact = is_exact && detail.amounts.empty() && !detail.all;
      has_admin = has_admin || detail.admin_access;
    }
    int64_t given = 0;
    for (const Allocation& one : answer.claims[i].allocations) {
      given += one.count;
      if (one.admin_access && !has_admin)
        return fmt::format("claim {} asks for no admin access", i);
      std::string fault = one.admin_access ? "" : TakeGiven(of, one, &state);
      if (!fault.empty()) return fault;
    }
    if (is_exact ? given != wanted : given < wanted) {
      return fmt::format("claim {} has {} devices, not {}", i, given, wanted);
    }
  }
  return "";
}

std::optional<int> TryEveryChoice(const Case& of) {
  return Trial(of).Best();
}

}  // namespace outrigger::devices
