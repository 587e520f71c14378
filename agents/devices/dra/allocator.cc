#include "devices/dra/allocator.h"

#include <algorithm>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "devices/dra/capacity.h"
#include "devices/dra/expressions.h"
#include "devices/dra/ground.h"
#include "devices/dra/holdings.h"
#include "devices/dra/plan.h"
#include "devices/dra/pools.h"
#include "devices/dra/scores.h"
#include "devices/dra/search.h"
#include "fmt/format.h"

namespace outrigger::dra {
namespace {

std::string TextOf(const Taint& taint) {
  return fmt::format("{}{}{}:{}", taint.key, taint.value.empty() ? "" : "=", taint.value,
                     taint.effect == TaintEffect::kNoExecute ? "NoExecute" : "NoSchedule");
}

void AddUsers(const Use* use, std::set<std::string>* users) {
  if (use == nullptr) return;
  for (const Claim* claim : use->whole) users->insert(NameOf(*claim));
  for (const Use::Share& share : use->shares) users->insert(NameOf(*share.claim));
}

class Viewer {
 public:
  Viewer(const Ground& ground, const Plan& plan, const Claim& claim, const AskPlan& ask)
      : ground_(ground), plan_(plan), claim_(claim), ask_(ask) {}

  DeviceView Of(const Spot& spot) {
    DeviceView view;
    view.driver = spot.slice->driver;
    view.pool = spot.slice->pool;
    view.device = spot.device->name;
    static_cast<void>(IsRefusedBySelector(spot, &view) || IsTainted(spot, &view) ||
                      IsInUse(spot, &view) || IsTooSmall(spot, &view) ||
                      AreCountersShort(spot, &view));
    return view;
  }

 private:
  bool IsRefusedBySelector(const Spot& spot, DeviceView* view) {
    Fault fault;
    bool of_class = false;
    const Selected selected = plan_.Select(claim_, ask_, spot, &fault, &of_class, &view->number);
    if (selected == Selected::kYes) return false;
    if (selected == Selected::kError) {
      // kube-scheduler does not look at one in use.
      if (IsInUse(spot, view)) return true;
      view->refusal = Refusal::kFailed;
      view->text = fault.text;
      return true;
    }
    view->refusal = of_class ? Refusal::kClassSelector : Refusal::kSelector;
    view->text = (of_class ? ask_.of_class->selectors : ask_.ask->selectors)[view->number];
    return true;
  }

  bool IsTainted(const Spot& spot, DeviceView* view) {
    const int taint = HinderingTaint(*spot.device, *ask_.ask);
    if (taint < 0) return false;
    view->refusal = Refusal::kTaint;
    view->taint = &spot.device->taints[static_cast<size_t>(taint)];
    view->text = TextOf(*view->taint);
    return true;
  }

  bool IsInUse(const Spot& spot, DeviceView* view) {
    if (ask_.ask->admin_access || !spot.in_use.whole) return false;
    view->refusal = Refusal::kInUse;
    SetUsers(spot.use, view);
    return true;
  }

  bool IsTooSmall(const Spot& spot, DeviceView* view) {
    const auto consumed = Consumed(ask_.ask->capacity, *spot.device);
    view->text = consumed.ok() ? WhyNotEnough(ask_.ask->capacity, *consumed, *spot.device,
                                              spot.in_use.consumed)
                               : std::string(consumed.status().message());
    if (view->text.empty()) return false;
    view->refusal = consumed.ok() ? Refusal::kCapacity : Refusal::kFailed;
    SetUsers(spot.use, view);
    return true;
  }

  bool AreCountersShort(const Spot& spot, DeviceView* view) {
    if (spot.device->shared && spot.in_use.shared) return false;  // it has taken them
    const Counters& counters = ground_.counters(spot.pool);
    std::vector<Quantity> left = counters.left;
    for (const auto& entry : spot.consumes) left[entry.first] -= entry.second;
    for (const auto& [index, amount] : spot.consumes) {
      if (left[index] >= Quantity()) continue;
      view->refusal = Refusal::kCounters;
      view->text = fmt::format("{} of {}: {} requested, {} left", counters.names[index].second,
                               counters.names[index].first, amount.ToString(),
                               counters.left[index].ToString());
      SetCounterUsers(spot.pool, index, view);
      return true;
    }
    return false;
  }

  static void SetUsers(const Use* use, DeviceView* view) {
    std::set<std::string> users;
    AddUsers(use, &users);
    view->users.assign(users.begin(), users.end());
  }

  // Those of the pool that take of the same counter.
  void SetCounterUsers(size_t pool, size_t counter, DeviceView* view) {
    std::set<std::string> users;
    for (const Spot& each : ground_.spots()) {
      const bool takes = each.pool == pool &&
                         std::any_of(each.consumes.begin(), each.consumes.end(),
                                     [counter](const auto& of) { return of.first == counter; });
      if (takes) AddUsers(each.use, &users);
    }
    view->users.assign(users.begin(), users.end());
  }

