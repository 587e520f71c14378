#include "devices/dra/plan.h"

#include <algorithm>
#include <limits>
#include <variant>

#include "absl/strings/str_cat.h"
#include "devices/dra/capacity.h"
#include "fmt/format.h"

namespace outrigger::dra {
namespace {

constexpr size_t kNoLimit = std::numeric_limits<size_t>::max();

// The place in the texts of upstream.
std::string At(const Claim& claim, const Request& request) {
  return fmt::format("claim {}, request {}", NameOf(claim), request.name);
}

std::string DeviceOf(const Spot& spot) {
  return fmt::format("{}/{}/{}", spot.slice->driver, spot.slice->pool, spot.device->name);
}

struct ValueText {
  std::string operator()(std::monostate) const { return "?"; }
  std::string operator()(bool flag) const { return flag ? "b1" : "b0"; }
  std::string operator()(int64_t number) const { return absl::StrCat("i", number); }
  // With its length, or two values could be read as others.
  std::string operator()(const std::string& text) const {
    return absl::StrCat("s", text.size(), ":", text);
  }
  std::string operator()(const Version& version) const {
    return absl::StrCat("v", version.text.size(), ":", version.text);
  }
};

void AddCapacity(const Device& device, std::string* text) {
  const auto add = [text](const std::optional<Quantity>& quantity) {
    absl::StrAppend(text, quantity ? quantity->ToString() : "", ";");
  };
  for (const auto& [name, capacity] : device.capacity) {
    absl::StrAppend(text, name, "=", capacity.value.ToString(), ";");
    if (!capacity.policy) continue;
    const RequestPolicy& policy = *capacity.policy;
    for (const auto& each : {policy.default_value, policy.min, policy.max, policy.step}) add(each);
    for (const Quantity& each : policy.valid_values) add(each);
  }
}

}  // namespace

Selected Plan::Select(const Claim& claim, const AskPlan& ask, const Spot& spot, Fault* fault,
                      bool* of_class, size_t* number) const {
  for (const bool own : {false, true}) {
    const auto& selectors = own ? ask.ask->selectors : ask.of_class->selectors;
    for (size_t i = 0; i < selectors.size(); ++i) {
      const Said& said = expressions_.Evaluate(selectors[i], spot.slice->driver, *spot.device);
      if (said.what == Said::What::kTrue) continue;
      *of_class = !own;
      *number = i;
      if (said.what == Said::What::kFalse) return Selected::kNo;
      const std::string owner = own ? fmt::format("claim {}", NameOf(claim))
                                    : fmt::format("class {}", ask.of_class->name);
      *fault = {
          fmt::format("{}: selector #{} on device {}: {}", owner, i, DeviceOf(spot), said.text),
          said.unsure};
      return Selected::kError;
    }
  }
  return spot.here ? Selected::kYes : Selected::kNo;
}

Selected Plan::Select(const Claim& claim, const AskPlan& ask, const Spot& spot,
                      Fault* fault) const {
  bool of_class = false;
  size_t number = 0;
  return Select(claim, ask, spot, fault, &of_class, &number);
}

std::optional<Fault> Plan::Prepare() {
  for (const Claim& claim : claims_) {
    std::optional<Fault> fault = PrepareClaim(claim);
    if (fault.has_value()) return fault;
  }
  for (size_t claim = 0; claim < claims_.size(); ++claim) {
    for (std::vector<AskPlan>& request : asks_[claim]) {
      for (AskPlan& plan : request) SelectAll(claims_[claim], &plan);
    }
  }
  FindKinds();
  return std::nullopt;
}

std::optional<Fault> Plan::PrepareClaim(const Claim& claim) {
  if (!claim.unknown.empty()) {
    return Fault{fmt::format("claim {}: {} is not known here", NameOf(claim), claim.unknown),
                 /*unsure=*/true};
  }
  auto& requests = asks_.emplace_back();
  size_t total = 0;
  for (const Request& request : claim.requests) {
    std::vector<AskPlan>& plans = requests.emplace_back();
    size_t least = kNoLimit;
    for (const Ask& ask : request.asks) {
      std::optional<Fault> fault = PrepareAsk(claim, request, ask, &plans);
      if (fault.has_value()) return fault;
      least = std::min(least, plans.back().wanted);
    }
    if (plans.empty()) {
      return Fault{fmt::format("{}: neither exactly nor firstAvailable", At(claim, request)), true};
    }
    if (least > kMostResults - total) {
      return Fault{
          fmt::format("{}: adding {} devices exceeds the claim limit of {}, with {} "
                      "already accounted for",
                      At(claim, request), least, kMostResults, total)};
    }
    total += least;
  }
  for (size_t i = 0; i < claim.constraints.size(); ++i) {
    if (!claim.constraints[i].attribute.empty()) continue;
    return Fault{fmt::format("claim {}, constraint #{}: empty constraint", NameOf(claim), i)};
  }
  return std::nullopt;
}

std::optional<Fault> Plan::PrepareAsk(const Claim& claim, const Request& request, const Ask& ask,
                                      std::vector<AskPlan>* to) {
  AskPlan& plan = to->emplace_back();
  plan.request = &request;
  plan.ask = &ask;
  plan.label = request.is_list ? absl::StrCat(request.name, "/", ask.name) : request.name;
  const auto found = classes_.find(ask.device_class);
  if (found == classes_.end()) {
    return Fault{fmt::format("{}: could not retrieve device class {}: it is not there",
                             At(claim, request), ask.device_class)};
  }
  plan.of_class = found->second;
  for (size_t i = 0; i < ask.selectors.size(); ++i) {
    if (!ask.selectors[i].empty()) continue;
    return Fault{fmt::format("{}, selector #{}: CEL expression empty", At(claim, request), i)};
  }
  has_all_ = has_all_ || ask.all;
  if (ask.all) return FindAll(claim, &plan);
  plan.wanted = ask.count > 0 ? static_cast<size_t>(ask.count) : 0;
  return std::nullopt;
}

std::optional<Fault> Plan::FindAll(const Claim& claim, AskPlan* plan) {
  const std::string at = At(claim, *plan->request);
  const std::vector<Pool>& pools = ground_.pools();
  size_t spot = 0;
  for (size_t i = 0; i < pools.size(); ++i) {
    if (!pools[i].usable()) {
      return Fault{fmt::format("{}: asks for all devices, but resource pool {}/{} is currently {}",
                               at, pools[i].driver, pools[i].name,
                               pools[i].incomplete ? "being updated" : "invalid")};
    }
    for (; spot < ground_.spots().size() && ground_.spots()[spot].pool == i; ++spot) {
      const Spot& each = ground_.spots()[spot];
      Fault fault;
      const Selected selected = Select(claim, *plan, each, &fault);
      if (selected == Selected::kError) return fault;
      if (selected == Selected::kNo) continue;
      const auto consumed = Consumed(plan->ask->capacity, *each.device);
      if (!consumed.ok()) {
        return Fault{fmt::format("{}: checking capacity for device {}: {}", at, each.device->name,
                                 std::string(consumed.status().message()))};
      }
      if (WhyNotEnough(plan->ask->capacity, *consumed, *each.device, {}).empty()) {
        plan->all.push_back(spot);
      }
    }
  }
  plan->wanted = plan->all.size();
  return std::nullopt;
}

// A device in use is never evaluated, so that an expression that fails on it does no harm.
void Plan::SelectAll(const Claim& claim, AskPlan* plan) {
  for (const Spot& spot : ground_.spots()) {
    Fault fault;
    const bool tried = plan->ask->admin_access || !spot.in_use.whole;
    Selected selected = tried ? Select(claim, *plan, spot, &fault) : Selected::kNo;
    if (selected == Selected::kYes && !Consumed(plan->ask->capacity, *spot.device).ok()) {
      has_errors_ = true;
    }
    has_errors_ = has_errors_ || selected == Selected::kError;
    plan->selected.push_back(selected);
  }
}

void Plan::AddToKind(size_t spot, std::string* text) const {
  const Spot& each = ground_.spots()[spot];
  const Device& device = *each.device;
  for (const auto& claim : asks_) {
    for (const auto& request : claim) {
      for (const AskPlan& plan : request) {
        text->push_back(static_cast<char>('0' + static_cast<int>(plan.selected[spot])));
        text->push_back(HinderingTaint(device, *plan.ask) < 0 ? 'f' : 't');
      }
    }
  }
  for (const Claim& claim : claims_) {
    for (const Constraint& constraint : claim.constraints) {
      const AttributeValue* value = AttributeOf(device, each.slice->driver, constraint.attribute);
      absl::StrAppend(text, "|", value == nullptr ? "" : std::visit(ValueText(), *value));
    }
  }
  AddCapacity(device, text);
  absl::StrAppend(text, "|", each.pool);
  for (const auto& [index, amount] : each.consumes) {
    absl::StrAppend(text, ",", index, "=", amount.ToString());
  }
  text->push_back(each.in_use.whole ? 'w' : '-');
  text->push_back(device.shared ? 's' : '-');
  for (const auto& [name, amount] : each.in_use.consumed) {
    absl::StrAppend(text, name, "=", amount.ToString(), ";");
  }
}

void Plan::FindKinds() {
  absl::flat_hash_map<std::string, uint32_t> kinds;
  std::string text;
  for (size_t spot = 0; spot < ground_.spots().size(); ++spot) {
    text.clear();
    AddToKind(spot, &text);
    const auto next = static_cast<uint32_t>(kinds.size());
    kinds_.push_back(kinds.try_emplace(text, next).first->second);
  }
}

bool Plan::IsServable(const AskPlan& plan) const {
  size_t found = 0;
  for (size_t spot = 0; spot < ground_.spots().size() && found < plan.wanted; ++spot) {
    const bool will_do = plan.selected[spot] == Selected::kYes &&
                         HinderingTaint(*ground_.spots()[spot].device, *plan.ask) < 0;
    found += will_do ? 1 : 0;
  }
  return found >= plan.wanted;
}

bool Plan::IsHopeless() const {
  // An ask for all may end in an error before it comes to the hopeless one.
  if (has_errors_ || has_all_) return false;
  bool hopeless = false;
  for (const auto& claim : asks_) {
    for (const auto& request : claim) {
      hopeless = hopeless || std::none_of(request.begin(), request.end(),
                                          [this](const AskPlan& plan) { return IsServable(plan); });
    }
  }
  return hopeless;
}

}  // namespace outrigger::dra
