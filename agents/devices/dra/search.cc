#include "devices/dra/search.h"

#include <algorithm>

#include "devices/dra/capacity.h"
#include "fmt/format.h"

namespace outrigger::dra {

Search::Search(const Plan& plan, int64_t budget)
    : plan_(plan), budget_(budget), taken_(plan.ground().spots().size()) {
  for (size_t pool = 0; pool < plan.ground().pools().size(); ++pool) {
    counters_.emplace_back(plan.ground().counters(pool).left.size());
  }
  for (const Claim& claim : plan.claims()) {
    auto& states = constraints_.emplace_back();
    for (const Constraint& constraint : claim.constraints) states.emplace_back(constraint);
    picks_.emplace_back();
    chosen_.emplace_back(claim.requests.size(), 0);
  }
}

Search::End Search::Run() {
  return Step({});
}

Search::End Search::Step(Next next) {
  if (++steps_ > budget_) return End::kBudget;
  if (next.claim >= plan_.claims().size()) return End::kFound;
  if (next.request >= plan_.claims()[next.claim].requests.size()) {
    const End end = Step({.claim = next.claim + 1});
    // Another choice for this claim may leave that one room to choose less.
    return end == End::kTooMany ? End::kNone : end;
  }
  const std::vector<AskPlan>& asks = plan_.asks(next.claim, next.request);
  if (!next.in_ask && asks[0].request->is_list) return TryAlternatives(next);
  const AskPlan& ask = asks[next.ask];
  if (ask.ask->all && ask.all.empty()) return End::kNone;
  if (next.device >= ask.wanted) {
    return Step({.claim = next.claim, .request = next.request + 1});
  }
  if (ask.wanted - next.device > kMostResults - picks_[next.claim].size()) return End::kTooMany;
  return ask.ask->all ? TakeAll(next, ask) : TryEach(next, ask);
}

Search::End Search::TryAlternatives(Next next) {
  bool are_all_too_many = true;
  const size_t count = plan_.asks(next.claim, next.request).size();
  for (size_t i = 0; i < count; ++i) {
    next.ask = i;
    next.in_ask = true;
    const End end = Step(next);
    if (end == End::kTooMany) continue;
    are_all_too_many = false;
    if (end == End::kFound) chosen_[next.claim][next.request] = static_cast<int>(i);
    if (end != End::kNone) return end;
  }
  return are_all_too_many ? End::kTooMany : End::kNone;
}

Search::End Search::TakeAll(const Next& next, const AskPlan& ask) {
  return GoOn(next, ask, ask.all[next.device], /*must=*/true);
}

bool Search::IsBusy(const Next& next, const AskPlan& ask, size_t spot) const {
  const std::vector<size_t>& claims = taken_[spot].claims;
  if (!ask.ask->admin_access) return plan_.ground().spots()[spot].in_use.whole || !claims.empty();
  return std::find(claims.begin(), claims.end(), next.claim) != claims.end();
}

bool Search::IsTriedAlready(const std::vector<size_t>& tried, size_t spot) const {
  const Spot& each = plan_.ground().spots()[spot];
  // Of shared devices, and those that this search has taken, more counts than the kind.
  if (plan_.has_all() || each.device->shared || !taken_[spot].claims.empty()) return false;
  return std::any_of(tried.begin(), tried.end(), [this, spot](size_t before) {
    return plan_.KindOf(before) == plan_.KindOf(spot) && taken_[before].claims.empty();
  });
}

Search::End Search::TryEach(const Next& next, const AskPlan& ask) {
  const std::vector<Spot>& spots = plan_.ground().spots();
  std::vector<size_t> tried;
  for (size_t spot = next.start; spot < spots.size(); ++spot) {
    if (IsBusy(next, ask, spot)) continue;
    if (++steps_ > budget_) return End::kBudget;
    const Selected selected = ask.selected[spot];
    if (selected == Selected::kError) {
      plan_.Select(plan_.claims()[next.claim], ask, spots[spot], &fault_);
      return End::kFault;
    }
    if (selected == Selected::kNo || IsTriedAlready(tried, spot)) continue;
    Quantities consumed;
    const End enough = CheckCapacity(next, ask, spot, &consumed);
    if (enough == End::kFault) return enough;
    if (enough == End::kFound) {
      const End end = GoOn(next, ask, spot, /*must=*/false);
      if (end != End::kNone) return end;
    }
    tried.push_back(spot);
  }
  return End::kNone;
}

Search::End Search::GoOn(const Next& next, const AskPlan& ask, size_t spot, bool must) {
  const std::optional<End> refused = Take(next, ask, spot, must);
  if (refused.has_value()) return *refused;
  Next then = next;
  then.in_ask = true;
  ++then.device;
  then.start = spot + 1;
  const End end = Step(then);
  if (end != End::kFound) Undo(next, ask, spot);
  return end;
}

Search::End Search::Fail(const Next& next, const AskPlan& ask, std::string text) {
  fault_.text = fmt::format("claim {}, request {}: {}", NameOf(plan_.claims()[next.claim]),
                            ask.request->name, text);
  return End::kFault;
}

Search::End Search::CheckCapacity(const Next& next, const AskPlan& ask, size_t spot,
                                  Quantities* consumed) {
  const Spot& each = plan_.ground().spots()[spot];
  auto taken = Consumed(ask.ask->capacity, *each.device);
  if (!taken.ok()) {
    return Fail(next, ask,
                fmt::format("checking capacity for device {}: {}", each.device->name,
                            std::string(taken.status().message())));
  }
  *consumed = *std::move(taken);
  Quantities used = each.in_use.consumed;
  AddAmounts(taken_[spot].consumed, &used);
  return WhyNotEnough(ask.ask->capacity, *consumed, *each.device, used).empty() ? End::kFound
                                                                                : End::kNone;
}

bool Search::TakeCounters(size_t spot) {
  const Spot& each = plan_.ground().spots()[spot];
  std::vector<Quantity>& taken = counters_[each.pool];
  for (const auto& [index, amount] : each.consumes) taken[index] += amount;
  const std::vector<Quantity>& left = plan_.ground().counters(each.pool).left;
  for (size_t i = 0; i < left.size(); ++i) {
    if (left[i] < taken[i]) {
      GiveCounters(spot);
      return false;
    }
  }
  return true;
}

void Search::GiveCounters(size_t spot) {
  const Spot& each = plan_.ground().spots()[spot];
  for (const auto& [index, amount] : each.consumes) counters_[each.pool][index] -= amount;
}

// Nothing: it is taken.
std::optional<Search::End> Search::Take(const Next& next, const AskPlan& ask, size_t spot,
                                        bool must) {
  const Spot& each = plan_.ground().spots()[spot];
  const bool shared = each.device->shared;
  if (IsBusy(next, ask, spot)) return End::kNone;
  // Counters of a shared device are taken with its first share.
  const bool counts =
      !each.consumes.empty() && !(shared && (each.in_use.shared || taken_[spot].shares > 0));
  if (counts && !TakeCounters(spot)) return End::kNone;
  std::vector<ConstraintState>& constraints = constraints_[next.claim];
  size_t added = 0;
  const auto refuse = [&](End end) {
    while (added > 0) constraints[--added].Remove(ask);
    if (counts) GiveCounters(spot);
    return end;
  };
  if (HinderingTaint(*each.device, *ask.ask) >= 0) return refuse(End::kNone);
  for (; added < constraints.size(); ++added) {
    if (constraints[added].Add(ask, each)) continue;
    if (!must) return refuse(End::kNone);
    return refuse(Fail(next, ask,
                       fmt::format("cannot add device {} because a claim "
                                   "constraint would not be satisfied",
                                   each.device->name)));
  }
  Pick pick{&ask, spot, shared, {}};
  const End enough = CheckCapacity(next, ask, spot, &pick.consumed);
  if (enough != End::kFound) return refuse(enough);
  Taken& taken = taken_[spot];
  if (shared) {
    ++taken.shares;
    AddAmounts(pick.consumed, &taken.consumed);
  } else {
    taken.claims.push_back(next.claim);
    pick.consumed.clear();
  }
  picks_[next.claim].push_back(std::move(pick));
  return std::nullopt;
}

void Search::Undo(const Next& next, const AskPlan& ask, size_t spot) {
  const Spot& each = plan_.ground().spots()[spot];
  Taken& taken = taken_[spot];
  if (each.device->shared) {
    --taken.shares;
    TakeAmounts(picks_[next.claim].back().consumed, &taken.consumed);
  } else {
    taken.claims.pop_back();
  }
  picks_[next.claim].pop_back();
  for (ConstraintState& constraint : constraints_[next.claim]) constraint.Remove(ask);
  const bool counted =
      !each.consumes.empty() && !(each.device->shared && (each.in_use.shared || taken.shares > 0));
  if (counted) GiveCounters(spot);
}

bool ConstraintState::IsOf(const AskPlan& ask) const {
  const std::vector<std::string>& requests = constraint_->requests;
  return requests.empty() || std::any_of(requests.begin(), requests.end(), [&](const auto& name) {
           return name == ask.request->name || name == ask.label;
         });
}

bool ConstraintState::Add(const AskPlan& ask, const Spot& spot) {
  if (!IsOf(ask)) return true;
  const AttributeValue* value =
      AttributeOf(*spot.device, spot.slice->driver, constraint_->attribute);
  if (value == nullptr) return false;
  // Values of different kinds are different. One of a kind that is not known is like none.
  const bool is_known = value->index() != 0;
  if (!values_.empty()) {
    if (!is_known) return false;
    const auto is_equal = [value](const AttributeValue* each) { return *each == *value; };
    if (constraint_->distinct ? std::any_of(values_.begin(), values_.end(), is_equal)
                              : !is_equal(values_[0])) {
      return false;
    }
  }
  values_.push_back(value);
  return true;
}

void ConstraintState::Remove(const AskPlan& ask) {
  if (IsOf(ask)) values_.pop_back();
}

}  // namespace outrigger::dra