  const Ground& ground_;
  const Plan& plan_;
  const Claim& claim_;
  const AskPlan& ask_;
};

// The devices of `ground` as `ask` of `claim` sees them.
std::vector<DeviceView> ViewOf(const Ground& ground, const Plan& plan, const Claim& claim,
                               const AskPlan& ask) {
  std::vector<DeviceView> views;
  size_t spot = 0;
  Viewer viewer(ground, plan, claim, ask);
  for (size_t i = 0; i < ground.pools().size(); ++i) {
    const Pool& pool = ground.pools()[i];
    if (!pool.usable()) {
      DeviceView view;
      view.driver = pool.driver;
      view.pool = pool.name;
      view.refusal = Refusal::kPool;
      view.text = pool.incomplete ? "slices of it are missing" : pool.fault;
      views.push_back(std::move(view));
      continue;
    }
    for (; spot < ground.spots().size() && ground.spots()[spot].pool == i; ++spot) {
      if (ground.spots()[spot].here) views.push_back(viewer.Of(ground.spots()[spot]));
    }
  }
  return views;
}

bool Contains(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

Result ResultOf(const Pick& pick, const Spot& spot) {
  Result result;
  result.request = pick.ask->label;
  result.driver = spot.slice->driver;
  result.pool = spot.slice->pool;
  result.device = spot.device->name;
  result.admin_access = pick.ask->ask->admin_access;
  result.share = pick.share;
  result.consumed = pick.consumed;
  return result;
}

// Configurations of each class once, for all requests that it serves, then those of the claim.
std::vector<Allocation::Config> ConfigsOf(const Claim& claim,
                                          const std::vector<const AskPlan*>& asks) {
  std::vector<Allocation::Config> configs;
  std::map<std::string_view, std::pair<size_t, size_t>> ranges;
  for (const AskPlan* ask : asks) {
    const auto range = ranges.find(ask->of_class->name);
    if (range != ranges.end()) {
      for (size_t i = range->second.first; i < range->second.second; ++i) {
        configs[i].requests.push_back(ask->label);
      }
      continue;
    }
    const size_t first = configs.size();
    for (const Config& config : ask->of_class->configs) {
      configs.push_back({true, {ask->label}, config.json});
    }
    ranges.emplace(ask->of_class->name, std::pair{first, configs.size()});
  }
  for (const Config& config : claim.configs) {
    const bool used =
        config.requests.empty() || std::any_of(asks.begin(), asks.end(), [&](const AskPlan* ask) {
          return Contains(config.requests, ask->request->name) ||
                 Contains(config.requests, ask->label);
        });
    if (used) configs.push_back({false, config.requests, config.json});
  }
  for (Allocation::Config& config : configs) {
    const bool of_all = std::all_of(asks.begin(), asks.end(), [&](const AskPlan* ask) {
      return Contains(config.requests, ask->request->name) || Contains(config.requests, ask->label);
    });
    if (of_all) config.requests.clear();
  }
  return configs;
}

bool IsEqual(const SelectorRequirement& a, const SelectorRequirement& b) {
  return a.key == b.key && a.op == b.op &&
         std::set<std::string_view>(a.values.begin(), a.values.end()) ==
             std::set<std::string_view>(b.values.begin(), b.values.end());
}

void Merge(const std::vector<SelectorRequirement>& from, std::vector<SelectorRequirement>* to) {
  for (const SelectorRequirement& each : from) {
    const bool known = std::any_of(to->begin(), to->end(),
                                   [&each](const auto& there) { return IsEqual(there, each); });
    if (!known) to->push_back(each);
  }
}

// Where the devices may be used together; false: it cannot be said in one selector.
bool SelectNodes(const std::vector<Pick>& picks, const Ground& ground,
                 std::optional<NodeSelector>* nodes) {
  NodeSelectorTerm term;
  for (const Pick& pick : picks) {
    const Spot& spot = ground.spots()[pick.spot];
    const NodeChoice& choice = spot.slice->per_device ? spot.device->nodes : spot.slice->nodes;
    if (!choice.node.empty() || spot.device->binds_to_node) {
      term = NodeSelectorTerm();
      term.match_fields.push_back({"metadata.name", SelectorOperator::kIn, {ground.node().name}});
      break;
    }
    if (!choice.selector.has_value() || choice.selector->terms.empty()) continue;
    if (choice.selector->terms.size() > 1) return false;
    Merge(choice.selector->terms[0].match_fields, &term.match_fields);
    Merge(choice.selector->terms[0].match_expressions, &term.match_expressions);
  }
  if (!term.match_fields.empty() || !term.match_expressions.empty()) {
    nodes->emplace().terms.push_back(std::move(term));
  }
  return true;
}

// What a search that found devices gives to each claim: as upstream puts it into claims' status.
Answer AllocationAnswer(const Plan& plan, const Search& search) {
  Answer answer;
  answer.outcome = Outcome::kFits;
  for (size_t i = 0; i < plan.claims().size(); ++i) {
    const Claim& claim = plan.claims()[i];
    Allocation& allocation = answer.claims.emplace_back();
    allocation.chosen = search.chosen()[i];
    for (const Pick& pick : search.picks()[i]) {
      allocation.results.push_back(ResultOf(pick, plan.ground().spots()[pick.spot]));
    }
    std::vector<const AskPlan*> asks;
    for (size_t request = 0; request < claim.requests.size(); ++request) {
      asks.push_back(&plan.asks(i, request)[static_cast<size_t>(allocation.chosen[request])]);
    }
    allocation.configs = ConfigsOf(claim, asks);
    if (!SelectNodes(search.picks()[i], plan.ground(), &allocation.nodes)) {
      answer = Answer();
      answer.outcome = Outcome::kError;
      answer.text = "unsupported ResourceSlice.NodeSelector with several terms";
      return answer;
    }
  }
  return answer;
}

}  // namespace

class Allocator::State {
 public:
  State(const Cluster& cluster, std::vector<std::string> whole)
      : slices(cluster), groups(std::move(whole)) {
    for (const Class& each : cluster.classes) classes.emplace(each.name, &each);
  }

  const Slices slices;
  const std::vector<std::string> groups;
  Classes classes;
  Holdings holdings;
  Expressions expressions;
};

namespace {

Answer FaultAnswer(const Fault& fault) {
  Answer answer;
  answer.outcome = fault.unsure ? Outcome::kUnsure : Outcome::kError;
  answer.text = fault.text;
  return answer;
}

// An invalid pool might have had what is missing.
void NoneFound(const Ground& ground, Answer* answer) {
  const auto& pools = ground.pools();
  const bool invalid =
      std::any_of(pools.begin(), pools.end(), [](const Pool& pool) { return !pool.fault.empty(); });
  if (!invalid) return;
  answer->outcome = Outcome::kError;
  answer->of_node = true;
  answer->text = "invalid resource pools were encountered";
}

Answer AnswerOf(const Plan& plan, const Search& search, Search::End end) {
  Answer answer;
  switch (end) {
    case Search::End::kFault:
      answer = FaultAnswer(search.fault());
      break;
    case Search::End::kBudget:
      answer.outcome = Outcome::kUnsure;
      answer.text = fmt::format("the search did not finish within {} steps", Allocator::kSteps);
      break;
    case Search::End::kTooMany:
      answer.outcome = Outcome::kError;
      answer.text = "allocation max size exceeded";
      break;
    case Search::End::kNone:
      NoneFound(plan.ground(), &answer);
      break;
    case Search::End::kFound:
      answer = AllocationAnswer(plan, search);
      break;
  }
  answer.steps = search.steps();
  return answer;
}

}  // namespace

Allocator::Allocator(const Cluster& cluster, std::vector<std::string> groups)
    : state_(std::make_unique<State>(cluster, std::move(groups))) {
  Hold(cluster.claims);
}
Allocator::~Allocator() = default;

void Allocator::Hold(std::span<const Claim> claims) {
  state_->holdings = Holdings();
  for (const Claim& claim : claims) state_->holdings.Add(claim);
}

void Allocator::Allow(int64_t units) {
  state_->expressions.Allow(units);
}

bool Allocator::IsSpent() const {
  return state_->expressions.IsSpent();
}

Answer Allocator::Allocate(const Node& node, std::span<const Claim> claims,
                           const std::set<std::string>& without) const {
  const Ground ground(state_->slices, state_->holdings, node, without);
  Plan plan(state_->classes, ground, &state_->expressions, claims);
  const std::optional<Fault> fault = plan.Prepare();
  if (fault.has_value()) return FaultAnswer(*fault);
  Search search(plan, kSteps);
  Answer answer = AnswerOf(plan, search, plan.IsHopeless() ? Search::End::kNone : search.Run());
  if (answer.outcome == Outcome::kFits) answer.scores = Score(plan, search, state_->groups);
  return answer;
}

std::vector<DeviceView> Allocator::View(const Node& node, const Claim& claim,
                                        const Request& request, const Ask& ask) const {
  const auto found = state_->classes.find(ask.device_class);
  if (found == state_->classes.end()) return {};
  const Ground ground(state_->slices, state_->holdings, node, {});
  const Plan plan(state_->classes, ground, &state_->expressions, std::span(&claim, 1));
  AskPlan asked;
  asked.request = &request;
  asked.ask = &ask;
  asked.of_class = found->second;
  return ViewOf(ground, plan, claim, asked);
}

}  // namespace outrigger::dra
